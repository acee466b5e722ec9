// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Polynomials over GF(p), p a prime below 256, for precomputation: one word per coefficient, that
// of X^0 first, without leading zeros. Quadratic algorithms; not constant time.

namespace ringlet::small_field {

using Poly = std::vector<std::uint32_t>;

/// A polynomial has at most this many coefficients: sums of products stay below 2^32.
inline constexpr std::size_t kMaxLength = 65536;

/// GF(p). Coefficients of operands and results are in [0, p); divisors f are monic.
class Field {
 public:
  explicit Field(std::uint32_t p);

  std::uint32_t p() const noexcept { return p_; }
  std::uint32_t inverse(std::uint32_t a) const { return inverses_[a]; }

  /// Reduces coefficients modulo p and drops leading zeros.
  void normalise(Poly& a) const;
  Poly make_monic(Poly a) const;
  Poly remainder(Poly a, const Poly& f) const { return divide(a, f), a; }
  Poly quotient(Poly a, const Poly& f) const { return divide(a, f); }
  Poly multiply_modulo(const Poly& a, const Poly& b, const Poly& f) const;
  Poly power_modulo(const Poly& a, std::uint32_t exponent, const Poly& f) const;
  /// Returns the monic greatest common divisor.
  Poly gcd(Poly a, Poly b) const;
  /// Returns a + c for a number c.
  Poly add_constant(Poly a, std::uint32_t c) const;
  /// Returns the series f'/f in 1/X from X^-1 on: the sums of powers 0, 1, ... of the roots of f.
  std::vector<std::uint32_t> power_sums(const Poly& f, std::size_t count) const;
  /// Returns the monic f of smallest degree with f_0*s_i + ... + f_d*s_(i+d) = 0 for all i, for a
  /// sequence with such a relation of degree at most half its length (Massey 1969).
  Poly minimal_relation(std::span<const std::uint32_t> sequence) const;

 private:
  // Leaves the remainder in a and returns the quotient.
  Poly divide(Poly& a, const Poly& f) const;

  std::uint32_t p_;
  std::vector<std::uint32_t> inverses_;
};

}  // namespace ringlet::small_field
