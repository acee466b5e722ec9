// SPDX-License-Identifier: Apache-2.0
//
// The bodies of the transforms' loops, over one policy, between marks that llvm-mca reads.
// lab/scripts/predict_cycles.py compiles this file for a processor, with RINGLET_LOOPS_HEADER and
// RINGLET_LOOPS_POLICY. It is never linked.
#include <cstddef>
#include <cstdint>

#include RINGLET_LOOPS_HEADER
#include "kernels/ntt/extended/quad_tail.hpp"
#include "kernels/ntt/radix2/forward.hpp"
#include "kernels/ntt/radix2/inverse.hpp"

namespace ringlet::kernels {
namespace {

using A = RINGLET_LOOPS_POLICY;

/// A loop's number in its marks is place * 1000 + direction * 100 + radix * 10 + stages.
enum Direction { kForward = 1, kInverse = 2 };
enum Place {
  kHeld = 1,    ///< A pass with the factors in registers: one vector of each row.
  kFresh = 2,   ///< A pass that first loads a block's factors.
  kLast = 3,    ///< The pass of the inverse transform that divides by N, with the last reduction.
  kTail = 4,    ///< Last stages of a forward or first ones of an inverse transform, lanes included.
  kMerged = 5,  ///< The stages of kTail by radix-2 butterflies behind radix-4 ones.
};

constexpr int loop_number(Place place, Direction direction, int radix, int stages) {
  return place * 1000 + direction * 100 + radix * 10 + stages;
}

/// The memory clobber keeps accesses to memory, and work that depends on them, between the marks.
template <int kLoop>
RINGLET_INLINE void begin_loop() {
  asm volatile("# LLVM-MCA-BEGIN %0" ::"i"(kLoop) : "memory");
}
template <int kLoop>
RINGLET_INLINE void end_loop() {
  asm volatile("# LLVM-MCA-END %0" ::"i"(kLoop) : "memory");
}

/// The operands of a pass: `count` vectors of each row, `row` words apart, or `count` blocks.
struct Work {
  const std::uint64_t* from;
  std::uint64_t* to;
  const std::uint64_t* words;
  std::size_t row;
  std::size_t count;
  std::uint64_t q;
  TwiddlePair scale;
};

/// K stages between rows by radix-2 butterflies.
template <int K>
struct Pairs {
  static constexpr int kRadix = 2;
  static constexpr std::size_t kWords = std::size_t{2} << K;
  Twiddle<A> tree[(1 << K) - 1];

  RINGLET_INLINE void load(const std::uint64_t* words) { load_tree<A, K>(tree, words); }
  RINGLET_INLINE void forward(Rows<A, K>& r, const ExtendedModulus<A>& m) const {
    forward_row_stages<A, K, false>(r, tree, m.m);
  }
  template <bool kIsLast>
  RINGLET_INLINE void inverse(Rows<A, K>& r, const Twiddle<A>& scale,
                              const ExtendedModulus<A>& m) const {
    inverse_row_stages<A, K, kIsLast, false>(r, tree, scale, m.m);
  }
  RINGLET_INLINE static void reduce_forward(Rows<A, K>& r, const ExtendedModulus<A>& m) {
    r.reduce_once(m.m.two_q);
    r.reduce_once(m.m.q);
  }
  RINGLET_INLINE static void reduce_inverse(Rows<A, K>& r, const ExtendedModulus<A>& m) {
    r.reduce_once(m.m.q);
  }
};

/// Two stages by radix-4 butterflies; with K = 3, one of radix 2 behind them.
template <int K>
struct Quads {
  static constexpr int kRadix = 4;
  static constexpr std::size_t kWords = extended_block_words(K);
  static constexpr int kQuarter = 1 << (K - 2);
  QuadTwiddles<A> quad;
  Twiddle<A> pairs[4];

