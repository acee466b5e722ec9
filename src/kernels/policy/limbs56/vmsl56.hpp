// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vecintrin.h>

#include "kernels/policy/limbs56/extended_policy.hpp"
#include "kernels/policy/range_check.hpp"

namespace ringlet::kernels {

/// Harvey arithmetic on two 56-bit words with VECTOR MULTIPLY SUM LOGICAL (IBM Z, vector
/// enhancements facility 1), q < 2^52 in the radix-4 butterflies and q < 2^54 in mul_lazy. The
/// instruction adds two products of 56 bits, one of each lane, to a summand of 128 bits, so that a
/// sum of two products is rounded once. Multiplicands are below 2^56; no result depends on how the
/// instruction treats higher bits. Source: Bradbury et al., "NTT software optimization using an
/// extended Harvey butterfly", section 5; ranges and counts: docs/notes/vmsl56.md.
struct Vmsl56 {
  using Vec = __vector unsigned long long;

  static constexpr int kLogLanes = 1;
  static constexpr int kQuotientBits = 56;
  static constexpr int kExtendedFloors = 1;
  static constexpr int kMaxRowStages = 3;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << 54;
  static constexpr LaneLayout kLaneLayout{1, {2}, {{0, 1}}};

  RINGLET_INLINE static Vec load(const std::uint64_t* p) {
    return vec_xl(0, reinterpret_cast<const unsigned long long*>(p));
  }
  RINGLET_INLINE static Vec load_partial(const std::uint64_t* p, std::size_t n) {
    return Vec{n > 0 ? p[0] : 0, 0};
  }
  RINGLET_INLINE static void store(std::uint64_t* p, Vec x) {
    vec_xst(x, 0, reinterpret_cast<unsigned long long*>(p));
  }
  RINGLET_INLINE static void store_partial(std::uint64_t* p, Vec x, std::size_t n) {
    if (n > 0) p[0] = x[0];
  }
  RINGLET_INLINE static Vec broadcast(std::uint64_t x) { return Vec{x, x}; }
  RINGLET_INLINE static Vec add(Vec x, Vec y) { return x + y; }
  RINGLET_INLINE static Vec sub(Vec x, Vec y) { return x - y; }
  RINGLET_INLINE static Vec reduce_once(Vec x, Vec bound) { return vec_min(x, x - bound); }

  /// -q modulo 2^56, because VMSL can only add.
  RINGLET_INLINE static std::uint64_t negated(std::uint64_t q) {
    return (std::uint64_t{1} << 56) - q;
  }
  template <int v>
  RINGLET_INLINE static Twiddle<Vmsl56> lane_twiddle(const std::uint64_t* words) {
    return {load(words), load(words + 2)};
  }
  /// One exchange, which is its own inverse, leads to the only stage inside vectors and back.
  template <int v>
  RINGLET_INLINE static void to_lane_stage(Vec& a, Vec& b) {
    const Vec first = vec_mergeh(a, b);
    b = vec_mergel(a, b);
    a = first;
  }
  template <int v>
  RINGLET_INLINE static void from_lane_stage(Vec& a, Vec& b) {
    to_lane_stage<v>(a, b);
  }

  /// y in [0, 2^56) -> y*w mod q in [0, 2q). The other lane's factor is 0.
  RINGLET_INLINE static Vec mul_lazy(Vec y, const Twiddle<Vmsl56>& w, const Mod<Vmsl56>& m) {
    const Quadword zero = quadword_zero();
    const Vec quotients = high_words(multiply_sum(y, first(w.quotient), zero),
                                     multiply_sum(y, second(w.quotient), zero));
    return low_words(
        multiply_sum(vec_mergeh(y, quotients), vec_mergeh(w.operand, m.negated), zero),
        multiply_sum(vec_mergel(y, quotients), vec_mergel(w.operand, m.negated), zero));
  }
  RINGLET_INLINE static Vec mul_sum_lazy(Vec y, const Twiddle<Vmsl56>& v, Vec t,
                                         const Twiddle<Vmsl56>& w, const Mod<Vmsl56>& m) {
    return mul_pairs_lazy(
        vec_mergeh(y, t), {vec_mergeh(v.operand, w.operand), vec_mergeh(v.quotient, w.quotient)},
        vec_mergel(y, t), {vec_mergel(v.operand, w.operand), vec_mergel(v.quotient, w.quotient)},
        m);
  }

