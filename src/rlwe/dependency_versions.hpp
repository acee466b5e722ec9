// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringlet::rlwe {

/// Return the versions of the libraries that this process runs, such as "3.0.17" and "1.5.4": those
/// inside a wheel, or else those of the system.
const char* openssl_version() noexcept;
const char* zstd_version() noexcept;

}  // namespace ringlet::rlwe
