// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/extended/rows.hpp"
#include "kernels/ntt/radix2/rows.hpp"

// The last stages, inside vectors, as radix-4 butterflies on four vectors at a time. Exchanges of
// index bits between vectors and lanes make all partners meet (has_quad_after).

namespace ringlet::kernels {

/// Groups of four vectors that a tail works on side by side.
inline constexpr int kQuadsSideBySide = 4;

/// The words that a tail works on: groups of four vectors at first, first + step, ... < last. The
/// last two of the four are `half` words behind the first two. A transform of two vectors has them
/// twice, and only in natural order.
struct QuadGroups {
  std::size_t first;
  std::size_t last;
  std::size_t step;
  std::size_t half;
};

template <ExtendedPolicy A>
RINGLET_INLINE QuadGroups quad_groups(const Schedule& schedule, const Pass& tail,
                                      std::size_t first_block, std::size_t block_count) {
  constexpr std::size_t kStep = kQuadTailVectors * kLanes<A>;
  const bool is_short = (std::size_t{1} << schedule.log_degree) < kStep;
  return {first_block << tail.row_stages, (first_block + block_count) << tail.row_stages, kStep,
          is_short ? 0 : kStep / 2};
}

template <ExtendedPolicy A>
RINGLET_INLINE void load_quad_group(Rows<A, 2>& r, const std::uint64_t* p, std::size_t half) {
  r.x[0] = A::load(p);
  r.x[1] = A::load(p + kLanes<A>);
  r.x[2] = A::load(p + half);
  r.x[3] = A::load(p + half + kLanes<A>);
}
template <ExtendedPolicy A>
RINGLET_INLINE void store_quad_group(const Rows<A, 2>& r, std::uint64_t* p, std::size_t half) {
  A::store(p, r.x[0]);
  A::store(p + kLanes<A>, r.x[1]);
  A::store(p + half, r.x[2]);
  A::store(p + half + kLanes<A>, r.x[3]);
}

/// Calls body(a, b) for the pairs of vectors that exchange e is between.
template <int e, ExtendedPolicy A, typename Body>
RINGLET_INLINE void exchange_pairs(Rows<A, 2>& r, Body&& body) {
  if constexpr (e % 2 == 0) {
    body(r.x[0], r.x[2]);
    body(r.x[1], r.x[3]);
  } else {
    body(r.x[0], r.x[1]);
    body(r.x[2], r.x[3]);
  }
}
/// Does exchange e. exchange_back undoes it.
template <int e, ExtendedPolicy A>
RINGLET_INLINE void exchange(Rows<A, 2>& r) {
  exchange_pairs<e, A>(r, [](Vec<A>& a, Vec<A>& b) __attribute__((always_inline)) {
    A::template to_lane_stage<e>(a, b);
  });
}
template <int e, ExtendedPolicy A>
RINGLET_INLINE void exchange_back(Rows<A, 2>& r) {
  exchange_pairs<e, A>(r, [](Vec<A>& a, Vec<A>& b) __attribute__((always_inline)) {
    A::template from_lane_stage<e>(a, b);
  });
}

/// Moves lanes from natural order to the order after the last exchange. from_quad_lanes undoes it.
template <ExtendedPolicy A>
RINGLET_INLINE void to_quad_lanes(Rows<A, 2>& r) {
  unroll<A::kLogLanes>([&](auto e)
                           __attribute__((always_inline)) { exchange<decltype(e)::value, A>(r); });
}
template <ExtendedPolicy A>
RINGLET_INLINE void from_quad_lanes(Rows<A, 2>& r) {
  unroll<A::kLogLanes>([&](auto e) __attribute__((always_inline)) {
    exchange_back<A::kLogLanes - 1 - decltype(e)::value, A>(r);
  });
}

/// Loads the factors of the radix-4 butterfly after exchange e.
template <int e, ExtendedPolicy A>
RINGLET_INLINE void load_lane_quad(QuadTwiddles<A>& w, const std::uint64_t* words) {
  unroll<kQuadFactors>([&](auto i) __attribute__((always_inline)) {
    w[i] = A::template lane_twiddle<e>(words + static_cast<std::size_t>(decltype(i)::value) *
                                                   lane_words(A::kLaneLayout, e));
  });
}
/// Loads the factors of the radix-2 butterflies of the last stage for pair 0 or 1.
template <ExtendedPolicy A>
RINGLET_INLINE Twiddle<A> load_lane_pair(const std::uint64_t* words, std::size_t pair) {
  constexpr int kStage = A::kLogLanes - 1;
  return A::template lane_twiddle<kStage>(words + pair * lane_words(A::kLaneLayout, kStage));
}

/// Offset of the factors of exchange e in the record of four vectors; with e = kLogLanes, of the
/// factors of the last stage.
template <ExtendedPolicy A, int kStages>
RINGLET_INLINE constexpr std::size_t quad_tail_offset(int e) {
  std::size_t words = 0;
  for (int i = 0; i < e; ++i) {
    if (has_quad_after(i, A::kLogLanes, kStages)) words += quad_lane_words(A::kLaneLayout, i);
  }
  return words;
}

/// Calls butterfly(x, y, z, t) on the vectors in their order after exchange e.
template <int e, ExtendedPolicy A, typename Butterfly>
RINGLET_INLINE void with_quad_after(Rows<A, 2>& r, Butterfly&& butterfly) {
  if constexpr (e % 2 == 0) {
    butterfly(r.x[0], r.x[2], r.x[1], r.x[3]);
  } else {
    butterfly(r.x[0], r.x[1], r.x[2], r.x[3]);
  }
}

/// Whether the last kStages stages take four consecutive words at a time.
template <ExtendedPolicy A, int kStages>
inline constexpr bool kHasWordQuads = WordQuadPolicy<A> && kStages == 2;
/// Groups of four vectors side by side: a word quad has nothing to wait for, and four of them would
/// not fit the registers.
template <ExtendedPolicy A, int kStages>
inline constexpr int kQuadGroupsAtOnce = kHasWordQuads<A, kStages> ? 1 : kQuadsSideBySide;
static_assert(2 * kWordQuadWords == (10 * 2 + 7) / 8 * 8, "as many words as quad_lane_words has");

/// Does two butterflies on four consecutive words each. Lanes are as exchange 0 leaves them.
template <WordQuadPolicy A>
RINGLET_INLINE void forward_word_quad_tail(Rows<A, 2>& r, const std::uint64_t* words,
                                           const ExtendedModulus<A>& m) {
  Quad<A> terms = A::forward_word_quads(r.x[0], r.x[1], r.x[2], r.x[3], words, m.m);
  terms.x = A::reduce_once(terms.x, m.reduced);
  with_quad_after<0, A>(r, [&](auto&... xyzt) __attribute__((always_inline)) {
    forward_quad_sums<A>(xyzt..., terms, m);
  });
}
/// Does the same stages of the inverse transform, from natural order to natural order.
template <WordQuadPolicy A, bool kLast>
RINGLET_INLINE void inverse_word_quad_tail(Rows<A, 2>& r, const std::uint64_t* words,
                                           const Twiddle<A>& scale, const ExtendedModulus<A>& m) {
  for (const Vec<A>& x : r.x) expect_below<A>(x, m.inverse);
  const Quad<A> terms = A::inverse_word_quads(r.x[0], r.x[1], r.x[2], r.x[3], words, m.m);
  with_quad_after<0, A>(
      r, [&](Vec<A>& x, Vec<A>& y, Vec<A>& z, Vec<A>& t) __attribute__((always_inline)) {
        x = inverse_quad_first<A, kLast>(terms.x, scale, m);
        y = terms.y;
        z = terms.z;
        t = terms.t;
      });
  exchange_back<0, A>(r);
}

/// Calls butterfly(u, v, w) for the radix-2 butterflies of the last stage of groups.
template <ExtendedPolicy A, int kStages, int kGroups, typename Butterfly>
RINGLET_INLINE void last_stage_of_groups(Rows<A, 2> (&r)[kGroups], const std::uint64_t* words,
                                         Butterfly&& butterfly) {
  constexpr std::size_t kRecord = quad_tail_words(A::kLaneLayout, kStages);
  unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
    const std::uint64_t* const last =
        words + g * kRecord + quad_tail_offset<A, kStages>(A::kLogLanes);
    std::size_t pair = 0;
    exchange_pairs<A::kLogLanes - 1, A>(r[g],
                                        [&](Vec<A>& u, Vec<A>& v) __attribute__((always_inline)) {
                                          butterfly(u, v, load_lane_pair<A>(last, pair++));
                                        });
  });
}

