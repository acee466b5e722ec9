// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "arith/bits.hpp"
#include "ringlet/ntt/wide.hpp"
#include "support/reference/double_words.hpp"

namespace ringlet::test {

/// The transform of WideNtt by its definition: sum_j a_j * w^(e(i) * j), by Horner and GMP.
inline DoubleWords transform_by_definition(const DoubleWords& a, const WideNtt& ntt) {
  const Mpz q(ntt.modulus());
  const Mpz root(ntt.root_of_unity());
  const int bits = std::countr_zero(a.size());
  DoubleWords result(a.size());
  Mpz point;
  Mpz value;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint64_t index = reverse_bits(i, bits);
    const bool negacyclic = ntt.ring() == WideRing::negacyclic;
    mpz_powm_ui(point.get(), root.get(), negacyclic ? 2 * index + 1 : index, q.get());
    mpz_set_ui(value.get(), 0);
    for (std::size_t j = a.size(); j-- > 0;) {
      mpz_mul(value.get(), value.get(), point.get());
      mpz_add(value.get(), value.get(), Mpz(a[j]).get());
      mpz_mod(value.get(), value.get(), q.get());
    }
    result[i] = value.words();
  }
  return result;
}

}  // namespace ringlet::test
