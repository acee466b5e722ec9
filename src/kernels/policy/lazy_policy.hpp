// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/lazy_table.hpp"
#include "kernels/policy/policy.hpp"

namespace ringlet::kernels {

/// Constants of a modulus in all lanes, as a lazy policy wants them; LazyConstants says what they
/// are.
template <typename A>
struct LazyModulus {
  Vec<A> q;
  Vec<A> negated_half;  ///< -(q - 1)/2.
  Vec<A> rounding;
  Vec<A> centred_rounding;
  Vec<A> quotient;
  Vec<A> negated;  ///< 2^52 - q.
  Vec<A> bias;
  Vec<A> negated_count;  ///< -bias/q.
  Twiddle<A> one;        ///< The factor 1, as a fraction.
};

/// What a policy of lazy arithmetic offers to the transforms, besides VectorPolicy. Residues modulo
/// q are integers modulo 2^52 in the low bits of a lane; the bits above are meaningless until
/// low_word clears them. What is multiplied or reduced has to be in [0, 2^52) as an integer; what
/// is only added to and subtracted from may leave that range on its way. Factors are fractions
/// (TwiddleForm).
///   product(y, w, m):          y*w mod q in [0, q), nothing above bit 51
///   centred_products(y, w, m): y[i] <- y[i]*w[i] mod q in [-(q-1)/2, (q-1)/2], for arrays; several
///                              at a time, as each is a chain of long operations
///   product_from(s, y, w, m):  the same for one y, with s + (q-1)/2 added
///   reduce(x, m):              bias + x mod q, the remainder in [0, 2q)
///   reduce_from(n, x, m):      the same with -n*q in place of the bias
///   low_word(x):               x modulo 2^52
///   lane_twiddle, to_lane_stage: as in ArithmeticPolicy
///   transpose_step, store_exchanged: of eight vectors, for the stages of the inverse transform
///                              inside vectors
///   hidden(w), keep_order(...): the same values, which the compiler may not compute anew or move
template <typename A>
concept LazyPolicy = VectorPolicy<A> && requires(Vec<A> x, Vec<A> (&y)[2], Twiddle<A> (&w)[2],
                                                 LazyModulus<A> m, const LazyConstants& constants) {
  { A::kMaxRowStages } -> std::convertible_to<int>;
  { A::kLaneLayout } -> std::convertible_to<LaneLayout>;
  { A::make_modulus(constants) } -> std::same_as<LazyModulus<A>>;
  { A::product(x, w[0], m) } -> std::same_as<Vec<A>>;
  { A::centred_products(y, w, m) } -> std::same_as<void>;
  { A::product_from(x, x, w[0], m) } -> std::same_as<Vec<A>>;
  { A::reduce(x, m) } -> std::same_as<Vec<A>>;
  { A::reduce_from(x, x, m) } -> std::same_as<Vec<A>>;
  { A::low_word(x) } -> std::same_as<Vec<A>>;
};

}  // namespace ringlet::kernels
