// SPDX-License-Identifier: Apache-2.0
#include "schemes/noise.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/declassify.hpp"
#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/aligned.hpp"

namespace ringlet::schemes {
namespace {

__extension__ using Uint128 = unsigned __int128;
using Number = SecretVector<std::uint64_t>;  // little-endian words

// sum += factor * addend.
void add_multiple(Number& sum, const std::vector<std::uint64_t>& addend, std::uint64_t factor) {
  Uint128 carry = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    carry += sum[i];
    if (i < addend.size()) carry += Uint128{factor} * addend[i];
    sum[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

// Returns -1, 0 or 1.
int compare(const Number& a, const Number& b) {
  for (std::size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

// Returns a - b for a >= b.
Number difference(const Number& a, const Number& b) {
  Number result(a.size());
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Uint128 d = Uint128{a[i]} - b[i] - borrow;
    result[i] = static_cast<std::uint64_t>(d);
    borrow = static_cast<std::uint64_t>(d >> 64) & 1;
  }
  return result;
}

int bit_count(const Number& a) {
  for (std::size_t i = a.size(); i-- > 0;) {
    if (a[i] != 0) return static_cast<int>(64 * i) + std::bit_width(a[i]);
  }
  return 0;
}

/// Q/q_i as a number and its inverse modulo q_i.
struct CrtTerm {
  std::vector<std::uint64_t> cofactor;
  std::uint64_t inverse;
};

std::vector<CrtTerm> crt_terms(const ContextData& level) {
  const auto primes = level.coeff_modulus();
  std::vector<CrtTerm> terms;
  for (std::size_t i = 0; i < primes.size(); ++i) {
    CrtTerm term{{1}, 1};
    for (std::size_t j = 0; j < primes.size(); ++j) {
      if (j == i) continue;
      Uint128 carry = 0;
      for (std::uint64_t& word : term.cofactor) {
        carry += Uint128{word} * primes[j].value();
        word = static_cast<std::uint64_t>(carry);
        carry >>= 64;
      }
      term.cofactor.push_back(static_cast<std::uint64_t>(carry));
      term.inverse = primes[i].multiply(term.inverse, primes[i].reduce(primes[j].value()));
    }
    term.inverse = inverse_mod(term.inverse, primes[i]);
    terms.push_back(std::move(term));
  }
  return terms;
}

}  // namespace

int centred_bit_count(const ContextData& level, ConstResidueView poly) {
  const std::vector<CrtTerm> terms = crt_terms(level);
  const auto primes = level.coeff_modulus();
  // One word more than q has: the sum of the terms is below prime_count() * q.
  Number q(level.total_coeff_modulus().begin(), level.total_coeff_modulus().end());
  q.push_back(0);
  int largest = 0;
  for (std::size_t n = 0; n < poly.degree; ++n) {
    Number value(q.size());
    for (std::size_t i = 0; i < primes.size(); ++i) {
      add_multiple(value, terms[i].cofactor, primes[i].multiply(poly.limb(i)[n], terms[i].inverse));
    }
    while (compare(value, q) >= 0) value = difference(value, q);
    const Number negative = difference(q, value);
    largest = std::max(largest, bit_count(compare(value, negative) <= 0 ? value : negative));
  }
  return static_cast<int>(declassify(static_cast<std::uint64_t>(largest)));
}

}  // namespace ringlet::schemes
