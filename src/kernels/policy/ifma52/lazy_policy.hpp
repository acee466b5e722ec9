// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/lazy/table.hpp"
#include "kernels/policy/policy.hpp"

namespace ringlet::kernels {

/// Constants of a modulus in all lanes, for a lazy policy; LazyConstants says what they are.
template <typename A>
struct LazyModulus {
  Vec<A> q;
  Vec<A> negated_half;  ///< -(q - 1)/2.
  Vec<A> rounding;
  Vec<A> centred_rounding;
  Vec<A> quotient;
  Vec<A> negated;  ///< 2^52 - q.
  Twiddle<A> one;  ///< The factor 1, as a fraction.
};

/// A policy of lazy arithmetic offers these to transforms, besides VectorPolicy. Residues modulo
/// q are integers modulo 2^52 in the low bits of a lane; the bits above are meaningless until
/// low_word clears them. Operands of products and reductions must be in [0, 2^52) as integers;
/// between them, sums and differences may leave that range. Factors are fractions (TwiddleForm).
///   product(y, w, m):         y*w mod q in [0, q), nothing above bit 51
///   product_from(s, y, w, m): y*w mod q in [-(q-1)/2, (q-1)/2], with s + (q-1)/2 added
///   fraction(c, y, w):        y*w/q modulo 1 in units of 2^-52, plus c minus up to 2 units
///   residue(f, m):            r in [0, q), for f that exceeds the fraction r/q by at least 0 and
///                             less than 1/q
///   reduce_from(n, x, m):     x mod q - n*q, the remainder in [0, 2q)
///   low_word(x):              x modulo 2^52
///   load_halves(p), store_halves(p, x): as many words as a vector holds, from and to 32-bit words
///   add_low(s, x, y), add_high(s, x, y): s plus the low and the high word of x*y, x and y below
///                             2^52; all 64 bits of a lane carry the sum
///   carry(x):                 what a lane holds above bit 51
///   permuted(x, places):      lane l from lane places[l]
///   transpose_step, store_exchanged, transposed_store_step: of eight vectors, for the stages
///                             inside vectors
///   hidden(w), keep_order(...): the same values, which the compiler may not recompute or move
///   align_frame():            aligns the frame of the caller to a vector
template <typename A>
concept LazyPolicy = VectorPolicy<A> && requires(Vec<A> x, Twiddle<A> w, LazyModulus<A> m,
                                                 const LazyConstants& constants) {
  { A::make_modulus(constants) } -> std::same_as<LazyModulus<A>>;
  { A::product(x, w, m) } -> std::same_as<Vec<A>>;
  { A::product_from(x, x, w, m) } -> std::same_as<Vec<A>>;
  { A::fraction(x, x, w) } -> std::same_as<Vec<A>>;
  { A::residue(x, m) } -> std::same_as<Vec<A>>;
  { A::reduce_from(x, x, m) } -> std::same_as<Vec<A>>;
  { A::low_word(x) } -> std::same_as<Vec<A>>;
  { A::load_halves(static_cast<const std::uint32_t*>(nullptr)) } -> std::same_as<Vec<A>>;
  { A::store_halves(static_cast<std::uint32_t*>(nullptr), x) } -> std::same_as<void>;
  { A::add_low(x, x, x) } -> std::same_as<Vec<A>>;
  { A::add_high(x, x, x) } -> std::same_as<Vec<A>>;
  { A::carry(x) } -> std::same_as<Vec<A>>;
  { A::permuted(x, static_cast<const std::uint64_t*>(nullptr)) } -> std::same_as<Vec<A>>;
};

}  // namespace ringlet::kernels
