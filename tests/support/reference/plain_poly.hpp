// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/reference/ntt_reference.hpp"

namespace ringlet::test {

/// A polynomial modulo X^N + 1 and t: the expected value of messages of BFV and BGV.
class PlainPoly {
 public:
  /// Takes coefficients below t, at most `degree` of them.
  PlainPoly(std::size_t degree, std::uint64_t t, Words coefficients = {})
      : t_(t), coefficients_(std::move(coefficients)) {
    coefficients_.resize(degree);
  }

  std::size_t degree() const noexcept { return coefficients_.size(); }
  std::uint64_t modulus() const noexcept { return t_; }
  std::uint64_t operator[](std::size_t i) const { return coefficients_[i]; }
  const Words& coefficients() const { return coefficients_; }

  friend PlainPoly operator+(PlainPoly a, const PlainPoly& b) {
    for (std::size_t i = 0; i < a.degree(); ++i) {
      a.coefficients_[i] = add_mod(a[i], b[i], a.t_);
    }
    return a;
  }
  PlainPoly operator-() const {
    PlainPoly result = *this;
    for (std::uint64_t& c : result.coefficients_) c = negate_mod(c, t_);
    return result;
  }
  friend PlainPoly operator-(const PlainPoly& a, const PlainPoly& b) { return a + -b; }
  friend PlainPoly operator*(const PlainPoly& a, const PlainPoly& b) {
    return {a.degree(), a.t_, negacyclic_product(a.coefficients_, b.coefficients_, a.t_)};
  }
  friend bool operator==(const PlainPoly& a, const PlainPoly& b) = default;

  /// m(X^element), element odd.
  PlainPoly automorphism(std::uint64_t element) const {
    PlainPoly image(degree(), t_);
    for (std::size_t i = 0; i < degree(); ++i) {
      const std::size_t place = i * element % (2 * degree());
      image.coefficients_[place % degree()] =
          place < degree() ? (*this)[i] : negate_mod((*this)[i], t_);
    }
    return image;
  }

 private:
  std::uint64_t t_;
  Words coefficients_;
};

}  // namespace ringlet::test
