// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

// Measures the memory in use through operator new, in programs that include
// support/circuits/trace_watch.hpp; 0 in others.

namespace ringlet::test {

inline std::atomic<std::size_t> bytes_in_use{0};
inline std::atomic<std::size_t> most_bytes_in_use{0};

inline void note_taken(std::size_t bytes) noexcept {
  const std::size_t now = bytes_in_use += bytes;
  std::size_t most = most_bytes_in_use;
  while (most < now && !most_bytes_in_use.compare_exchange_weak(most, now)) {
  }
}
inline void note_released(std::size_t bytes) noexcept { bytes_in_use -= bytes; }

/// The largest increase of the bytes in use since the meter was made.
class MemoryMeter {
 public:
  MemoryMeter() noexcept : start_(bytes_in_use) { most_bytes_in_use = start_; }
  std::size_t peak() const noexcept {
    return std::max<std::size_t>(most_bytes_in_use, start_) - start_;
  }

 private:
  std::size_t start_;
};

}  // namespace ringlet::test
