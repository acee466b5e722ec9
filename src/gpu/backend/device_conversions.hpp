// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/backend/device_constants.hpp"
#include "gpu/backend/limb_launcher.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/basis_conversion.hpp"

namespace ringlet::gpu {

/// Converts between bases and divides by primes on a device, by the formulas of
/// ringlet/ring/backend.hpp and with its conditions. Each call first finds its operands, constants
/// and scratch memory, so that a refusal changes nothing; of several divisions a refusal may leave
/// the first done. Immutable, thread-safe.
class DeviceConversions {
 public:
  /// The limbs of a dividend and the divisor.
  struct Division {
    PrimeIndices primes;                          ///< The primes of all limbs.
    std::size_t dropped = 1;                      ///< The divisor: the last so many of them.
    std::uint64_t preserve = 1;                   ///< The modulus whose residues are kept.
    const BasisConversion* conversion = nullptr;  ///< From the divisor to the others; null for one
                                                  ///< prime, which is lifted.
    std::size_t kept() const noexcept { return primes.size() - dropped; }
  };

  /// Both arguments outlive this object.
  DeviceConversions(const LimbLauncher& launcher, const BackendConstants& constants)
      : launcher_(launcher), constants_(constants) {}

  /// Converts to the first `count` targets of the conversion, or to its modulus.
  void convert(const Limbs& result, std::size_t count, ConstCoeffView a,
               const BasisConversion& conversion) const;
  /// Divides each polynomial of `a`. Those at constant distances share launches, as long as there
  /// is scratch memory for so many.
  void divide(std::span<const NttView> results, std::span<const ConstNttView> a,
              const Division& division) const;
  void divide(std::span<const CoeffView> results, std::span<const ConstCoeffView> a,
              const Division& division) const;

 private:
  using Constants = ConstantCache::Block;

  Constants constants_of(const Division& division) const;
  Constants end_constants(const Division& division, const Constants& constants) const;
  /// A conversion to its first `count` targets, or to its modulus.
  struct Conversion {
    const BasisConversion& formula;
    const Constants& constants;
    std::size_t count;
  };
  void launch_conversion(QueueLanes& lanes, const BatchLimbs& result, const BatchLimbs& a,
                         std::size_t batch_count, const Conversion& conversion) const;
  void divide_batch(std::span<const Limbs> quotients, const BatchLimbs& dividends,
                    const BatchLimbs& scratch, const Division& division) const;

  const LimbLauncher& launcher_;
  const BackendConstants& constants_;
};

}  // namespace ringlet::gpu
