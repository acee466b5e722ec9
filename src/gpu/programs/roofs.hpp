// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gpu/driver.hpp"
#include "gpu/programs/programs.hpp"

namespace ringlet::gpu {

/// Kinds of products, whose rate on a device bounds its kernels.
enum class MultiplyRoof : std::uint8_t {
  multiply_add,       ///< 32-bit words, the lower half of the product.
  multiply_add_wide,  ///< 32-bit factors, all 64 bits of the product.
  multiply_high,      ///< 64-bit factors, the upper half of the product.
};
inline constexpr std::size_t kMultiplyRoofCount = 3;

/// The times of copies of one size.
struct CopyTimes {
  std::size_t bytes = 0;
  std::vector<double> seconds;
};

/// Returns the program of src/gpu/kernels/roofs.inc.
Program roofs_program();

/// Measures what bounds all kernels of a device, on a queue of its own: the copy of memory, and
/// chains of products that nothing else slows down. Not synchronised.
class Roofs {
 public:
  /// Chains of a work-item, and products of each per round.
  static constexpr std::size_t kChains = 8;
  static constexpr std::size_t kSteps = 16;

  /// @throws as DriverDevice::build.
  explicit Roofs(std::shared_ptr<DriverDevice> device);

  /// Copies `bytes` bytes, rounded down to whole groups, at least one group. Returns the seconds of
  /// one copy, which reads and writes so many, in each of `rounds` rounds of `launches` copies, on
  /// the device's clock. One more round goes first and is not counted.
  /// @throws OutOfDeviceMemory; RuntimeError if the copy differs from its source.
  CopyTimes copy(std::size_t bytes, std::size_t rounds, std::size_t launches);

  /// Returns the number of products of one launch.
  double product_count(std::size_t groups, std::uint64_t rounds) const;
  /// Returns the seconds of one launch of `groups` groups, on the device's clock.
  double multiply_seconds(MultiplyRoof roof, std::size_t groups, std::uint64_t rounds);
  /// Returns the words that the work-items of `groups` groups end with, see roofs.inc.
  std::vector<std::uint64_t> multiply_ends(MultiplyRoof roof, std::size_t groups,
                                           std::uint64_t rounds);
  /// Computes the same words on the host.
  std::vector<std::uint64_t> expected_ends(MultiplyRoof roof, std::size_t groups,
                                           std::uint64_t rounds) const;

  std::size_t group_size() const noexcept { return group_size_; }

 private:
  double seconds_of(const std::function<void()>& work);
  void fill(const Buffer& buffer);
  void check_copy(const Buffer& copy);
  void launch(MultiplyRoof roof, std::size_t groups, std::uint64_t rounds, std::uint64_t least,
              const Buffer& result);

  std::shared_ptr<DriverDevice> device_;
  std::unique_ptr<Queue> queue_;
  std::shared_ptr<Module> module_;
  std::shared_ptr<Kernel> copy_;
  std::array<std::shared_ptr<Kernel>, kMultiplyRoofCount> multiply_;
  std::size_t group_size_ = 1;
};

}  // namespace ringlet::gpu
