// SPDX-License-Identifier: Apache-2.0
#include "rlwe/dependency_versions.hpp"

#include <zstd.h>

#include <openssl/crypto.h>

namespace ringlet::rlwe {

const char* openssl_version() noexcept { return OpenSSL_version(OPENSSL_VERSION_STRING); }
const char* zstd_version() noexcept { return ZSTD_versionString(); }

}  // namespace ringlet::rlwe
