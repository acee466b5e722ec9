// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flint/fmpz_poly.h>

#include "ringlet/fv/wide_poly.hpp"
#include "support/reference/big_integer.hpp"
#include "support/test.hpp"

namespace ringlet::test {

inline Integer to_integer(const WideInteger& value) {
  Integer result;
  mpz_import(result.get(), value.size(), -1, sizeof(std::uint64_t), 0, 0, value.data());
  return result;
}

/// Converts an integer below 2^192.
inline WideInteger to_wide(const Integer& value) {
  WideInteger result{};
  mpz_export(result.data(), nullptr, -1, sizeof(std::uint64_t), 0, 0, value.get());
  return result;
}

/// A polynomial over the integers, by FLINT.
class FlintIntegerPoly {
 public:
  FlintIntegerPoly() { fmpz_poly_init(poly_); }
  /// Makes a polynomial from signed or unsigned words.
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
  /// The first coefficients, which must fit a signed word.
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

// Polynomials modulo X^N + 1.

/// a * b modulo X^N + 1, by FLINT.
inline Integers negacyclic_product(const Integers& a, const Integers& b) {
  const FlintIntegerPoly product = FlintIntegerPoly(a) * FlintIntegerPoly(b);
  Integers result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(product[i] - product[i + a.size()]);
  return result;
}

inline Integers sum_of(const Integers& a, const Integers& b) {
  Integers result;
  for (std::size_t n = 0; n < a.size(); ++n) result.push_back(a[n] + b[n]);
  return result;
}

/// The polynomials whose entry k is the sum of a_i * b_j over i + j = k.
inline std::vector<Integers> tensor_of(const std::vector<Integers>& a,
                                       const std::vector<Integers>& b) {
  std::vector<Integers> product(a.size() + b.size() - 1, Integers(a[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      product[i + j] = sum_of(product[i + j], negacyclic_product(a[i], b[j]));
    }
  }
  return product;
}

/// Uniform coefficients modulo `modulus`, and edges: 0, 1, q - 1 and the neighbours of q/2.
inline Integers random_integers(std::size_t degree, const Integer& modulus, std::mt19937_64& rng) {
  Integers poly;
  while (poly.size() < degree) {
    const Integer bit(rng() % 2);
    const std::array edges{bit, modulus - Integer(1) - bit, (modulus >> 1) + bit};
    const std::size_t kind = rng() % 8;
    poly.push_back(kind < edges.size() ? edges[kind] % modulus : random_integer(modulus, rng));
  }
  return poly;
}

/// The number of significant bits of the largest value.
inline int largest_bits(const Integers& values) {
  std::size_t bits = 0;
  for (const Integer& value : values) {
    if (mpz_sgn(value.get()) != 0) bits = std::max(bits, mpz_sizeinbase(value.get(), 2));
  }
  return static_cast<int>(bits);
}

}  // namespace ringlet::test
