// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "kernels/kernel.hpp"
#include "kernels/ntt/schedule.hpp"
#include "kernels/policy/unroll.hpp"
#include "ringlet/base/export.hpp"

// A policy is one modular arithmetic on one vector width. Algorithms are templates over a policy;
// a policy has no loops over memory and an algorithm has no intrinsics.

namespace ringlet::kernels {

template <typename A>
using Vec = typename A::Vec;

/// A vector of factors known in advance with their quotients floor(w * beta / q).
template <typename A>
struct Twiddle {
  Vec<A> operand;
  Vec<A> quotient;
};

/// The modulus and its double in all lanes. `negated` is what the policy's own function of that
/// name returns: its multiplication uses it instead of q.
template <typename A>
struct Mod {
  Vec<A> q;
  Vec<A> two_q;
  Vec<A> negated;
};

/// log2 of a power of two.
constexpr int log2_of(int power) { return power == 1 ? 0 : 1 + log2_of(power / 2); }

/// Every policy offers these. A Vec holds 2^kLogLanes words.
///   load_partial(p, n), store_partial(p, x, n): the first n < 2^kLogLanes words; other lanes are
///                       loaded as 0
///   reduce_once(x, c):  x in [0, 2c) -> x mod c in [0, c)
template <typename A>
concept VectorPolicy = requires(Vec<A> x, Vec<A> y, const std::uint64_t* from, std::uint64_t* to,
                                std::uint64_t word, std::size_t n) {
  { A::kLogLanes } -> std::convertible_to<int>;
  { A::load(from) } -> std::same_as<Vec<A>>;
  { A::load_partial(from, n) } -> std::same_as<Vec<A>>;
  { A::store(to, x) } -> std::same_as<void>;
  { A::store_partial(to, x, n) } -> std::same_as<void>;
  { A::broadcast(word) } -> std::same_as<Vec<A>>;
  { A::add(x, y) } -> std::same_as<Vec<A>>;
  { A::sub(x, y) } -> std::same_as<Vec<A>>;
  { A::reduce_once(x, y) } -> std::same_as<Vec<A>>;
};

/// A policy offers these to the transforms, besides VectorPolicy; beta = 2^kQuotientBits.
///   mul_lazy(y, w, m):  y in [0, min(beta, 4q)) -> y*w mod q in [0, 2q), for q < kNttModulusLimit
///   lane_twiddle<v>(p), to_lane_stage<v>(a, b), from_lane_stage<v>(a, b): twiddles of stage v
///     inside vectors as kLaneLayout orders them, and the permutations before and after it, such
///     that the partners of its butterflies are in the same lane of a pair of vectors;
///     v = kLogLanes restores the natural order, and `from` undoes `to`.
template <typename A>
concept ArithmeticPolicy =
    VectorPolicy<A> && requires(Vec<A> x, Twiddle<A> w, Mod<A> m, std::uint64_t word) {
      { A::kQuotientBits } -> std::convertible_to<int>;
      { A::kMaxRowStages } -> std::convertible_to<int>;
      { A::kNttModulusLimit } -> std::convertible_to<std::uint64_t>;
      { A::kLaneLayout } -> std::convertible_to<LaneLayout>;
      { A::negated(word) } -> std::same_as<std::uint64_t>;
      { A::mul_lazy(x, w, m) } -> std::same_as<Vec<A>>;
    };

/// A vector of one factor that is the same for a whole call, with the quotient that the policy
/// makes of it.
template <typename A>
struct Factor {
  Vec<A> operand;
  Vec<A> quotient;
};

/// A policy offers these to the comparisons, besides VectorPolicy:
///   add_where<c>(x, y, b, s): x + s in the lanes where y compares with b as c says (unsigned
///                             words), x in the others
template <typename A>
concept ComparingPolicy = VectorPolicy<A> && requires(Vec<A> x) {
  { A::template add_where<Comparison::less>(x, x, x, x) } -> std::same_as<Vec<A>>;
};

/// A policy offers these to the element-wise kernels, besides VectorPolicy; all for q from 2 to
/// kMultiplyModulusLimit - 1, prime or not, with x, y in [0, q).
///   make_barrett(e):       constants of q for the functions below, among them q and 2q
///   make_factor(w, v):     w in [0, q), v = floor(w * 2^64 / q)
///   mul(x, y, b):          -> x*y mod q in [0, kProductRange*q), kProductRange = 1, 2 or 3
///   mul_factor(x, w, b):   -> x*w mod q in the same range
/// and, for the operation `reduce`:
///   reduce_word(x, b):     any 64-bit x -> x mod q in [0, kWordRange*q), kWordRange = 1 to 4
template <typename A>
concept ElementwisePolicy =
    VectorPolicy<A> && requires(Vec<A> x, Vec<A> y, typename A::Barrett b, Factor<A> f,
                                const EltwiseArguments& arguments, std::uint64_t word) {
      { A::kMultiplyModulusLimit } -> std::convertible_to<std::uint64_t>;
      { A::kProductRange } -> std::convertible_to<int>;
      { A::make_barrett(arguments) } -> std::same_as<typename A::Barrett>;
      { A::make_factor(word, word) } -> std::same_as<Factor<A>>;
      { A::mul(x, y, b) } -> std::same_as<Vec<A>>;
      { A::mul_factor(x, f, b) } -> std::same_as<Vec<A>>;
      { b.q } -> std::convertible_to<Vec<A>>;
      { b.two_q } -> std::convertible_to<Vec<A>>;
    };

/// A policy that also reduces whole words.
template <typename A>
concept WordReducingPolicy = ElementwisePolicy<A> && requires(Vec<A> x, typename A::Barrett b) {
  { A::kWordRange } -> std::convertible_to<int>;
  { A::reduce_word(x, b) } -> std::same_as<Vec<A>>;
};

/// A policy with a cheaper way to reduce words for some q:
///   has_short_quotient(q):    is q one of them?
///   reduce_word_short(x, b):  as reduce_word, in [0, kShortWordRange*q)
template <typename A>
concept ShortQuotientPolicy =
    WordReducingPolicy<A> && requires(Vec<A> x, typename A::Barrett b, std::uint64_t q) {
      { A::kShortWordRange } -> std::convertible_to<int>;
      { A::has_short_quotient(q) } -> std::same_as<bool>;
      { A::reduce_word_short(x, b) } -> std::same_as<Vec<A>>;
    };

/// A policy whose products take operands that are not reduced. With n the number of bits of q:
///   mul_ranges<kX, kY>(x, y, b): x in [0, kX*q), y in [0, kY*q), kX >= kY powers of two up to 4
///                                with n + log2(kX*kY) <= kProductBits -> as mul
template <typename A>
concept RangeProductPolicy = ElementwisePolicy<A> && requires(Vec<A> x, typename A::Barrett b) {
  { A::kProductBits } -> std::convertible_to<int>;
  { A::template mul_ranges<2, 1>(x, x, b) } -> std::same_as<Vec<A>>;
};

/// A RangeProductPolicy with products by a longer quotient and with a larger range of results:
///   mul_unreduced<kX, kY>(x, y, b):   n + log2(kX*kY) <= kUnreducedProductBits
///                                     -> x*y mod q in [0, kUnreducedProductRange*q)
/// If there is a kReducedOperandBits, then moduli of that many bits, the largest, take
/// mul_unreduced<1, 1> in place of mul and mul_ranges.
template <typename A>
concept UnreducedProductPolicy =
    RangeProductPolicy<A> && requires(Vec<A> x, typename A::Barrett b) {
      { A::kUnreducedProductBits } -> std::convertible_to<int>;
      { A::kUnreducedProductRange } -> std::convertible_to<int>;
      { A::template mul_unreduced<2, 2>(x, x, b) } -> std::same_as<Vec<A>>;
    };

/// An UnreducedProductPolicy that also takes operands of a whole word of kLongOperandBits bits:
///   mul_long(x, y, b):   x, y < 2^kLongOperandBits -> x*y mod q in [0, kUnreducedProductRange*q)
template <typename A>
concept LongProductPolicy = UnreducedProductPolicy<A> && requires(Vec<A> x, typename A::Barrett b) {
  { A::kLongOperandBits } -> std::convertible_to<int>;
  { A::mul_long(x, x, b) } -> std::same_as<Vec<A>>;
};

/// A policy whose products by a factor take operands that are not reduced:
///   mul_factor_range(x, w, b):   x < 2^kFactorOperandBits -> as mul_factor
template <typename A>
concept RangeFactorPolicy =
    ElementwisePolicy<A> && requires(Vec<A> x, Factor<A> w, typename A::Barrett b) {
      { A::kFactorOperandBits } -> std::convertible_to<int>;
      { A::mul_factor_range(x, w, b) } -> std::same_as<Vec<A>>;
    };

/// A policy that has a cheaper product by a factor with a larger range, for results that are added
/// to unreduced operands:
///   mul_factor_lazy(x, w, b):    as mul_factor_range, q of up to kLazyFactorBits bits
///                                -> x*w mod q in [0, kLazyFactorRange*q)
template <typename A>
concept LazyFactorPolicy =
    RangeFactorPolicy<A> && requires(Vec<A> x, Factor<A> w, typename A::Barrett b) {
      { A::kLazyFactorBits } -> std::convertible_to<int>;
      { A::kLazyFactorRange } -> std::convertible_to<int>;
      { A::mul_factor_lazy(x, w, b) } -> std::same_as<Vec<A>>;
    };

/// A policy that has another product by a factor, cheaper if nothing is added to the result:
///   mul_factor_word(x, w, b):    any 64-bit x -> x*w mod q in [0, kFactorWordRange*q)
template <typename A>
concept WordFactorPolicy =
    RangeFactorPolicy<A> && requires(Vec<A> x, Factor<A> w, typename A::Barrett b) {
      { A::kFactorWordRange } -> std::convertible_to<int>;
      { A::mul_factor_word(x, w, b) } -> std::same_as<Vec<A>>;
    };

template <typename A>
inline constexpr std::size_t kLanes = std::size_t{1} << A::kLogLanes;

template <ArithmeticPolicy A>
RINGLET_INLINE Mod<A> broadcast_modulus(std::uint64_t q) {
  return {A::broadcast(q), A::broadcast(2 * q), A::broadcast(A::negated(q))};
}

/// The pair (twiddle, quotient) at `pair`, in all lanes.
template <VectorPolicy A>
RINGLET_INLINE Twiddle<A> broadcast_twiddle(const std::uint64_t* pair) {
  return {A::broadcast(pair[0]), A::broadcast(pair[1])};
}

}  // namespace ringlet::kernels
