// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/policy.hpp"

namespace ringlet::kernels {

/// Ranges of the extended butterflies in multiples of q; proofs: docs/notes/extended_harvey.md.
struct ExtendedRanges {
  int forward;          ///< Of all four values of a forward butterfly, before and after it.
  int forward_reduced;  ///< Of the first value after its conditional subtraction.
  int forward_sum;      ///< Of a sum of two products in a forward butterfly.
  int inverse;          ///< Of all four values of an inverse butterfly, before and after it.
  int modulus_divisor;  ///< The ranges hold for q < beta / modulus_divisor.
};

/// `floors` roundings make the quotient of a sum of two products: one if the sum is rounded, two if
/// each product is.
constexpr ExtendedRanges extended_ranges(int floors) {
  return floors == 1 ? ExtendedRanges{8, 4, 2, 2, 16} : ExtendedRanges{12, 6, 4, 3, 12};
}

/// A policy offers these to the radix-4 butterflies of extended_butterfly.hpp, besides
/// ArithmeticPolicy, whose mul_lazy takes any y < beta here:
///   kExtendedFloors:             see extended_ranges
///   mul_sum_lazy(y, v, t, w, m): y*v + t*w mod q by one quotient: with u the larger of y and t,
///                                below (kExtendedFloors + 2u / beta) q
/// Source: Bradbury et al., "NTT software optimization using an extended Harvey butterfly",
/// Theorem 2, for one rounding.
template <typename A>
concept ExtendedPolicy = ArithmeticPolicy<A> && requires(Vec<A> x, Twiddle<A> w, Mod<A> m) {
  { A::kExtendedFloors } -> std::convertible_to<int>;
  { A::mul_sum_lazy(x, w, x, w, m) } -> std::same_as<Vec<A>>;
};

/// A policy that reduces any word in one step:
///   reduce_lazy(x, ratio, m): x < beta -> x mod q in [0, 2q), ratio = floor(beta / q)
template <typename A>
concept WordExtendedPolicy = ExtendedPolicy<A> && requires(Vec<A> x, Mod<A> m) {
  { A::reduce_lazy(x, x, m) } -> std::same_as<Vec<A>>;
};

/// Four vectors of a radix-4 butterfly.
template <typename A>
struct Quad {
  Vec<A> x;
  Vec<A> y;
  Vec<A> z;
  Vec<A> t;
};

/// What an ExtendedPolicy of two lanes and one floor may also offer, for the last two stages. There
/// a radix-4 butterfly is in four consecutive words, and products may take pairs of them without
/// exchanges. r0 and r1 hold the words (x, y) and (z, t) of one butterfly, r2 and r3 those of its
/// neighbour; the results have a lane for each butterfly. It has kWordQuadWords words of factors:
/// the operands of two factors, their quotients, and so on.
///   forward_word_quads(r0, r1, r2, r3, p, m): {x, y*w2 + t*w4, z*w1, y*w3 + t*w5} with the factors
///       (w1, 0), (w2, w4) and (w3, w5) at p; all in [0, 8q) -> x as it is, the others in [0, 2q)
///   inverse_word_quads(r0, r1, r2, r3, p, m): {x+y+z+t, (x-y)*w2 + (z-t)*w3, (x+y-z-t)*w1,
///       (x-y)*w4 + (z-t)*w5} with the factors (w1, q-w1), (w2, w3) and (w4, w5) at p; all in
///       [0, 2q) -> the first in [0, 8q), the others in [0, 2q)
inline constexpr std::size_t kWordQuadWords = 12;
template <typename A>
concept WordQuadPolicy = ExtendedPolicy<A> && A::kLogLanes == 1 && A::kExtendedFloors == 1 &&
                         requires(Vec<A> r, const std::uint64_t* p, Mod<A> m) {
                           { A::forward_word_quads(r, r, r, r, p, m) } -> std::same_as<Quad<A>>;
                           { A::inverse_word_quads(r, r, r, r, p, m) } -> std::same_as<Quad<A>>;
                         };

template <ExtendedPolicy A>
inline constexpr ExtendedRanges kExtendedRanges = extended_ranges(A::kExtendedFloors);

/// The least q that the extended butterflies do not take.
template <ExtendedPolicy A>
inline constexpr std::uint64_t kExtendedModulusLimit =
    (~std::uint64_t{0} >> (64 - A::kQuotientBits)) /
        static_cast<std::uint64_t>(kExtendedRanges<A>.modulus_divisor) +
    1;

}  // namespace ringlet::kernels