/// Does the last kStages stages of the forward transform with the factors at `words`. The lanes
/// stay as the last exchange leaves them. Groups go side by side, because the butterflies of one
/// group wait for each other.
template <ExtendedPolicy A, int kStages, int kGroups>
RINGLET_INLINE void forward_quad_tail(Rows<A, 2> (&r)[kGroups], const std::uint64_t* words,
                                      const ExtendedModulus<A>& m) {
  constexpr std::size_t kRecord = quad_tail_words(A::kLaneLayout, kStages);
  if constexpr (kHasWordQuads<A, kStages>) {
    for (int g = 0; g < kGroups; ++g) forward_word_quad_tail<A>(r[g], words + g * kRecord, m);
    return;
  }
  unroll<A::kLogLanes>([&](auto i) __attribute__((always_inline)) {
    constexpr int e = decltype(i)::value;
    unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
      exchange<e, A>(r[g]);
      if constexpr (has_quad_after(e, A::kLogLanes, kStages)) {
        QuadTwiddles<A> w;
        load_lane_quad<e, A>(w, words + g * kRecord + quad_tail_offset<A, kStages>(e));
        with_quad_after<e, A>(r[g], [&](auto&... xyzt) __attribute__((always_inline)) {
          forward_quad<A, false>(xyzt..., w, m);
        });
      }
    });
  });
  if constexpr (kStages % 2 != 0) {
    last_stage_of_groups<A, kStages>(
        r, words, [&](Vec<A>& u, Vec<A>& v, const Twiddle<A>& w) __attribute__((always_inline)) {
          forward_pair<A, kExtendedRanges<A>.forward>(u, v, w, m);
        });
  }
}

