// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/lazy_table.hpp"
#include "kernels/policy/policy.hpp"

namespace ringlet::kernels {

/// Constants of a modulus in all lanes, as a lazy policy wants them.
template <typename A>
struct LazyModulus {
  Vec<A> q;
  Vec<A> negated;   ///< 2^52 - q: a multiply-add with it subtracts a multiple of q.
  Vec<A> centre;    ///< -q: a product that starts from it lies in [-q, q).
  Vec<A> quotient;  ///< floor(2^52 / q).
  Vec<A> bias;      ///< As in LazyConstants, and so are the multiples, one per lane.
  Vec<A> multiples;
};

/// What a policy of lazy arithmetic offers to the transforms, besides VectorPolicy. Residues modulo
/// q are integers modulo 2^52 in the low bits of a lane; the bits above are meaningless until
/// low_word clears them. What is multiplied or reduced has to be in [0, 2^52) as an integer; what
/// is only added to and subtracted from may leave that range on its way.
///   multiply(start, y, w, m):  start + y*w mod q, the product in [0, 2q); the quotient of w is
///                              floor(w * 2^52 / q)
///   reduce(x, m):              bias + x mod q, the remainder in [0, reduced_width(q, kReduction))
///   remainder(x, m):           x mod q in [0, 2q)
///   low_word(x):               x modulo 2^52
///   lane_twiddle, to_lane_stage, from_lane_stage: as in ArithmeticPolicy
template <typename A>
concept LazyPolicy = VectorPolicy<A> && requires(Vec<A> x, Twiddle<A> w, LazyModulus<A> m,
                                                 const LazyConstants& constants) {
  { A::kReduction } -> std::convertible_to<LazyReduction>;
  { A::kMaxRowStages } -> std::convertible_to<int>;
  { A::kLaneLayout } -> std::convertible_to<LaneLayout>;
  { A::make_modulus(constants) } -> std::same_as<LazyModulus<A>>;
  { A::multiply(x, x, w, m) } -> std::same_as<Vec<A>>;
  { A::reduce(x, m) } -> std::same_as<Vec<A>>;
  { A::remainder(x, m) } -> std::same_as<Vec<A>>;
  { A::low_word(x) } -> std::same_as<Vec<A>>;
};

}  // namespace ringlet::kernels
