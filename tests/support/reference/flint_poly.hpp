// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flint/fmpz_poly.h>
#include <flint/nmod_poly.h>

#include "support/test.hpp"

namespace ringlet::test {

/// A polynomial modulo a prime p, by FLINT.
class FlintPoly {
 public:
  explicit FlintPoly(std::uint64_t p = 2) { nmod_poly_init(poly_, p); }
  /// Makes a polynomial from coefficients of any integer type, that of X^0 first.
  template <typename Range>
  static FlintPoly from(const Range& coefficients, std::uint64_t p = 2) {
    FlintPoly result(p);
    std::size_t i = 0;
    for (const auto c : coefficients) result.set(i++, static_cast<std::uint64_t>(c));
    return result;
  }
  static FlintPoly power_of_x(std::size_t i, std::uint64_t p = 2) {
    FlintPoly result(p);
    result.set(i, 1);
    return result;
  }
  /// Phi_m, by FLINT's own function.
  static FlintPoly cyclotomic(std::uint64_t m, std::uint64_t p = 2) {
    FlintPoly result(p);
    fmpz_poly_t integers;
    fmpz_poly_init(integers);
    fmpz_poly_cyclotomic(integers, m);
    fmpz_poly_get_nmod_poly(result.poly_, integers);
    fmpz_poly_clear(integers);
    return result;
  }
  FlintPoly(const FlintPoly& other) : FlintPoly(other.modulus()) {
    nmod_poly_set(poly_, other.poly_);
  }
  FlintPoly(FlintPoly&& other) noexcept : FlintPoly(other.modulus()) { swap(other); }
  FlintPoly& operator=(FlintPoly other) noexcept {
    swap(other);
    return *this;
  }
  ~FlintPoly() { nmod_poly_clear(poly_); }

  std::uint64_t modulus() const noexcept { return poly_->mod.n; }
  /// The degree; -1 for the polynomial 0.
  long degree() const { return nmod_poly_degree(poly_); }
  bool is_zero() const { return degree() < 0; }
  /// Returns the irreducible factors, each once.
  std::vector<FlintPoly> factors() const {
    nmod_poly_factor_t found;
    nmod_poly_factor_init(found);
    nmod_poly_factor(found, poly_);
    std::vector<FlintPoly> result(static_cast<std::size_t>(found->num), FlintPoly(modulus()));
    for (std::size_t i = 0; i < result.size(); ++i) nmod_poly_set(result[i].poly_, found->p + i);
    nmod_poly_factor_clear(found);
    return result;
  }
  bool is_irreducible() const { return nmod_poly_is_irreducible(poly_) != 0; }
  std::uint64_t operator[](std::size_t i) const {
    return nmod_poly_get_coeff_ui(poly_, static_cast<slong>(i));
  }
  void set(std::size_t i, std::uint64_t value) {
    nmod_poly_set_coeff_ui(poly_, static_cast<slong>(i), value % modulus());
  }
  template <typename T = std::uint64_t>
  std::vector<T> coefficients(std::size_t count) const {
    std::vector<T> result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<T>((*this)[i]);
    return result;
  }

  std::uint64_t evaluate(std::uint64_t x) const {
    return nmod_poly_evaluate_nmod(poly_, x % modulus());
  }
  std::vector<std::uint64_t> evaluate(const std::vector<std::uint64_t>& points) const {
    std::vector<std::uint64_t> values(points.size());
    nmod_poly_evaluate_nmod_vec_fast(values.data(), poly_, points.data(),
                                     static_cast<slong>(points.size()));
    return values;
  }

  friend FlintPoly operator+(const FlintPoly& a, const FlintPoly& b) {
    FlintPoly result(a.modulus());
    nmod_poly_add(result.poly_, a.poly_, b.poly_);
    return result;
  }
  friend FlintPoly operator*(const FlintPoly& a, const FlintPoly& b) {
    FlintPoly result(a.modulus());
    nmod_poly_mul(result.poly_, a.poly_, b.poly_);
    return result;
  }
  friend FlintPoly operator%(const FlintPoly& a, const FlintPoly& b) {
    FlintPoly result(a.modulus());
    nmod_poly_rem(result.poly_, a.poly_, b.poly_);
    return result;
  }
  friend bool operator==(const FlintPoly& a, const FlintPoly& b) {
    return nmod_poly_equal(a.poly_, b.poly_) != 0;
  }
  /// this(X^g), modulo `divisor`, for a divisor of X^m - 1.
  FlintPoly substitute_power(std::uint64_t g, std::uint64_t m, const FlintPoly& divisor) const {
    FlintPoly image(modulus());
    for (std::size_t i = 0; static_cast<long>(i) <= degree(); ++i) {
      const std::size_t place = i * g % m;
      image.set(place, image[place] + (*this)[i]);
    }
    return image % divisor;
  }

 private:
  void swap(FlintPoly& other) noexcept { nmod_poly_swap(poly_, other.poly_); }

  nmod_poly_t poly_;
};

}  // namespace ringlet::test