/// Does the same stages of the inverse transform.
template <ExtendedPolicy A, int kStages, bool kLast, int kGroups>
RINGLET_INLINE void inverse_quad_tail(Rows<A, 2> (&r)[kGroups], const std::uint64_t* words,
                                      const Twiddle<A>& scale, const ExtendedModulus<A>& m) {
  constexpr std::size_t kRecord = quad_tail_words(A::kLaneLayout, kStages);
  if constexpr (kStages % 2 != 0) {
    last_stage_of_groups<A, kStages>(
        r, words, [&](Vec<A>& u, Vec<A>& v, const Twiddle<A>& w) __attribute__((always_inline)) {
          inverse_butterfly<A, false>(u, v, w, m.m);
        });
  }
  unroll<A::kLogLanes>([&](auto i) __attribute__((always_inline)) {
    constexpr int e = A::kLogLanes - 1 - decltype(i)::value;
    unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
      if constexpr (has_quad_after(e, A::kLogLanes, kStages)) {
        // The first stage of the transform is the last one here.
        constexpr bool kScale = kLast && !has_quad_after(e - 2, A::kLogLanes, kStages);
        QuadTwiddles<A> w;
        load_lane_quad<e, A>(w, words + g * kRecord + quad_tail_offset<A, kStages>(e));
        with_quad_after<e, A>(r[g], [&](auto&... xyzt) __attribute__((always_inline)) {
          inverse_quad<A, kScale>(xyzt..., {w, scale}, m);
        });
      }
      exchange_back<e, A>(r[g]);
    });
  });
}

}  // namespace ringlet::kernels
