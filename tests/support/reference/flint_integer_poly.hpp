// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flint/fmpz_poly.h>

#include "ringlet/arith/wide_modulus.hpp"
#include "ringlet/fv/wide_poly.hpp"
#include "support/reference/big_integer.hpp"
#include "support/test.hpp"

namespace ringlet::test {

inline Integer to_integer(const WideInteger& value) {
  Integer result;
  mpz_import(result.get(), value.size(), -1, sizeof(std::uint64_t), 0, 0, value.data());
  return result;
}

/// Of an integer below 2^192.
inline WideInteger to_wide(const Integer& value) {
  WideInteger result{};
  mpz_export(result.data(), nullptr, -1, sizeof(std::uint64_t), 0, 0, value.get());
  return result;
}

/// A polynomial over the integers, by FLINT.
class FlintIntegerPoly {
 public:
  FlintIntegerPoly() { fmpz_poly_init(poly_); }
  /// Of signed or unsigned words.
  template <typename Word>
  explicit FlintIntegerPoly(std::span<const Word> values) : FlintIntegerPoly() {
    for (std::size_t i = values.size(); i-- > 0;) {
      if constexpr (std::is_signed_v<Word>) {
        fmpz_poly_set_coeff_si(poly_, static_cast<slong>(i), values[i]);
      } else {
        fmpz_poly_set_coeff_ui(poly_, static_cast<slong>(i), values[i]);
      }
    }
  }
  explicit FlintIntegerPoly(const Integers& values) : FlintIntegerPoly() {
    for (std::size_t i = values.size(); i-- > 0;) set(i, values[i]);
  }
  explicit FlintIntegerPoly(const WidePoly& values) : FlintIntegerPoly() {
    for (std::size_t i = values.degree(); i-- > 0;) set(i, to_integer(values[i]));
  }
  static FlintIntegerPoly cyclotomic(std::uint64_t m) {
    FlintIntegerPoly result;
    fmpz_poly_cyclotomic(result.poly_, m);
    return result;
  }
  FlintIntegerPoly(const FlintIntegerPoly& other) : FlintIntegerPoly() {
    fmpz_poly_set(poly_, other.poly_);
  }
  FlintIntegerPoly& operator=(const FlintIntegerPoly& other) {
    fmpz_poly_set(poly_, other.poly_);
    return *this;
  }
  ~FlintIntegerPoly() { fmpz_poly_clear(poly_); }

  void set(std::size_t i, const Integer& value) {
    fmpz_t coefficient;
    fmpz_init(coefficient);
    fmpz_set_mpz(coefficient, value.get());
    fmpz_poly_set_coeff_fmpz(poly_, static_cast<slong>(i), coefficient);
    fmpz_clear(coefficient);
  }
  Integer operator[](std::size_t i) const {
    Integer result;
    fmpz_t coefficient;
    fmpz_init(coefficient);
    fmpz_poly_get_coeff_fmpz(coefficient, poly_, static_cast<slong>(i));
    fmpz_get_mpz(result.get(), coefficient);
    fmpz_clear(coefficient);
    return result;
  }

  std::size_t degree() const { return static_cast<std::size_t>(fmpz_poly_degree(poly_)); }
  /// The first coefficients, which fit a word with a sign.
  std::vector<std::int64_t> small_coefficients(std::size_t count) const {
    std::vector<std::int64_t> result(count);
    for (std::size_t i = 0; i < count; ++i) {
      result[i] = fmpz_poly_get_coeff_si(poly_, static_cast<slong>(i));
    }
    return result;
  }
  friend FlintIntegerPoly operator*(FlintIntegerPoly a, const FlintIntegerPoly& b) {
    fmpz_poly_mul(a.poly_, a.poly_, b.poly_);
    return a;
  }
  friend FlintIntegerPoly operator%(FlintIntegerPoly a, const FlintIntegerPoly& b) {
    fmpz_poly_rem(a.poly_, a.poly_, b.poly_);
    return a;
  }

  fmpz_poly_struct* get() { return poly_; }
  const fmpz_poly_struct* get() const { return poly_; }

 private:
  fmpz_poly_t poly_;
};

}  // namespace ringlet::test