  RINGLET_INLINE void load(const std::uint64_t* words) {
    load_quad_factors<A>(quad, words);
    if constexpr (K == 3) {
      unroll<4>([&](auto i) __attribute__((always_inline)) {
        pairs[i] = broadcast_twiddle<A>(words + 10 + 2 * decltype(i)::value);
      });
    }
  }
  RINGLET_INLINE void forward(Rows<A, K>& r, const ExtendedModulus<A>& m) const {
    unroll<kQuarter>([&](auto i) __attribute__((always_inline)) {
      forward_quad<A, false>(r.x[i], r.x[kQuarter + i], r.x[2 * kQuarter + i],
                             r.x[3 * kQuarter + i], quad, m);
    });
    if constexpr (K == 3) {
      unroll<4>([&](auto i) __attribute__((always_inline)) {
        forward_pair<A, kExtendedRanges<A>.forward>(r.x[2 * i], r.x[2 * i + 1], pairs[i], m);
      });
    }
  }
  template <bool kIsLast>
  RINGLET_INLINE void inverse(Rows<A, K>& r, const Twiddle<A>& scale,
                              const ExtendedModulus<A>& m) const {
    if constexpr (K == 3) {
      unroll<4>([&](auto i) __attribute__((always_inline)) {
        inverse_butterfly<A, false>(r.x[2 * i], r.x[2 * i + 1], pairs[i], m.m);
      });
    }
    unroll<kQuarter>([&](auto i) __attribute__((always_inline)) {
      inverse_quad<A, kIsLast>(r.x[i], r.x[kQuarter + i], r.x[2 * kQuarter + i],
                               r.x[3 * kQuarter + i], {quad, scale}, m);
    });
  }
  RINGLET_INLINE static void reduce_forward(Rows<A, K>& r, const ExtendedModulus<A>& m) {
    reduce_rows<A, K, (K == 3 ? 4 : kExtendedRanges<A>.forward)>(r, 1, m);
  }
  RINGLET_INLINE static void reduce_inverse(Rows<A, K>& r, const ExtendedModulus<A>& m) {
    reduce_rows<A, K, kExtendedRanges<A>.inverse>(r, 1, m);
  }
};

template <Place kPlace, Direction kDirection, template <int> typename Body, int K>
__attribute__((noinline)) void row_loop(const Work& work) {
  constexpr int kLoop = loop_number(kPlace, kDirection, Body<K>::kRadix, K);
  constexpr bool kHoldsFactors = kPlace == kHeld || kPlace == kLast;
  const Work w = work;
  const ExtendedModulus<A> m = make_extended_modulus<A>(w.q);
  const Twiddle<A> scale{A::broadcast(w.scale.operand), A::broadcast(w.scale.quotient)};
  Body<K> body;
  if constexpr (kHoldsFactors) body.load(w.words);
  for (std::size_t i = 0; i < w.count; ++i) {
    begin_loop<kLoop>();
    if constexpr (!kHoldsFactors) body.load(w.words + i * Body<K>::kWords);
    const std::size_t first = kHoldsFactors ? i * kLanes<A> : (i * kLanes<A>) << K;
    const std::size_t row = kHoldsFactors ? w.row : kLanes<A>;
    Rows<A, K> r;
    r.load(w.from + first, row);
    if constexpr (kDirection == kForward) {
      body.forward(r, m);
      if constexpr (kPlace == kTail) Body<K>::reduce_forward(r, m);
    } else {
      body.template inverse<(kPlace == kLast)>(r, scale, m);
      if constexpr (kPlace == kLast) Body<K>::reduce_inverse(r, m);
    }
    r.store(w.to + first, row);
    end_loop<kLoop>();
  }
}

/// A tail of radix-2 butterflies: K stages between vectors and those inside them.
template <Direction kDirection, int K>
__attribute__((noinline)) void pair_tail_loop(const Work& work) {
  constexpr int kLoop = loop_number(kTail, kDirection, 2, K + A::kLogLanes);
  const Work w = work;
  const ExtendedModulus<A> m = make_extended_modulus<A>(w.q);
  const Twiddle<A> scale{A::broadcast(w.scale.operand), A::broadcast(w.scale.quotient)};
  for (std::size_t i = 0; i < w.count; ++i) {
    begin_loop<kLoop>();
    const std::size_t first = (i * kLanes<A>) << K;
    const std::uint64_t* const words = w.words + i * lane_offset<A, K>(A::kLogLanes);
    Rows<A, K> r;
    r.load(w.from + first, kLanes<A>);
    if constexpr (kDirection == kForward) {
      forward_tail_stages<A, K>(r, words, m.m);
      r.pairs([&](Vec<A>& a, Vec<A>& b, int) __attribute__((always_inline)) {
        A::template to_lane_stage<A::kLogLanes>(a, b);
      });
      Pairs<K>::reduce_forward(r, m);
    } else {
      r.pairs([&](Vec<A>& a, Vec<A>& b, int) __attribute__((always_inline)) {
        A::template from_lane_stage<A::kLogLanes>(a, b);
      });
      inverse_tail_stages<A, K, false, true>(r, words, scale, m.m);
    }
    r.store(w.to + first, kLanes<A>);
    end_loop<kLoop>();
  }
}

/// The range of the first value of a radix-2 butterfly behind radix-4 ones and `before` others.
constexpr int range_before_pair(int before) {
  int range = kExtendedRanges<A>.forward;
  for (int i = 0; i < before; ++i) range = range_after_pair<A>(range);
  return range;
}

/// A tail of radix-2 butterflies behind radix-4 ones on a pair of vectors: inside the vectors and,
/// with kBetween, also between them.
template <Direction kDirection, bool kBetween>
__attribute__((noinline)) void merged_tail_loop(const Work& work) {
  constexpr int kFirst = kBetween ? 1 : 0;
  constexpr int kLoop = loop_number(kMerged, kDirection, 2, kFirst + A::kLogLanes);
  const Work w = work;
  const ExtendedModulus<A> m = make_extended_modulus<A>(w.q);
  for (std::size_t i = 0; i < w.count; ++i) {
    begin_loop<kLoop>();
    const std::uint64_t* const words = w.words + i * lane_offset<A, 1>(A::kLogLanes);
    Rows<A, 1> r;
    r.load(w.from + 2 * i * kLanes<A>, kLanes<A>);
    Vec<A>& x = r.x[0];
    Vec<A>& y = r.x[1];
    const auto lane_factor = [&](auto v) __attribute__((always_inline)) {
      return A::template lane_twiddle<decltype(v)::value>(words + lane_offset<A, 1>(v));
    };
    if constexpr (kDirection == kForward) {
      if constexpr (kBetween) {
        forward_pair<A, range_before_pair(0)>(x, y, broadcast_twiddle<A>(words), m);
      }
      unroll<A::kLogLanes>([&](auto v) __attribute__((always_inline)) {
        A::template to_lane_stage<decltype(v)::value>(x, y);
        forward_pair<A, range_before_pair(kFirst + decltype(v)::value)>(x, y, lane_factor(v), m);
      });
      A::template to_lane_stage<A::kLogLanes>(x, y);
      reduce_rows<A, 1, range_before_pair(kFirst + A::kLogLanes)>(r, 1, m);
    } else {
      A::template from_lane_stage<A::kLogLanes>(x, y);
      unroll<A::kLogLanes>([&](auto j) __attribute__((always_inline)) {
        constexpr int kStage = A::kLogLanes - 1 - decltype(j)::value;
        inverse_butterfly<A, false>(x, y, lane_factor(std::integral_constant<int, kStage>{}), m.m);
        A::template from_lane_stage<kStage>(x, y);
      });
      if constexpr (kBetween) {
        inverse_butterfly<A, false>(x, y, broadcast_twiddle<A>(words), m.m);
      }
    }
    r.store(w.to + 2 * i * kLanes<A>, kLanes<A>);
    end_loop<kLoop>();
  }
}

/// A tail of radix-4 butterflies on four vectors.
template <Direction kDirection, int kStages, ExtendedPolicy B = A>
__attribute__((noinline)) void quad_tail_loop(const Work& work) {
  constexpr int kLoop = loop_number(kTail, kDirection, 4, kStages);
  constexpr std::size_t kGroup = kQuadTailVectors * kLanes<B>;
  const Work w = work;
  const ExtendedModulus<B> m = make_extended_modulus<B>(w.q);
  const Twiddle<B> scale{B::broadcast(w.scale.operand), B::broadcast(w.scale.quotient)};
  for (std::size_t i = 0; i < w.count; ++i) {
    begin_loop<kLoop>();
    const std::uint64_t* const words = w.words + i * quad_tail_words(B::kLaneLayout, kStages);
    Rows<B, 2> r[1];
    r[0].load(w.from + i * kGroup, kLanes<B>);
    if constexpr (kDirection == kForward) {
      forward_quad_tail<B, kStages>(r, words, m);
      from_quad_lanes<B>(r[0]);
      reduce_rows<B, 2, (kStages % 2 == 0 ? kExtendedRanges<B>.forward : 4)>(r[0], 1, m);
    } else if constexpr (kHasWordQuads<B, kStages>) {
      inverse_word_quad_tail<B, false>(r[0], words, scale, m);
    } else {
      to_quad_lanes<B>(r[0]);
      inverse_quad_tail<B, kStages, false>(r, words, scale, m);
    }
    r[0].store(w.to + i * kGroup, kLanes<B>);
    end_loop<kLoop>();
  }
}

using Loop = void (*)(const Work&);

#define RINGLET_ROW_LOOPS(Body, K)                                               \
  &row_loop<kHeld, kForward, Body, K>, &row_loop<kFresh, kForward, Body, K>,     \
      &row_loop<kHeld, kInverse, Body, K>, &row_loop<kFresh, kInverse, Body, K>, \
      &row_loop<kLast, kInverse, Body, K>

constexpr int kEvenTail = A::kLogLanes + A::kLogLanes % 2;
constexpr int kOddTail = A::kLogLanes + 1 - A::kLogLanes % 2;

/// A compiler drops loops that nothing refers to.
[[gnu::used]] const Loop kLoops[] = {
    RINGLET_ROW_LOOPS(Pairs, 1),         RINGLET_ROW_LOOPS(Pairs, 2),
    RINGLET_ROW_LOOPS(Pairs, 3),         RINGLET_ROW_LOOPS(Quads, 2),
#if RINGLET_LOOPS_LANES
    RINGLET_ROW_LOOPS(Pairs, 4),         &merged_tail_loop<kForward, false>,
    &merged_tail_loop<kForward, true>,   &merged_tail_loop<kInverse, false>,
    &merged_tail_loop<kInverse, true>,   &pair_tail_loop<kForward, 1>,
    &pair_tail_loop<kForward, 2>,        &pair_tail_loop<kForward, 3>,
    &pair_tail_loop<kForward, 4>,        &pair_tail_loop<kInverse, 4>,
    &pair_tail_loop<kInverse, 1>,        &pair_tail_loop<kInverse, 2>,
    &pair_tail_loop<kInverse, 3>,        &quad_tail_loop<kForward, kEvenTail>,
    &quad_tail_loop<kForward, kOddTail>, &quad_tail_loop<kInverse, kEvenTail>,
    &quad_tail_loop<kInverse, kOddTail>,
#else
    RINGLET_ROW_LOOPS(Quads, 3),          &row_loop<kTail, kForward, Pairs, 1>,
    &row_loop<kTail, kForward, Pairs, 2>, &row_loop<kTail, kForward, Pairs, 3>,
    &row_loop<kTail, kForward, Quads, 2>, &row_loop<kTail, kForward, Quads, 3>,
    &row_loop<kTail, kInverse, Pairs, 1>, &row_loop<kTail, kInverse, Pairs, 2>,
    &row_loop<kTail, kInverse, Pairs, 3>, &row_loop<kTail, kInverse, Quads, 2>,
    &row_loop<kTail, kInverse, Quads, 3>,
#endif
};

}  // namespace
}  // namespace ringlet::kernels
