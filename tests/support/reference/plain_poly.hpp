// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flint/nmod_poly.h>

#include "support/test.hpp"

namespace ringlet::test {

/// A polynomial modulo X^N + 1 and t, by FLINT: what messages of BFV and BGV should become.
class PlainPoly {
 public:
  PlainPoly(std::size_t degree, std::uint64_t t) : degree_(degree) { nmod_poly_init(poly_, t); }
  /// Coefficients below t, at most `degree` of them.
  PlainPoly(std::size_t degree, std::uint64_t t, const std::vector<std::uint64_t>& coefficients)
      : PlainPoly(degree, t) {
    for (std::size_t i = coefficients.size(); i-- > 0;) set(i, coefficients[i]);
  }
  PlainPoly(const PlainPoly& other) : PlainPoly(other.degree_, other.modulus()) {
    nmod_poly_set(poly_, other.poly_);
  }
  PlainPoly(PlainPoly&& other) noexcept : PlainPoly(other.degree_, other.modulus()) { swap(other); }
  PlainPoly& operator=(PlainPoly other) noexcept {
    swap(other);
    return *this;
  }
  ~PlainPoly() { nmod_poly_clear(poly_); }

  std::size_t degree() const noexcept { return degree_; }
  std::uint64_t modulus() const noexcept { return poly_->mod.n; }
  std::uint64_t operator[](std::size_t i) const {
    return nmod_poly_get_coeff_ui(poly_, static_cast<slong>(i));
  }
  /// All N of them.
  std::vector<std::uint64_t> coefficients() const {
    std::vector<std::uint64_t> result(degree_);
    for (std::size_t i = 0; i < degree_; ++i) result[i] = (*this)[i];
    return result;
  }

  friend PlainPoly operator+(const PlainPoly& a, const PlainPoly& b) {
    PlainPoly result = a.zero();
    nmod_poly_add(result.poly_, a.poly_, b.poly_);
    return result;
  }
  friend PlainPoly operator-(const PlainPoly& a, const PlainPoly& b) {
    PlainPoly result = a.zero();
    nmod_poly_sub(result.poly_, a.poly_, b.poly_);
    return result;
  }
  PlainPoly operator-() const { return zero() - *this; }
  friend PlainPoly operator*(const PlainPoly& a, const PlainPoly& b) {
    PlainPoly product = a.zero();
    nmod_poly_mul(product.poly_, a.poly_, b.poly_);
    // X^N = -1.
    PlainPoly high = a.zero();
    nmod_poly_shift_right(high.poly_, product.poly_, static_cast<slong>(a.degree_));
    nmod_poly_truncate(product.poly_, static_cast<slong>(a.degree_));
    return product - high;
  }
  friend bool operator==(const PlainPoly& a, const PlainPoly& b) {
    return nmod_poly_equal(a.poly_, b.poly_) != 0;
  }

  /// m(X^element), element odd.
  PlainPoly automorphism(std::uint64_t element) const {
    std::vector<std::uint64_t> image(degree_);
    for (std::size_t i = 0; i < degree_; ++i) {
      const std::size_t place = i * element % (2 * degree_);
      const std::uint64_t value = (*this)[i];
      const std::uint64_t negative = value == 0 ? 0 : modulus() - value;
      image[place % degree_] = place < degree_ ? value : negative;
    }
    return PlainPoly(degree_, modulus(), image);
  }

 private:
  PlainPoly zero() const { return PlainPoly(degree_, modulus()); }
  void set(std::size_t i, std::uint64_t value) {
    nmod_poly_set_coeff_ui(poly_, static_cast<slong>(i), value);
  }
  void swap(PlainPoly& other) noexcept {
    std::swap(degree_, other.degree_);
    nmod_poly_swap(poly_, other.poly_);
  }

  std::size_t degree_;
  nmod_poly_t poly_;
};

}  // namespace ringlet::test
