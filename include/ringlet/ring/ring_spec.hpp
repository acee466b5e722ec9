// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// The families of rings.
enum class RingKind : std::uint8_t {
  power_of_two_cyclotomic = 1,  ///< Z[X]/(X^N + 1), N a power of two.
  cyclotomic = 2,               ///< Z[X]/Phi_m, m not a power of two.
};

/// Largest degree of a ring of the schemes.
inline constexpr std::size_t kMaxPolyModulusDegree = 131072;
/// Largest m of a ring Z[X]/Phi_m that is not X^N + 1. The transforms of such a ring are
/// convolutions of a length up to 131072.
inline constexpr std::uint64_t kMaxGeneralRingIndex = 65536;

/// Describes the ring of ciphertexts without its modulus: degree, automorphisms, and how much a
/// product can grow. An immutable value.
class RINGLET_API RingSpec {
 public:
  /// Returns the ring Z[X]/(X^degree + 1), the 2*degree-th cyclotomic ring.
  /// @throws InvalidArgument if `degree` is not a power of two in [2, 131072].
  static RingSpec power_of_two(std::size_t degree);

  /// Returns the ring Z[X]/Phi_m for m = index, the m-th cyclotomic ring. For m = 2 modulo 4 it
  /// returns the ring of m/2, which is the same ring (X -> -X); for a power of two it returns
  /// power_of_two(m/2).
  /// @throws InvalidArgument unless m, halved if it is 2 modulo 4, is from 3 to 65536, or a power
  ///         of two from 4 to 262144.
  static RingSpec cyclotomic(std::uint64_t index);

  RingKind kind() const noexcept { return kind_; }
  /// Returns n, the number of coefficients of an element: N for X^N + 1, phi(m) for Phi_m.
  std::size_t degree() const noexcept { return degree_; }
  /// Returns m for the m-th cyclotomic ring: 2N for X^N + 1.
  std::uint64_t cyclotomic_index() const noexcept { return index_; }
  /// Returns the factor d of max|a*b| <= d * max|a| * max|b| over coefficients: N for X^N + 1.
  std::uint64_t expansion_factor() const noexcept { return expansion_factor_; }
  /// Returns the length of the negacyclic transforms of this ring: N for X^N + 1, otherwise the
  /// smallest power of two that is at least n + m - 1.
  std::size_t transform_length() const noexcept {
    return is_power_of_two() ? degree_
                             : std::bit_ceil(degree_ + static_cast<std::size_t>(index_) - 1);
  }
  /// Returns the number k such that every prime of a modulus is 1 modulo k: 2N for X^N + 1,
  /// otherwise the least common multiple of m and 2 * transform_length().
  std::uint64_t modulus_step() const noexcept {
    return std::lcm(index_, 2 * std::uint64_t{transform_length()});
  }
  /// Returns the number of slots in one cycle of rotations: N/2 for X^N + 1. Returns 0 for other
  /// rings, whose slots form a hypercube: see CyclotomicSlots.
  std::size_t rotation_count() const noexcept { return is_power_of_two() ? degree_ / 2 : 0; }

  /// Returns true if X -> X^element is an automorphism: element is coprime to m and below m.
  bool is_galois_element(std::uint64_t element) const noexcept {
    if (is_power_of_two()) return element % 2 == 1 && element < index_;
    return element < index_ && std::gcd(element, index_) == 1;
  }
  /// Returns the Galois element of the automorphism that rotates slots: 3^step mod 2N for step > 0
  /// (to the left), 3^(N/2 - |step|) for step < 0, and 2N - 1 (complex conjugation) for step 0.
  /// @throws InvalidArgument if |step| >= N/2, or if the ring is not X^N + 1: use
  ///         CyclotomicSlots::galois_element for such rings.
  std::uint64_t galois_element_from_step(int step) const;
  /// Returns the Galois element of complex conjugation, m - 1.
  std::uint64_t conjugation_element() const noexcept { return index_ - 1; }
  /// Returns Galois elements of which every Galois element is a product, in ascending order and
  /// without repetition.
  /// X^N + 1: 2N - 1 and 3^(+-2^i) for 0 <= i < log2(N) - 1.
  /// Phi_m: m - 1 and g^(2^i) with 2^i below the order of g, for generators g of the group of units
  /// modulo m. For each prime power p^e that divides m exactly, g is the smallest primitive root
  /// modulo p^e (3 and -1 for p = 2) that is 1 modulo m/p^e.
  std::vector<std::uint64_t> default_galois_elements() const;

  friend bool operator==(const RingSpec&, const RingSpec&) = default;

 private:
  friend class RnsBasis;
  RingSpec(RingKind kind, std::size_t degree, std::uint64_t index,
           std::uint64_t expansion_factor) noexcept
      : kind_(kind), degree_(degree), index_(index), expansion_factor_(expansion_factor) {}

  bool is_power_of_two() const noexcept { return kind_ == RingKind::power_of_two_cyclotomic; }

  RingKind kind_;
  std::size_t degree_;
  std::uint64_t index_;
  std::uint64_t expansion_factor_;
};

}  // namespace ringlet
