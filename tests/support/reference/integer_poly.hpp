// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/reference/big_integer.hpp"
#include "support/reference/flint_integer_poly.hpp"
#include "support/test.hpp"

// Polynomials modulo X^N + 1 over the integers, by GMP and FLINT.

namespace ringlet::test {

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
  Integers poly;
  while (poly.size() < degree) {
    const Integer bit(rng() % 2);
    const std::array edges{bit, modulus - Integer(1) - bit, (modulus >> 1) + bit};
    const std::size_t kind = rng() % 8;
    poly.push_back(kind < edges.size() ? edges[kind] % modulus : random_integer(modulus, rng));
  }
  return poly;
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
