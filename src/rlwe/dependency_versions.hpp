// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringlet::rlwe {

/// Of the libraries that this process runs, such as "3.0.17" and "1.5.4": those inside of a wheel,
/// those of the system otherwise.
const char* openssl_version() noexcept;
const char* zstd_version() noexcept;

}  // namespace ringlet::rlwe
