// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>

namespace ringlet::rlwe {

/// What is handed out of one secret key, whichever SharingDecryptor does it. Public.
struct SharedResults {
  std::mutex mutex;
  /// As the first of them declared; 0 before.
  std::uint64_t declared = 0;
  int security_bits = 0;
  std::uint64_t made = 0;
};

}  // namespace ringlet::rlwe
