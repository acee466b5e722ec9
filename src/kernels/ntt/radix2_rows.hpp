// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/radix2_table.hpp"
#include "kernels/policy/policy.hpp"
#include "kernels/policy/range_check.hpp"

// What the passes of the radix-2 negacyclic transform are made of, with Harvey's butterflies, over
// any policy. Several stages share one trip through the registers (see schedule.hpp); the
// arithmetic is that of one stage at a time.

namespace ringlet::kernels {

/// Forward butterfly (Cooley-Tukey; Boemer et al., "Intel HEXL", Algorithms 4 and 6):
/// (u, v) <- (u + w*v, u - w*v), u, v in [0, 4q) -> [0, 4q). With kReduced, u is in [0, 2q)
/// already.
template <ArithmeticPolicy A, bool kReduced>
RINGLET_INLINE void forward_butterfly(Vec<A>& u, Vec<A>& v, const Twiddle<A>& w, const Mod<A>& m) {
  const Vec<A> a = kReduced ? u : A::reduce_once(u, m.two_q);
  expect_below<A>(a, m.two_q);
  const Vec<A> b = A::mul_lazy(v, w, m);
  expect_below<A>(b, m.two_q);
  u = A::add(a, b);
  v = A::sub(A::add(a, m.two_q), b);
}

/// Inverse butterfly (Gentleman-Sande; Algorithms 5 and 7 there):
/// (u, v) <- (u + v, w*(u - v)), u, v in [0, 2q) -> [0, 2q). With kReduced, u and v are in [0, q).
template <ArithmeticPolicy A, bool kReduced>
RINGLET_INLINE void inverse_butterfly(Vec<A>& u, Vec<A>& v, const Twiddle<A>& w, const Mod<A>& m) {
  expect_below<A>(u, m.two_q);
  expect_below<A>(v, m.two_q);
  const Vec<A> sum = A::add(u, v);
  const Vec<A> difference = A::add(A::sub(u, v), m.two_q);
  u = kReduced ? sum : A::reduce_once(sum, m.two_q);
  v = A::mul_lazy(difference, w, m);
}

/// The inverse butterfly of stage 0, which also divides by N: w carries 1/N, `scale` is 1/N.
template <ArithmeticPolicy A>
RINGLET_INLINE void last_inverse_butterfly(Vec<A>& u, Vec<A>& v, const Twiddle<A>& w,
                                           const Twiddle<A>& scale, const Mod<A>& m) {
  const Vec<A> sum = A::add(u, v);
  const Vec<A> difference = A::add(A::sub(u, v), m.two_q);
  u = A::mul_lazy(sum, scale, m);
  v = A::mul_lazy(difference, w, m);
}

/// 2^K vectors and the twiddle tree of K stages between them.
template <ArithmeticPolicy A, int K>
struct Rows {
  static constexpr int kCount = 1 << K;
  Vec<A> x[kCount];

  /// Butterflies of stage U of K: `tree` holds the pairs of all K stages, first stage first.
  template <int U, typename Butterfly>
  RINGLET_INLINE void stage(const Twiddle<A>* tree, Butterfly&& butterfly) {
    constexpr int kBlocks = 1 << U;
    constexpr int kHalf = kCount >> (U + 1);
    unroll<kBlocks>([&](auto block) __attribute__((always_inline)) {
      unroll<kHalf>([&](auto i) __attribute__((always_inline)) {
        constexpr int kTop = 2 * kHalf * decltype(block)::value + decltype(i)::value;
        butterfly(x[kTop], x[kTop + kHalf], tree[kBlocks - 1 + decltype(block)::value]);
      });
    });
  }
  /// body(a, b, r) for the r-th pair (a, b) of neighbouring vectors.
  template <typename Body>
  RINGLET_INLINE void pairs(Body&& body) {
    unroll<kCount / 2>([&](auto r) __attribute__((always_inline)) {
      body(x[2 * decltype(r)::value], x[2 * decltype(r)::value + 1], decltype(r)::value);
    });
  }
  RINGLET_INLINE void load(const std::uint64_t* p, std::size_t stride) {
    unroll<kCount>([&](auto r) __attribute__((always_inline)) {
      x[r] = A::load(p + static_cast<std::size_t>(decltype(r)::value) * stride);
    });
  }
  RINGLET_INLINE void store(std::uint64_t* p, std::size_t stride) const {
    unroll<kCount>([&](auto r) __attribute__((always_inline)) {
      A::store(p + static_cast<std::size_t>(decltype(r)::value) * stride, x[r]);
    });
  }
  RINGLET_INLINE void reduce_once(const Vec<A>& bound) {
    unroll<kCount>([&](auto r)
                       __attribute__((always_inline)) { x[r] = A::reduce_once(x[r], bound); });
  }
};

template <ArithmeticPolicy A, int K>
RINGLET_INLINE void load_tree(Twiddle<A> (&tree)[(1 << K) - 1], const std::uint64_t* words) {
  unroll<(1 << K) - 1>([&](auto i) __attribute__((always_inline)) {
    tree[i] = broadcast_twiddle<A>(words + 2 * decltype(i)::value);
  });
}

/// Offset, in a tail record, of the lane twiddles of stage v.
template <ArithmeticPolicy A, int K>
RINGLET_INLINE constexpr std::size_t lane_offset(int v) {
  std::size_t offset = std::size_t{2} << K;
  for (int i = 0; i < v; ++i) offset += lane_words(A::kLaneLayout, i) << (K - 1);
  return offset;
}

/// Where a transform stands: its buffers and its place in the stream of twiddles. The first pass
/// over a block reads the operand; all later ones work in place on the result.
template <ArithmeticPolicy A>
struct Radix2Cursor {
  const Radix2Table& table;
  std::uint64_t* result;
  const std::uint64_t* operand;
  const std::uint64_t* stream;
  Mod<A> modulus;
  RangeFactors factors;
};

/// Calls body(std::integral_constant<int, row_stages>), for 1 to A::kMaxRowStages stages.
template <ArithmeticPolicy A, typename Body>
RINGLET_INLINE void with_row_stages(int row_stages, Body&& body) {
  unroll<A::kMaxRowStages>([&](auto i) __attribute__((always_inline)) {
    constexpr int kStages = decltype(i)::value + 1;
    if (row_stages == kStages) body(std::integral_constant<int, kStages>{});
  });
}

}  // namespace ringlet::kernels
