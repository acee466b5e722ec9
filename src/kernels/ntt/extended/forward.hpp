// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/extended/quad_tail.hpp"

namespace ringlet::kernels {

/// The forward transform as a visitor of walk_forward (Bradbury et al., Algorithm 7). With
/// kOrdered, results are in bit-reversed order, else as the tail leaves them in its vectors.
template <ExtendedPolicy A, ExtendedVariant kVariant, bool kOrdered>
struct ForwardExtended : ExtendedCursor<A> {
  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    if constexpr (A::kLogLanes > 0) {
      if (pass.is_tail) return tail(pass, first_block, block_count);
    }
    with_quad_stages<A, kVariant>(pass.row_stages, [&](auto k) __attribute__((always_inline)) {
      run<decltype(k)::value>(pass, first_block, block_count);
    });
  }

  /// Computes the stages of a pass on 2^K vectors.
  template <int K, bool kFirst, typename Factors>
  RINGLET_INLINE static void stages(Rows<A, K>& r, const Factors& factors,
                                    const ExtendedModulus<A>& m) {
    unroll<K / 2>([&](auto round) __attribute__((always_inline)) {
      constexpr int kRound = decltype(round)::value;
      quad_round<kRound, A, K>(r, factors, [&](auto&... xyzt) __attribute__((always_inline)) {
        forward_quad<A, (kFirst && kRound == 0)>(xyzt..., m);
      });
    });
    if constexpr (K % 2 != 0) {
      last_pairs<A, K>(r, factors,
                       [&](Vec<A>& u, Vec<A>& v, const Twiddle<A>& w)
                           __attribute__((always_inline)) { forward_pair<A, kRange>(u, v, w, m); });
    }
  }

 private:
  static constexpr int kRange = kExtendedRanges<A>.forward;
  using ExtendedCursor<A>::kPairWords;
  using ExtendedCursor<A>::kPairRecord;
  static_assert(kExtendedRanges<A>.forward_reduced >= 4,
                "operands of a caller need no reduction in stage 0");

  /// Returns the range of the values before lane stage v of a tail of pairs.
  static constexpr int range_of_lane_stage(int v, bool is_between) {
    int range = kRange;
    for (int stage = is_between ? -1 : 0; stage < v; ++stage) range = range_after_pair<A>(range);
    return range;
  }

  template <int K>
  RINGLET_INLINE void run(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    pass.first_stage == 0 ? run<K, true>(pass, first_block, block_count)
                          : run<K, false>(pass, first_block, block_count);
  }

  template <int K, bool kFirst>
  RINGLET_INLINE void run(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    constexpr bool kOneWord = A::kLogLanes == 0;
    const bool is_tail = kOneWord && pass.is_tail;
    is_tail ? rows<K, kFirst, kOneWord>(pass, first_block, block_count)
            : rows<K, kFirst, false>(pass, first_block, block_count);
  }

