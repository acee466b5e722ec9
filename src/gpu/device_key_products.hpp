// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ringlet/backend.hpp"
#include "ringlet/key_switch_source.hpp"

namespace ringlet::gpu {

/// Backend::multiply_digits_by_key on a device. All digits are lifted to all targets, and then
/// multiplied in one launch. Where the device has no memory for so many lifted digits, half of the
/// targets are taken at a time, and so on down to one. Immutable, thread-safe.
class DeviceKeyProducts {
 public:
  /// It outlives this.
  explicit DeviceKeyProducts(const Backend& backend) : backend_(backend) {}

  /// @throws as Backend::multiply_digits_by_key.
  void multiply(NttView sum_b, NttView sum_a, const KeySwitchSource& source, const PreparedKey& key,
                PrimeIndices targets) const;

 private:
  /// What a part of the targets, from number `first` on, is computed of.
  struct Part {
    NttView sum_b;
    NttView sum_a;
    PrimeIndices targets;
    std::size_t first = 0;
  };

  void multiply_part(const Part& part, const KeySwitchSource& source, const PreparedKey& key) const;
  void lift(NttView result, const Part& part, const KeySwitchSource& source,
            const KeySwitchDigit& digit) const;
  void convert(CoeffView result, const Part& part, const KeySwitchSource& source,
               const KeySwitchDigit& digit) const;

  const Backend& backend_;
};

}  // namespace ringlet::gpu
