// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/policy.hpp"

namespace ringlet::kernels {

/// Ranges of the extended butterflies in multiples of q; proofs: docs/notes/extended_harvey.md.
struct ExtendedRanges {
  int forward;          ///< Of all four values of a forward butterfly, before and after it.
  int forward_reduced;  ///< Of the first one after its conditional subtraction.
  int forward_sum;      ///< Of a sum of two products there.
  int inverse;          ///< Of all four values of an inverse butterfly, before and after it.
  int modulus_divisor;  ///< What is proven holds for q < beta / modulus_divisor.
};

/// `floors` roundings make the quotient of a sum of two products: one if the sum is rounded, two if
/// each product is.
constexpr ExtendedRanges extended_ranges(int floors) {
  return floors == 1 ? ExtendedRanges{8, 4, 2, 2, 16} : ExtendedRanges{12, 6, 4, 3, 12};
}

/// What a policy offers to the radix-4 butterflies of extended_butterfly.hpp, besides
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

template <ExtendedPolicy A>
inline constexpr ExtendedRanges kExtendedRanges = extended_ranges(A::kExtendedFloors);

/// The least q that the extended butterflies do not take.
template <ExtendedPolicy A>
inline constexpr std::uint64_t kExtendedModulusLimit =
    (~std::uint64_t{0} >> (64 - A::kQuotientBits)) /
        static_cast<std::uint64_t>(kExtendedRanges<A>.modulus_divisor) +
    1;

}  // namespace ringlet::kernels