  /// With kIsTail, rows are neighbours. Without the constant, computing their addresses takes 5 %
  /// of a transform on vectors of one word.
  template <int K, bool kFirst, bool kIsTail>
  __attribute__((noinline)) void rows(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    const ExtendedModulus<A> m = this->modulus;
    const std::size_t row = kIsTail ? 1 : row_words(this->table.schedule, pass);
    std::uint64_t* const to = this->result;
    const std::uint64_t* const source = kFirst ? this->operand : this->result;
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      const std::size_t base = block * (row << K);
      const auto w = hold_factors<K>(this->template factors_of<kVariant.order, K>(pass, block));
      for (std::size_t j = base; j < base + row; j += kLanes<A>) {
        Rows<A, K> r;
        r.load(source + j, row);
        stages<K, kFirst>(r, w, m);
        if constexpr (kIsTail) {
          constexpr int kEnd = K % 2 == 0 ? kRange : range_after_pair<A>(kRange);
          reduce_rows<A, K, kEnd>(r, this->factors.output, m);
        }
        r.store(to + j, row);
      }
    }
  }

  RINGLET_INLINE void tail(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    if constexpr (kVariant.tail == ExtendedTail::pairs) {
      pass.row_stages > A::kLogLanes ? pair_tail<true>(pass, first_block, block_count)
                                     : pair_tail<false>(pass, first_block, block_count);
    } else {
      if (pass.row_stages % 2 == 0) {
        quad_tail<A::kLogLanes + A::kLogLanes % 2>(pass, first_block, block_count);
      } else {
        quad_tail<A::kLogLanes + 1 - A::kLogLanes % 2>(pass, first_block, block_count);
      }
    }
  }

  /// Transforms pairs of vectors by radix-2 butterflies in their lanes, with kBetween also between
  /// the two. Several pairs go side by side, because the stages of one wait for each other.
  template <bool kBetween>
  RINGLET_INLINE void pair_tail(const Pass& pass, std::size_t first_block,
                                std::size_t block_count) {
    const auto [first, many, last] = this->pairs_of(pass, first_block, block_count);
    const std::uint64_t* const source = pass.first_stage == 0 ? this->operand : this->result;
    pairs<kPairsSideBySide, kBetween>(source, first, many);
    pairs<1, kBetween>(source, many, last);
  }

  template <int kPairs, bool kBetween>
  __attribute__((noinline)) void pairs(const std::uint64_t* source, std::size_t first,
                                       std::size_t last) {
    const ExtendedModulus<A> m = this->modulus;
    std::uint64_t* const to = this->result;
    const int output = this->factors.output;
    const std::uint64_t* words = this->tail_stream;
    for (std::size_t pair = first; pair < last; pair += kPairs) {
      Rows<A, 1> r[kPairs];
      unroll<kPairs>([&](auto p) __attribute__((always_inline)) {
        r[p].load(source + (pair + p) * kPairWords, kLanes<A>);
        if constexpr (kBetween) {
          const Twiddle<A> w = broadcast_twiddle<A>(words + p * kPairRecord);
          forward_pair<A, kRange>(r[p].x[0], r[p].x[1], w, m);
        }
      });
      unroll<A::kLogLanes>([&](auto v) __attribute__((always_inline)) {
        constexpr int kStage = decltype(v)::value;
        unroll<kPairs>([&](auto p) __attribute__((always_inline)) {
          A::template to_lane_stage<kStage>(r[p].x[0], r[p].x[1]);
          const Twiddle<A> w =
              A::template lane_twiddle<kStage>(words + p * kPairRecord + lane_offset<A, 1>(kStage));
          forward_pair<A, range_of_lane_stage(kStage, kBetween)>(r[p].x[0], r[p].x[1], w, m);
        });
      });
      unroll<kPairs>([&](auto p) __attribute__((always_inline)) {
        if constexpr (kOrdered) A::template to_lane_stage<A::kLogLanes>(r[p].x[0], r[p].x[1]);
        reduce_rows<A, 1, range_of_lane_stage(A::kLogLanes, kBetween)>(r[p], output, m);
        r[p].store(to + (pair + p) * kPairWords, kLanes<A>);
      });
      words += kPairs * kPairRecord;
    }
    this->tail_stream = words;
  }

  /// Computes the last kStages stages by radix-4 butterflies on groups of four vectors.
  template <int kStages>
  RINGLET_INLINE void quad_tail(const Pass& pass, std::size_t first_block,
                                std::size_t block_count) {
    const std::uint64_t* const source = pass.first_stage == 0 ? this->operand : this->result;
    QuadGroups groups = quad_groups<A>(this->table.schedule, pass, first_block, block_count);
    quads<kStages, kQuadGroupsAtOnce<A, kStages>>(source, groups);
    quads<kStages, 1>(source, groups);
  }

  /// Transforms kGroups groups side by side, as long as that many are left.
  template <int kStages, int kGroups>
  __attribute__((noinline)) void quads(const std::uint64_t* source, QuadGroups& groups) {
    constexpr int kEnd = kStages % 2 == 0 ? kRange : range_after_pair<A>(kRange);
    const ExtendedModulus<A> m = this->modulus;
    std::uint64_t* const to = this->result;
    const int output = this->factors.output;
    const std::uint64_t* words = this->tail_stream;
    std::size_t base = groups.first;
    for (; base + (kGroups - 1) * groups.step < groups.last; base += kGroups * groups.step) {
      Rows<A, 2> r[kGroups];
      unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
        load_quad_group<A>(r[g], source + base + g * groups.step, groups.half);
      });
      forward_quad_tail<A, kStages>(r, words, m);
      unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
        if (kOrdered || groups.half == 0) from_quad_lanes<A>(r[g]);
        reduce_rows<A, 2, kEnd>(r[g], output, m);
        store_quad_group<A>(r[g], to + base + g * groups.step, groups.half);
      });
      words += kGroups * quad_tail_words(A::kLaneLayout, kStages);
    }
    groups.first = base;
    this->tail_stream = words;
  }
};

}  // namespace ringlet::kernels
