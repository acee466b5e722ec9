// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/backend/device_constants.hpp"
#include "gpu/backend/limb_launcher.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/basis_conversion.hpp"

namespace ringlet::gpu {

/// Conversions of basis and divisions by primes on a device, by the formulas of
/// ringlet/ring/backend.hpp and with its conditions. Each finds its operands, constants and scratch
/// memory first: what may be refused has changed nothing. Immutable, thread-safe.
class DeviceConversions {
 public:
  /// What is divided, and by what.
  struct Division {
    PrimeIndices primes;                          ///< Of the limbs.
    std::size_t dropped = 1;                      ///< The last so many of them are the divisor.
    std::uint64_t preserve = 1;                   ///< The modulus modulo which the residue is kept.
    const BasisConversion* conversion = nullptr;  ///< From the divisor to the others; null for one
                                                  ///< prime, which is lifted.
    std::size_t kept() const noexcept { return primes.size() - dropped; }
  };

  /// Both outlive it.
  DeviceConversions(const LimbLauncher& launcher, const BackendConstants& constants)
      : launcher_(launcher), constants_(constants) {}

  /// To the first `count` targets of the conversion, or to its modulus.
  void convert(const Limbs& result, std::size_t count, ConstCoeffView a,
               const BasisConversion& conversion) const;
  void divide(NttView result, ConstNttView a, const Division& division) const;
  void divide(CoeffView result, ConstCoeffView a, const Division& division) const;

 private:
  using Constants = ConstantCache::Block;

  Constants constants_of(const Division& division) const;
  Constants end_constants(const Division& division, const Constants& constants) const;
  void launch_conversion(QueueLanes& lanes, const Limbs& result, std::size_t count, const Limbs& a,
                         const BasisConversion& conversion, const Constants& constants) const;

  const LimbLauncher& launcher_;
  const BackendConstants& constants_;
};

}  // namespace ringlet::gpu
