// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

#include "gpu/device_memory.hpp"
#include "gpu/device_ntt.hpp"
#include "gpu/driver.hpp"

namespace ringlet::gpu {

/// The kernel of src/gpu/kernels/ntt_key_products.inc for the transforms of a basis. Compiled when
/// it is first asked for. Thread-safe.
class KeyProductKernel {
 public:
  /// Both outlive it.
  KeyProductKernel(DeviceMemory& memory, const DeviceNtt& ntt) : memory_(memory), ntt_(ntt) {}

  /// Whether the options want it, and the transform has blocks of several passes, as high radices
  /// do from degrees above the radix on.
  bool is_there() const noexcept;
  /// With `loads_digits`, which is for degrees of one block, it reads offset digits.
  /// @throws as make_backend.
  const Kernel& get(bool loads_digits) const;
  /// A launch for `limb_count` limbs.
  Grid grid(std::size_t limb_count) const;

 private:
  DeviceMemory& memory_;
  const DeviceNtt& ntt_;
  mutable std::mutex mutex_;
  mutable std::array<std::shared_ptr<Kernel>, 2> kernels_;
};

}  // namespace ringlet::gpu
