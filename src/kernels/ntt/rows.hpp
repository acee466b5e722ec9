// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/schedule.hpp"
#include "kernels/policy/policy.hpp"
#include "kernels/policy/prefetch.hpp"

// The registers of a pass and its stages, whatever the butterfly.

namespace ringlet::kernels {

/// 2^K vectors and the stages between them.
template <VectorPolicy A, int K>
struct Rows {
  static constexpr int kCount = 1 << K;
  Vec<A> x[kCount];

  /// Calls butterfly(x, y, w) on every pair of stage U of K. twiddle(i) is the i-th twiddle of the
  /// tree, the first stage first.
  template <int U, typename TwiddleAt, typename Butterfly>
  RINGLET_INLINE void stage(TwiddleAt&& twiddle, Butterfly&& butterfly) {
    constexpr int kBlocks = 1 << U;
    constexpr int kHalf = kCount >> (U + 1);
    unroll<kBlocks>([&](auto block) __attribute__((always_inline)) {
      const Twiddle<A> w = twiddle(kBlocks - 1 + decltype(block)::value);
      unroll<kHalf>([&](auto i) __attribute__((always_inline)) {
        constexpr int kTop = 2 * kHalf * decltype(block)::value + decltype(i)::value;
        butterfly(x[kTop], x[kTop + kHalf], w);
      });
    });
  }
  /// Calls body(a, b, r) for the r-th pair (a, b) of neighbouring vectors.
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

/// Offset, in the record of a tail of K row stages, of the lane twiddles of stage v.
RINGLET_INLINE constexpr std::size_t lane_offset_of(const LaneLayout& layout, int K, int v) {
  std::size_t offset = std::size_t{2} << K;
  for (int i = 0; i < v; ++i) offset += lane_words(layout, i) << (K - 1);
  return offset;
}

template <VectorPolicy A, int K>
RINGLET_INLINE constexpr std::size_t lane_offset(int v) {
  return lane_offset_of(A::kLaneLayout, K, v);
}

/// Calls body(std::integral_constant<int, row_stages>), for 1 to kMax stages.
template <int kMax, typename Body>
RINGLET_INLINE void with_row_stages_up_to(int row_stages, Body&& body) {
  unroll<kMax>([&](auto i) __attribute__((always_inline)) {
    constexpr int kStages = decltype(i)::value + 1;
    if (row_stages == kStages) body(std::integral_constant<int, kStages>{});
  });
}

template <VectorPolicy A, typename Body>
RINGLET_INLINE void with_row_stages(int row_stages, Body&& body) {
  with_row_stages_up_to<A::kMaxRowStages>(row_stages, body);
}

}  // namespace ringlet::kernels
