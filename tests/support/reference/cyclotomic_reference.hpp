// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/arith/modulus.hpp"
#include "support/reference/flint_poly.hpp"

namespace ringlet::test {

/// Z_q[X]/Phi_m by FLINT, for any q.
class FlintRing {
 public:
  using Values = std::vector<std::uint64_t>;

  FlintRing(std::uint64_t m, std::uint64_t q) : m_(m), phi_(FlintPoly::cyclotomic(m, q)) {}

  std::size_t degree() const { return static_cast<std::size_t>(phi_.degree()); }

  Values product(const Values& a, const Values& b) const {
    return ((poly(a) * poly(b)) % phi_).coefficients(degree());
  }
  /// a(X^g).
  Values substitute(const Values& a, std::uint64_t g) const {
    return poly(a).substitute_power(g, m_, phi_).coefficients(degree());
  }
  /// Returns a(w^k) for the k below m that are coprime to m, ascending.
  Values evaluate_at_units(const Values& a, std::uint64_t w) const {
    const Modulus q(phi_.modulus());
    Values points;
    std::uint64_t power = 1;
    for (std::uint64_t k = 1; k < m_; ++k) {
      power = q.multiply(power, w);
      if (std::gcd(k, m_) == 1) points.push_back(power);
    }
    return poly(a).evaluate(points);
  }

 private:
  FlintPoly poly(const Values& a) const { return FlintPoly::from(a, phi_.modulus()); }

  std::uint64_t m_;
  FlintPoly phi_;
};

}  // namespace ringlet::test
