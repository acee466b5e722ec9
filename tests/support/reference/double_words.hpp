// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>

#include "arith/bits.hpp"
#include "kernels/select.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/ntt/wide.hpp"
#include "support/reference/gmp.hpp"

// Double words for tests: values, and GMP as an oracle.

namespace ringlet::test {

/// Elements as pairs (low word, high word).
using DoubleWords = std::vector<DoubleWord>;

inline mpz_class to_mpz(const WideModulus& q) { return to_mpz(q.value()); }

/// The negacyclic or cyclic product of two polynomials, by one product of integers in which each
/// coefficient has five words.
inline DoubleWords product_by_gmp(const DoubleWords& a, const DoubleWords& b, const WideModulus& q,
                                  WideRing ring) {
  using Slots = std::vector<std::array<std::uint64_t, 5>>;
  const auto joined = [](const DoubleWords& values) {
    Slots slots;
    for (const DoubleWord& x : values) slots.push_back({x[0], x[1]});
    mpz_class result;
    mpz_import(result.get_mpz_t(), 5 * slots.size(), -1, 8, 0, 0, slots.data());
    return result;
  };
  const mpz_class product = joined(a) * joined(b);
  Slots slots(2 * a.size());
  mpz_export(slots.data(), nullptr, -1, 8, 0, 0, product.get_mpz_t());
  DoubleWords result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const mpz_class high = to_mpz(slots[i + a.size()]);
    const mpz_class sum = to_mpz(slots[i]) + (ring == WideRing::cyclic ? high : mpz_class(-high));
    result.push_back(to_words<2>(modulo(sum, to_mpz(q))));
  }
  return result;
}

/// q - small.
inline DoubleWord less_than_modulus(const WideModulus& q, std::uint64_t small) {
  const WideInteger& v = q.value();
  return {v[0] - small, v[1] - (v[0] < small ? 1 : 0)};
}

/// 0, 1, q - 1 and values around carries between words and limbs of 28, 52 and 64 bits, if they are
/// below q.
inline DoubleWords edge_elements(const WideModulus& q) {
  DoubleWords values = {{0, 0}, {1, 0}, less_than_modulus(q, 1), less_than_modulus(q, 2)};
  for (const int bit : {28, 31, 52, 56, 63, 64, 84, 103, 104, 112, 123}) {
    const DoubleWord power = bit < 64 ? DoubleWord{std::uint64_t{1} << bit, 0}
                                      : DoubleWord{0, std::uint64_t{1} << (bit - 64)};
    const DoubleWord less = {power[0] - 1, power[1] - (power[0] == 0 ? 1 : 0)};
    values.insert(values.end(), {power, less});
  }
  values.push_back({~std::uint64_t{0}, 0});
  values.push_back({~std::uint64_t{0}, q.value()[1] / 2});
  values.push_back({0, q.value()[1]});
  std::erase_if(values, [&](const DoubleWord& x) {
    return std::pair(x[1], x[0]) >= std::pair(q.value()[1], q.value()[0]);
  });
  return values;
}

/// Uniform residues.
inline DoubleWords random_elements(std::size_t count, const WideModulus& q, std::mt19937_64& rng) {
  DoubleWords values(count);
  const int top = q.bit_count() - 64;
  const std::uint64_t low_mask =
      q.bit_count() >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << q.bit_count()) - 1;
  const std::uint64_t high_mask = top > 0 ? (std::uint64_t{1} << top) - 1 : 0;
  for (DoubleWord& x : values) {
    do {
      x = {rng() & low_mask, rng() & high_mask};
    } while (std::pair(x[1], x[0]) >= std::pair(q.value()[1], q.value()[0]));
  }
  return values;
}

/// Names ("table/algorithm") of the kernels of double words that this processor runs and that take
/// q. The environment may restrict them.
inline std::vector<std::string> wide_kernel_names(const WideModulus& q) {
  const KernelSelection& forced = KernelSelection::from_environment();
  std::vector<std::string> names;
  for (const auto& chosen : kernels::wide_kernels(q.value().data())) {
    if (!forced.table().empty() && forced.table() != chosen.kernel->table) continue;
    if (!forced.algorithm().empty() && forced.algorithm() != chosen.kernel->algorithm) continue;
    names.push_back(chosen.name());
  }
  return names;
}

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
