// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>

#include "kernels/policy/policy.hpp"

// Sums of many products with one reduction at the end. Derivation: docs/notes/accumulators.md.

namespace ringlet::kernels {

/// Constants of the reduction of a sum: q and floor(2^(2B) / q) in two words of B = 64 or 52 bits.
template <typename A>
struct AccumulatorReduction {
  Vec<A> quotient_high;  ///< floor(2^B / q)
  Vec<A> quotient_low;   ///< the B bits below
  Vec<A> q;
  Vec<A> two_q;
};

/// Lanes of sums of products over an arithmetic; for q from 2 to kModulusLimit - 1, or
/// kDotModulusLimit - 1 in sums over the words of a vector, prime or not.
///   max_terms(q):        how many products fit on top of start(x), at least 2; public
///   start(x):            the sum of x, x in [0, q), and no product
///   accumulate(s, x, y): s + x*y, for x, y in [0, q); x may be in [0, f*q) for f = 2 or 4 if
///                        f*q <= 2^kOperandBits and max_terms(q) >= f, and counts as f terms then
///   reduce(s, r):        s mod q in [0, kRange*q), kRange = 1 or 4
/// kVectors says how many vectors a loop works on at once, so that the latency of one accumulation
/// is hidden behind the others.
template <typename S>
concept AccumulatorPolicy =
    VectorPolicy<typename S::Arithmetic> &&
    requires(Vec<typename S::Arithmetic> x, typename S::Sum sum, std::uint64_t q,
             typename S::Reduction reduction, const EltwiseArguments& arguments) {
      { S::kModulusLimit } -> std::convertible_to<std::uint64_t>;
      { S::kDotModulusLimit } -> std::convertible_to<std::uint64_t>;
      { S::kOperandBits } -> std::convertible_to<int>;
      { S::kRange } -> std::convertible_to<int>;
      { S::kVectors } -> std::convertible_to<int>;
      { S::max_terms(q) } -> std::same_as<std::size_t>;
      { S::start(x) } -> std::same_as<typename S::Sum>;
      { S::accumulate(sum, x, x) } -> std::same_as<typename S::Sum>;
      { S::make_reduction(arguments) } -> std::same_as<typename S::Reduction>;
      { S::reduce(sum, reduction) } -> std::same_as<Vec<typename S::Arithmetic>>;
      { reduction.q } -> std::convertible_to<Vec<typename S::Arithmetic>>;
      { reduction.two_q } -> std::convertible_to<Vec<typename S::Arithmetic>>;
    };

/// Sums that hold as many products as a call has, because their parts move on before they are full.
/// They are reduced once, word by word. A LongSum has a Sum `words` and the part above it.
///   max_terms(q):    how many products fit between two calls of carry_cross
///   kCarries:        how many calls of carry_cross fit between two of carry_high
///   kLongTerms:      how many products fit a LongSum; few enough for tests to exceed it
///   carry_cross(s), carry_high(s): move the part of s that may be full to the next one
///   total(sums, e):  the sum of all lanes of kVectors sums, after a carry_cross and up to one
///                    product each, modulo e.q
template <typename S>
concept LongSumPolicy = AccumulatorPolicy<S> &&
                        requires(typename S::LongSum& sum, typename S::LongSum (&sums)[S::kVectors],
                                 const EltwiseArguments& arguments) {
                          { S::kCarries } -> std::convertible_to<int>;
                          { S::kLongTerms } -> std::convertible_to<std::size_t>;
                          { sum.words } -> std::convertible_to<typename S::Sum>;
                          { S::carry_cross(sum) } -> std::same_as<void>;
                          { S::carry_high(sum) } -> std::same_as<void>;
                          { S::total(sums, arguments) } -> std::same_as<std::uint64_t>;
                        };

/// The constants for words of 64 bits.
template <VectorPolicy A>
RINGLET_INLINE AccumulatorReduction<A> make_accumulator_reduction(const EltwiseArguments& e) {
  return {A::broadcast(e.ratio.high), A::broadcast(e.ratio.low), A::broadcast(e.q),
          A::broadcast(2 * e.q)};
}

/// 2^min(log_terms, log_limit): the number of terms as a power of two.
RINGLET_INLINE constexpr std::size_t power_of_terms(int log_terms, int log_limit) {
  return std::size_t{1} << (log_terms < log_limit ? log_terms : log_limit);
}

RINGLET_INLINE constexpr int bit_count(std::uint64_t q) { return 64 - __builtin_clzll(q); }

}  // namespace ringlet::kernels
