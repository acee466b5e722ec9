// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ring/cyclotomic.hpp"
#include "support/reference/flint_integer_poly.hpp"

namespace ringlet::test {

/// p * u + e modulo (Phi_m, q) by FLINT's arithmetic of polynomials over the integers.
class WideReference {
 public:
  WideReference(const CyclotomicPolynomial& phi, const WideModulus& q)
      : word_count_(q.word_count()), phi_(phi.coefficients()), q_(to_integer(q.value())) {}

  WidePoly multiply_add(const WidePoly& p, std::span<const std::int8_t> u,
                        std::span<const std::int32_t> e) const {
    FlintIntegerPoly product = FlintIntegerPoly(p) * FlintIntegerPoly(u) % phi_;
    fmpz_poly_add(product.get(), product.get(), FlintIntegerPoly(e).get());
    return modulo_q(product);
  }
  WidePoly sum(const WidePoly& a, const WidePoly& b, bool subtract) const {
    FlintIntegerPoly result;
    (subtract ? fmpz_poly_sub : fmpz_poly_add)(result.get(), FlintIntegerPoly(a).get(),
                                               FlintIntegerPoly(b).get());
    return modulo_q(result);
  }

 private:
  WidePoly modulo_q(const FlintIntegerPoly& poly) const {
    WidePoly result(phi_.degree(), word_count_);
    for (std::size_t i = 0; i < phi_.degree(); ++i) result.set(i, to_wide(poly[i] % q_));
    return result;
  }

  std::size_t word_count_;
  FlintIntegerPoly phi_;
  Integer q_;
};

/// A uniform integer below q.
inline WideInteger random_below(const WideModulus& q, std::mt19937_64& rng) {
  const int top = q.bit_count() % 64;
  for (;;) {
    WideInteger value{};
    for (std::size_t w = 0; w < q.word_count(); ++w) value[w] = rng();
    if (top != 0) value[q.word_count() - 1] &= (std::uint64_t{1} << top) - 1;
    for (std::size_t w = kWideWords; w-- > 0;) {
      if (value[w] < q.value()[w]) return value;
      if (value[w] > q.value()[w]) break;
    }
  }
}

/// q - 1.
inline WideInteger largest_residue(const WideModulus& q) {
  WideInteger value = q.value();
  for (std::size_t w = 0; value[w]-- == 0; ++w) continue;
  return value;
}

inline WidePoly random_wide_poly(std::size_t degree, const WideModulus& q, std::mt19937_64& rng) {
  WidePoly poly(degree, q.word_count());
  for (std::size_t i = 0; i < degree; ++i) poly.set(i, random_below(q, rng));
  return poly;
}

inline WidePoly constant_wide_poly(std::size_t degree, const WideModulus& q,
                                   const WideInteger& value) {
  WidePoly poly(degree, q.word_count());
  for (std::size_t i = 0; i < degree; ++i) poly.set(i, value);
  return poly;
}

}  // namespace ringlet::test
