// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>

namespace ringlet::rlwe {

/// The shared results of one secret key, of all SharingDecryptors together. Public.
struct SharedResults {
  std::mutex mutex;
  /// The decryptions, and then the bits, that the first SharingDecryptor declared; 0 before.
  std::uint64_t declared = 0;
  int security_bits = 0;
  std::uint64_t made = 0;
};

}  // namespace ringlet::rlwe
