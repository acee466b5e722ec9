// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flint/fmpz_poly.h>

#include "support/big_integer.hpp"
#include "support/test.hpp"

// Polynomials modulo X^N + 1 over the integers, by GMP and FLINT.

namespace ringlet::test {

/// Coefficients of a polynomial over the integers.
using Integers = std::vector<Integer>;

/// a * b modulo X^N + 1, by FLINT.
inline Integers negacyclic_product(const Integers& a, const Integers& b) {
  const auto degree = static_cast<slong>(a.size());
  fmpz_poly_t x;
  fmpz_poly_t y;
  fmpz_t value;
  fmpz_poly_init(x);
  fmpz_poly_init(y);
  fmpz_init(value);
  for (slong i = degree; i-- > 0;) {
    fmpz_set_mpz(value, a[static_cast<std::size_t>(i)].get());
    fmpz_poly_set_coeff_fmpz(x, i, value);
    fmpz_set_mpz(value, b[static_cast<std::size_t>(i)].get());
    fmpz_poly_set_coeff_fmpz(y, i, value);
  }
  fmpz_poly_mul(x, x, y);
  Integers result(a.size());
  for (slong i = 0; i < degree; ++i) {
    fmpz_poly_get_coeff_fmpz(value, x, i);
    fmpz_get_mpz(result[static_cast<std::size_t>(i)].get(), value);
    Integer high;
    fmpz_poly_get_coeff_fmpz(value, x, i + degree);
    fmpz_get_mpz(high.get(), value);
    mpz_sub(result[static_cast<std::size_t>(i)].get(), result[static_cast<std::size_t>(i)].get(),
            high.get());
  }
  fmpz_clear(value);
  fmpz_poly_clear(y);
  fmpz_poly_clear(x);
  return result;
}

inline Integers sum_of(const Integers& a, const Integers& b) {
  Integers result(a.size());
  for (std::size_t n = 0; n < a.size(); ++n) mpz_add(result[n].get(), a[n].get(), b[n].get());
  return result;
}

/// The polynomials a_i * b_j summed where i + j agree.
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

/// Coefficients modulo `modulus`: edges (0, 1, q - 1, the neighbours of q/2) and uniform ones.
inline Integers random_integers(std::size_t degree, const Integer& modulus, std::mt19937_64& rng) {
  Integers poly(degree);
  for (Integer& value : poly) {
    switch (rng() % 8) {
      case 0:
        mpz_set_ui(value.get(), rng() % 2);
        break;
      case 1:
        mpz_sub_ui(value.get(), modulus.get(), 1 + rng() % 2);
        break;
      case 2:
        mpz_fdiv_q_2exp(value.get(), modulus.get(), 1);
        mpz_add_ui(value.get(), value.get(), rng() % 2);
        break;
      default:
        for (std::size_t w = 0; w <= mpz_sizeinbase(modulus.get(), 2) / 64; ++w) {
          mpz_mul_2exp(value.get(), value.get(), 64);
          mpz_add_ui(value.get(), value.get(), rng());
        }
    }
    mpz_fdiv_r(value.get(), value.get(), modulus.get());
  }
  return poly;
}

/// The representative of least absolute value modulo an odd number.
inline Integer centred(const Integer& value, const Integer& modulus) {
  Integer result;
  Integer twice;
  mpz_fdiv_r(result.get(), value.get(), modulus.get());
  mpz_mul_2exp(twice.get(), result.get(), 1);
  if (mpz_cmp(twice.get(), modulus.get()) > 0) {
    mpz_sub(result.get(), result.get(), modulus.get());
  }
  return result;
}

/// Significant bits of the largest one.
inline int largest_bits(const Integers& values) {
  std::size_t bits = 0;
  for (const Integer& value : values) {
    if (mpz_sgn(value.get()) != 0) bits = std::max(bits, mpz_sizeinbase(value.get(), 2));
  }
  return static_cast<int>(bits);
}

}  // namespace ringlet::test
