// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Polynomials over GF(2) for precomputation: the coefficient of X^(64w + b) is bit b of word w.
// Not constant time, except for add_shifted.

namespace ringlet::binary {

using Words = std::vector<std::uint64_t>;

/// Returns the words for `bits` coefficients.
constexpr std::size_t word_count(std::size_t bits) noexcept { return (bits + 63) / 64; }

inline bool bit(std::span<const std::uint64_t> a, std::size_t i) noexcept {
  return (a[i / 64] >> (i % 64) & 1) != 0;
}
inline void flip(std::span<std::uint64_t> a, std::size_t i) noexcept {
  a[i / 64] ^= std::uint64_t{1} << (i % 64);
}

/// Returns one more than the degree; 0 for the polynomial 0.
std::size_t length(std::span<const std::uint64_t> a) noexcept;

/// a += b * X^shift, for an a with room for the result. Constant time in the coefficients.
void add_shifted(std::span<std::uint64_t> a, std::span<const std::uint64_t> b, std::size_t shift);

/// Reduces a modulo f, which is not 0.
void reduce(Words& a, const Words& f);

/// Returns a / f without the remainder; f is not 0.
Words quotient(Words a, const Words& f);

/// Returns the greatest common divisor; 0 for a = b = 0.
Words gcd(Words a, Words b);

/// Returns whether a precedes b in lexicographic order, coefficients of high powers first.
bool precedes(const Words& a, const Words& b);

/// Returns the monic polynomial f = X^d + ... of smallest degree with
/// f_0*s_i + f_1*s_(i+1) + ... + f_d*s_(i+d) = 0 for all i. The sequence has such a relation of
/// degree at most count/2 (Massey, "Shift-register synthesis and BCH decoding", 1969).
Words minimal_relation(std::span<const std::uint8_t> sequence);

/// Returns the coefficients of X^-1, X^-2, ... of the quotient of power series r/f, for a
/// polynomial r of smaller degree than f: one byte 0 or 1 each. They are Tr(c * x^i), i = 0, 1,
/// ..., for the root x of f and some c.
std::vector<std::uint8_t> recurring_sequence(Words r, const Words& f, std::size_t count);

/// Returns the formal derivative.
Words derivative(const Words& f);

}  // namespace ringlet::binary
