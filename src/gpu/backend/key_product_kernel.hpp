// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "gpu/backend/device_ntt.hpp"
#include "gpu/driver.hpp"
#include "gpu/memory/device_memory.hpp"

namespace ringlet::gpu {

/// The form in which the kernel reads a digit: words that the passes above blocks leave; offset
/// digits, where a block is a whole transform; or the NTT form.
enum class KeyDigitForm : std::uint8_t { above_blocks, offsets, values };

/// The kernel of src/gpu/kernels/ntt_key_products.inc for the transforms of a basis. The first
/// get() compiles it. Thread-safe.
class KeyProductKernel {
 public:
  /// Both arguments must outlive this object.
  KeyProductKernel(DeviceMemory& memory, const DeviceNtt& ntt) : memory_(memory), ntt_(ntt) {}

  /// Whether the options want the kernel and the transform has blocks of several passes. High
  /// radices have them at all degrees above the radix.
  bool is_there() const noexcept;
  /// Whether blocks of `limb_count` limbs leave much of the device idle: each goes through all
  /// digits one after the other, so that transforms of all digits at once take less time.
  bool has_few_groups(std::size_t limb_count) const noexcept;
  /// @throws as make_backend.
  const Kernel& get(KeyDigitForm form) const;
  /// Returns the grid of a launch for `limb_count` limbs.
  Grid grid(KeyDigitForm form, std::size_t limb_count) const;

 private:
  DeviceMemory& memory_;
  const DeviceNtt& ntt_;
  mutable std::mutex mutex_;
  mutable std::array<std::shared_ptr<Kernel>, 3> kernels_;
};

}  // namespace ringlet::gpu
