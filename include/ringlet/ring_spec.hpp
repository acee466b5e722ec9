// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ringlet/export.hpp"

namespace ringlet {

/// Families of rings.
enum class RingKind : std::uint8_t {
  power_of_two_cyclotomic = 1,  ///< Z[X]/(X^N + 1), N a power of two.
};

/// Largest degree of a ring of the schemes.
inline constexpr std::size_t kMaxPolyModulusDegree = 131072;

/// The ring in which ciphertexts live, apart from its modulus: degree, automorphisms, and how much
/// a product may grow. An immutable value. X^N + 1 is one of them.
class RINGLET_API RingSpec {
 public:
  /// Z[X]/(X^degree + 1), the 2*degree-th cyclotomic ring.
  /// @throws InvalidArgument if `degree` is not a power of two in [2, 131072].
  static RingSpec power_of_two(std::size_t degree);

  RingKind kind() const noexcept { return kind_; }
  /// N: the number of coefficients of an element.
  std::size_t degree() const noexcept { return degree_; }
  /// m, where the ring is the m-th cyclotomic ring: 2N for X^N + 1.
  std::uint64_t cyclotomic_index() const noexcept { return 2 * std::uint64_t{degree_}; }
  /// The factor d of max|a*b| <= d * max|a| * max|b| over coefficients: N for X^N + 1.
  std::size_t expansion_factor() const noexcept { return degree_; }
  /// Number of slots of one cycle of rotations: N/2.
  std::size_t rotation_count() const noexcept { return degree_ / 2; }

  /// True if X -> X^element is an automorphism: element is odd and below 2N.
  bool is_galois_element(std::uint64_t element) const noexcept {
    return element % 2 == 1 && element < cyclotomic_index();
  }
  /// The automorphism that rotates slots: 3^step mod 2N for step > 0 (to the left),
  /// 3^(N/2 - |step|) for step < 0, and 2N - 1 (complex conjugation) for step 0.
  /// @throws InvalidArgument if |step| >= N/2.
  std::uint64_t galois_element_from_step(int step) const;
  /// The element of complex conjugation: 2N - 1.
  std::uint64_t conjugation_element() const noexcept { return cyclotomic_index() - 1; }
  /// 2N - 1 and 3^(+-2^i) for 0 <= i < log2(N) - 1, ascending and without repetition: from these
  /// every rotation is composed.
  std::vector<std::uint64_t> default_galois_elements() const;

  friend bool operator==(const RingSpec&, const RingSpec&) = default;

 private:
  RingSpec(RingKind kind, std::size_t degree) noexcept : kind_(kind), degree_(degree) {}

  RingKind kind_;
  std::size_t degree_;
};

}  // namespace ringlet
