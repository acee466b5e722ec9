// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "gpu/backend/device_constants.hpp"
#include "gpu/backend/device_conversions.hpp"
#include "gpu/backend/device_key.hpp"
#include "gpu/backend/key_product_kernel.hpp"
#include "gpu/backend/limb_launcher.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/key_switch_source.hpp"

namespace ringlet::gpu {

/// Computes Backend::multiply_digits_by_key on a device. It lifts all digits to all targets. Then
/// one kernel runs the last passes of their transforms and adds their products. Without such passes
/// it transforms the digits and multiplies them in one launch. Where the device has no memory for
/// so many lifted digits, it takes half of the targets at a time, and so on down to one.
/// Immutable, thread-safe.
class DeviceKeyProducts {
 public:
  /// All arguments outlive this object.
  DeviceKeyProducts(const Backend& backend, const LimbLauncher& launcher,
                    const BackendConstants& constants, const DeviceConversions& conversions)
      : backend_(backend),
        launcher_(launcher),
        constants_(constants),
        conversions_(conversions),
        kernel_(launcher.memory(), launcher.ntt()) {}

  /// @throws as Backend::multiply_digits_by_key.
  void multiply(NttView sum_b, NttView sum_a, const KeySwitchSource& source, const DeviceKey& key,
                PrimeIndices targets) const;

 private:
  /// A part of the targets, from number `first` on, with its results and operands.
  struct Part {
    NttView sum_b;
    NttView sum_a;
    PrimeIndices targets;
    std::size_t first;
    const KeySwitchSource& source;
    const DeviceKey& key;
  };
  class Launch;

  void multiply_plainly(const Part& part) const;
  void lift_plainly(NttView result, const Part& part, const KeySwitchDigit& digit) const;
  void multiply_in_passes(const Part& part) const;
  void multiply_single_primes(const Part& part) const;
  void multiply_converted(const Part& part) const;
  void convert(const Limbs& rows, const Part& part, const KeySwitchDigit& digit) const;
  ConstantCache::Block kernel_constants(const Part& part) const;

  const Backend& backend_;
  const LimbLauncher& launcher_;
  const BackendConstants& constants_;
  const DeviceConversions& conversions_;
  KeyProductKernel kernel_;
};

}  // namespace ringlet::gpu
