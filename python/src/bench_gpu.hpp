// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <nanobind/nanobind.h>

#include "ringlet/device.hpp"
#include "ringlet/memory.hpp"

// What the files behind `ringlet bench gpu` share.

namespace ringlet::python {

inline constexpr std::size_t kMostDegree = 131072;

/// @throws InvalidArgument if `value` is not in [least, most], or `degree` no power of two that
///         transforms take, or the device is the processor.
void check_range(const char* operation, const char* name, std::uint64_t value, std::uint64_t least,
                 std::uint64_t most);
void check_degree(const char* operation, std::uint64_t degree);
void check_is_device(const char* operation, const Device& device);

/// Words in a device's memory.
class DeviceWords {
 public:
  DeviceWords(std::shared_ptr<Memory> memory, std::size_t words);
  ~DeviceWords();
  DeviceWords(const DeviceWords&) = delete;
  DeviceWords& operator=(const DeviceWords&) = delete;

  std::uint64_t* data() const noexcept { return words_; }
  /// Puts a pattern, again and again, into the first `words` words.
  void fill(std::span<const std::uint64_t> pattern, std::size_t words);

 private:
  std::shared_ptr<Memory> memory_;
  std::uint64_t* words_;
};

/// bench_gpu_schemes.cpp.
void bind_bench_gpu_schemes(nanobind::module_& module);

}  // namespace ringlet::python
