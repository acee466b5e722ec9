// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "gpu/driver.hpp"
#include "gpu/programs/programs.hpp"
#include "ringlet/gpu/device.hpp"

namespace ringlet::gpu {

/// The kernels of the backend's primitives; src/gpu/kernels says what each does.
enum class LimbKernel : std::uint8_t {
  copy,
  add,
  subtract,
  negate,
  to_digits,
  multiply,
  multiply_add,
  multiply_scalars,
  multiply_scalars_add,
  reduce,
  sum_products,
  automorphism_values,
  automorphism_coefficients,
  lift_offset_digit,
  lift_divisor_digit,
  division_finish,
  division_coefficients,
  convert,
  key_products,
};
inline constexpr std::size_t kLimbKernelCount = 19;
/// The names of the kernels, in the order of LimbKernel.
inline constexpr std::array<const char*, kLimbKernelCount> kLimbKernelNames = {
    "limbs_copy",
    "limbs_add",
    "limbs_subtract",
    "limbs_negate",
    "limbs_to_digits",
    "limbs_multiply",
    "limbs_multiply_add",
    "limbs_multiply_scalars",
    "limbs_multiply_scalars_add",
    "limbs_reduce",
    "limbs_sum_products",
    "automorphism_values",
    "automorphism_coefficients",
    "lift_offset_digit",
    "lift_divisor_digit",
    "division_finish",
    "division_coefficients",
    "convert_limbs",
    "key_products",
};

/// Whether limbs among a kernel's parameters are in batches.
constexpr bool takes_batches(LimbKernel kernel) noexcept {
  return kernel == LimbKernel::division_coefficients || kernel == LimbKernel::convert;
}

/// Pairs of limbs that one launch of sum_products takes, and digits that one of key_products takes.
inline constexpr std::size_t kProductsPerLaunch = 8;
/// Targets that one work-item of convert serves.
inline constexpr std::size_t kTargetsPerItem = 4;

/// Returns the program of these kernels. Two options count: fused multiply-add and assembly.
Program backend_program(const DeviceOptions& options);

/// The kernels on one device. Immutable; launches go to the queue of the call.
class BackendKernels {
 public:
  /// @throws as build_module.
  BackendKernels(DriverDevice& device, const DeviceOptions& options);

  /// Launches a kernel with a work-item for each of the `degree` words of `limb_count` limbs, or of
  /// groups of limbs, in `batch_count` batches: one, if takes_batches(kernel) is false.
  void launch(Queue& queue, LimbKernel kernel, std::size_t degree, std::size_t limb_count,
              std::size_t batch_count, std::span<const Argument> arguments) const;

 private:
  std::array<std::shared_ptr<Kernel>, kLimbKernelCount> kernels_;
};

}  // namespace ringlet::gpu