  /// (y, t) of each butterfly is one operand of VMSL, and so is (z, t) with a factor of 0 for t.
  RINGLET_INLINE static Quad<Vmsl56> forward_word_quads(Vec r0, Vec r1, Vec r2, Vec r3,
                                                        const std::uint64_t* p,
                                                        const Mod<Vmsl56>& m) {
    const Vec yt0 = vec_mergel(r0, r1);
    const Vec yt1 = vec_mergel(r2, r3);
    return {.x = vec_mergeh(r0, r2),
            .y = mul_pairs_lazy(yt0, pair<1>(p), yt1, pair<4>(p), m),
            .z = mul_pairs_lazy(r1, pair<0>(p), r3, pair<3>(p), m),
            .t = mul_pairs_lazy(yt0, pair<2>(p), yt1, pair<5>(p), m)};
  }
  /// x + y and z + t of each butterfly come from one sum, and so do x - y and z - t.
  RINGLET_INLINE static Quad<Vmsl56> inverse_word_quads(Vec r0, Vec r1, Vec r2, Vec r3,
                                                        const std::uint64_t* p,
                                                        const Mod<Vmsl56>& m) {
    const Vec xz0 = vec_mergeh(r0, r1);
    const Vec yt0 = vec_mergel(r0, r1);
    const Vec xz1 = vec_mergeh(r2, r3);
    const Vec yt1 = vec_mergel(r2, r3);
    const Vec sums0 = add(xz0, yt0);
    const Vec sums1 = add(xz1, yt1);
    const Vec differences0 = add(sub(xz0, yt0), m.two_q);
    const Vec differences1 = add(sub(xz1, yt1), m.two_q);
    return {.x = add(vec_mergeh(sums0, sums1), vec_mergel(sums0, sums1)),
            .y = mul_pairs_lazy(differences0, pair<1>(p), differences1, pair<4>(p), m),
            .z = mul_pairs_lazy(sums0, pair<0>(p), sums1, pair<3>(p), m),
            .t = mul_pairs_lazy(differences0, pair<2>(p), differences1, pair<5>(p), m)};
  }

 private:
  using Quadword = __vector unsigned char;  ///< One number of 128 bits.

  RINGLET_INLINE static Quadword quadword_zero() { return Quadword{}; }
  RINGLET_INLINE static Vec first(Vec x) { return x & Vec{~0ULL, 0}; }
  RINGLET_INLINE static Vec second(Vec x) { return x & Vec{0, ~0ULL}; }

  /// Two factors and their quotients, the i-th such pair at p.
  template <int i>
  RINGLET_INLINE static Twiddle<Vmsl56> pair(const std::uint64_t* p) {
    return lane_twiddle<0>(p + 4 * i);
  }

  /// x[0]*y[0] + x[1]*y[1] + summand.
  RINGLET_INLINE static Quadword multiply_sum(Vec x, Vec y, Quadword summand) {
    expect_below<Vmsl56>(x, broadcast(std::uint64_t{1} << 56));
    expect_below<Vmsl56>(y, broadcast(std::uint64_t{1} << 56));
    return vec_msum_u128(x, y, summand, 0);
  }

  /// Lane 0: p[0]*w[0] + p[1]*w[1] mod q with the factors of `v`; lane 1: likewise with r and `w`.
  RINGLET_INLINE static Vec mul_pairs_lazy(Vec p, const Twiddle<Vmsl56>& v, Vec r,
                                           const Twiddle<Vmsl56>& w, const Mod<Vmsl56>& m) {
    const Quadword zero = quadword_zero();
    return remainders(multiply_sum(p, v.quotient, zero), multiply_sum(r, w.quotient, zero),
                      multiply_sum(p, v.operand, zero), multiply_sum(r, w.operand, zero), m);
  }

  /// product - floor(estimate / 2^56) * q modulo 2^56, of two numbers.
  RINGLET_INLINE static Vec remainders(Quadword estimate0, Quadword estimate1, Quadword product0,
                                       Quadword product1, const Mod<Vmsl56>& m) {
    const Vec quotients = high_words(estimate0, estimate1);
    return low_words(multiply_sum(quotients, first(m.negated), product0),
                     multiply_sum(quotients, second(m.negated), product1));
  }
  RINGLET_INLINE static Vec high_words(Quadword x, Quadword y) {
    return reinterpret_cast<Vec>(
        vec_perm(x, y, Quadword{1, 2, 3, 4, 5, 6, 7, 8, 17, 18, 19, 20, 21, 22, 23, 24}));
  }
  RINGLET_INLINE static Vec low_words(Quadword x, Quadword y) {
    return vec_mergel(reinterpret_cast<Vec>(x), reinterpret_cast<Vec>(y)) &
           broadcast((std::uint64_t{1} << 56) - 1);
  }
};

}  // namespace ringlet::kernels
