// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/gpu/device.hpp"
#include "ringlet/ring/memory.hpp"
#include "standard.hpp"

namespace ringlet::bench {

/// @throws InvalidArgument if `value` is not in [least, most], if `degree` is not a power of two
///         that transforms take, or if the device is the processor.
void check_range(const char* operation, const char* name, std::uint64_t value, std::uint64_t least,
                 std::uint64_t most);
void check_degree(const char* operation, std::uint64_t degree);
void check_is_device(const char* operation, const Device& device);

/// Makes residues modulo `q`, the same for the same seed.
std::vector<std::uint64_t> scattered_words(std::size_t count, std::uint64_t q, std::uint64_t seed);

/// Words in a device's memory.
class DeviceWords {
 public:
  DeviceWords(std::shared_ptr<Memory> memory, std::size_t words);
  ~DeviceWords();
  DeviceWords(const DeviceWords&) = delete;
  DeviceWords& operator=(const DeviceWords&) = delete;

  std::uint64_t* data() const noexcept { return words_; }
  /// Fills the first `words` words with repeats of a pattern.
  void fill(std::span<const std::uint64_t> pattern, std::size_t words);

 private:
  std::shared_ptr<Memory> memory_;
  std::uint64_t* words_;
};

}  // namespace ringlet::bench
