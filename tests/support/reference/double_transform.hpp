// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arith/bits.hpp"
#include "ringlet/ntt/wide.hpp"
#include "support/reference/double_words.hpp"

namespace ringlet::test {

/// The transform of WideNtt by its definition: sum_j a_j * w^(e(i) * j), by Horner and GMP.
inline DoubleWords transform_by_definition(const DoubleWords& a, const WideNtt& ntt) {
  const mpz_class q = to_mpz(ntt.modulus());
  const int bits = std::countr_zero(a.size());
  DoubleWords result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint64_t index = reverse_bits(i, bits);
    const bool negacyclic = ntt.ring() == WideRing::negacyclic;
    const mpz_class point =
        power_modulo(to_mpz(ntt.root_of_unity()), negacyclic ? 2 * index + 1 : index, q);
    mpz_class value;
    for (std::size_t j = a.size(); j-- > 0;) value = (value * point + to_mpz(a[j])) % q;
    result.push_back(to_words<2>(value));
  }
  return result;
}

}  // namespace ringlet::test
