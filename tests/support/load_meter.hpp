// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

#include "support/memory_meter.hpp"
#include "support/mutations.hpp"

// Measures loads of hostile files, in programs that include support/circuits/trace_watch.hpp.

namespace ringlet::test {

/// Limits of every loader, beyond the cost of a good file and the text of an error.
inline constexpr std::size_t kBytesPerByte = 64;
inline constexpr double kSecondsPerKilobyte = 1.0;
inline constexpr std::size_t kErrorBytes = 4096;
inline constexpr std::size_t kUnmeasured = ~std::size_t{0} / 2;

/// The largest costs of the loads that metered() ran.
struct LoadCosts {
  std::size_t expected = kUnmeasured;  ///< The cost of a good file.
  std::size_t peak = 0;
  double bytes_per_byte = 0;
  double seconds_per_kilobyte = 0;

  std::string text() const {
    return std::to_string(peak) + " bytes of memory where " + std::to_string(expected) +
           " are expected, " + std::to_string(bytes_per_byte) + " bytes per byte, " +
           std::to_string(1e6 * seconds_per_kilobyte) + " us of CPU per kilobyte at worst";
  }
};
inline LoadCosts load_costs;

/// Records the cost of its lifetime and checks the bounds, whether a load throws or not.
class LoadMeter {
 public:
  explicit LoadMeter(std::size_t file_bytes) noexcept : file_bytes_(file_bytes) {}
  LoadMeter(const LoadMeter&) = delete;
  LoadMeter& operator=(const LoadMeter&) = delete;
  ~LoadMeter() {
    const std::size_t allowed = load_costs.expected + kErrorBytes;
    const double extra = static_cast<double>(std::max(memory_.peak(), allowed) - allowed);
    const double bytes = static_cast<double>(std::max<std::size_t>(file_bytes_, 1));
    const double seconds = (now() - start_) / std::max(1.0, bytes / 1024);
    load_costs.peak = std::max(load_costs.peak, memory_.peak());
    load_costs.bytes_per_byte = std::max(load_costs.bytes_per_byte, extra / bytes);
    load_costs.seconds_per_kilobyte = std::max(load_costs.seconds_per_kilobyte, seconds);
    EXPECT_LE(extra, kBytesPerByte * bytes);
    EXPECT_LE(seconds, kSecondsPerKilobyte);
  }

 private:
  /// The processor time of this thread.
  static double now() noexcept {
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  std::size_t file_bytes_;
  double start_ = now();
  MemoryMeter memory_;
};

template <typename Load>
auto metered(const ByteVector& file, Load load) {
  const LoadMeter meter(file.size());
  return load();
}

/// The largest cost of loading one of the good files.
inline std::size_t expected_cost(const std::vector<ByteVector>& files,
                                 const std::function<void(const ByteVector&)>& load) {
  const LoadCosts before = load_costs;
  load_costs = {};
  for (const ByteVector& file : files) load(file);
  const std::size_t expected = load_costs.peak;
  load_costs = before;
  return expected;
}

}  // namespace ringlet::test
