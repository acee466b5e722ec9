// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmpxx.h>

#include "ringlet/arith/modular.hpp"
#include "support/test.hpp"

// Conversions between words and integers of GMP.

namespace ringlet::test {

inline mpz_class power_of_two(int exponent) {
  return mpz_class(1) << static_cast<mp_bitcnt_t>(exponent);
}

template <std::size_t N>
mpz_class to_mpz(const std::array<std::uint64_t, N>& words) {
  mpz_class result;
  mpz_import(result.get_mpz_t(), N, -1, sizeof words[0], 0, 0, words.data());
  return result;
}
inline mpz_class to_mpz(uint128_t x) {
  return to_mpz(std::array{static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(x >> 64)});
}

/// The words of a value in [0, 2^(64 N)).
template <std::size_t N>
std::array<std::uint64_t, N> to_words(const mpz_class& x) {
  std::array<std::uint64_t, N> words{};
  mpz_export(words.data(), nullptr, -1, sizeof words[0], 0, 0, x.get_mpz_t());
  return words;
}

/// x modulo q in [0, q), also for negative x.
inline mpz_class modulo(const mpz_class& x, const mpz_class& q) {
  mpz_class result;
  mpz_mod(result.get_mpz_t(), x.get_mpz_t(), q.get_mpz_t());
  return result;
}

inline mpz_class power_modulo(const mpz_class& x, std::uint64_t exponent, const mpz_class& q) {
  mpz_class result;
  mpz_powm_ui(result.get_mpz_t(), x.get_mpz_t(), exponent, q.get_mpz_t());
  return result;
}

}  // namespace ringlet::test
