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

/// What the kernel reads of a digit: what the passes above blocks leave; offset digits, where a
/// block is all there is; or its NTT form.
enum class KeyDigitForm : std::uint8_t { above_blocks, offsets, values };

/// The kernel of src/gpu/kernels/ntt_key_products.inc for the transforms of a basis. Compiled when
/// it is first asked for. Thread-safe.
class KeyProductKernel {
 public:
  /// Both outlive it.
  KeyProductKernel(DeviceMemory& memory, const DeviceNtt& ntt) : memory_(memory), ntt_(ntt) {}

  /// Whether the options want it, and the transform has blocks of several passes, as high radices
  /// do from degrees above the radix on.
  bool is_there() const noexcept;
  /// Whether blocks of `limb_count` limbs leave much of the device idle: each goes through all
  /// digits one after the other, so that transforms of all digits at once take less time.
  bool has_few_groups(std::size_t limb_count) const noexcept;
  /// @throws as make_backend.
  const Kernel& get(KeyDigitForm form) const;
  /// A launch for `limb_count` limbs.
  Grid grid(KeyDigitForm form, std::size_t limb_count) const;

 private:
  DeviceMemory& memory_;
  const DeviceNtt& ntt_;
  mutable std::mutex mutex_;
  mutable std::array<std::shared_ptr<Kernel>, 3> kernels_;
};

}  // namespace ringlet::gpu
