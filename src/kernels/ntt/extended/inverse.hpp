// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/extended/quad_tail.hpp"
#include "kernels/ntt/radix2/inverse.hpp"

namespace ringlet::kernels {

/// The inverse transform as a visitor of walk_inverse (Bradbury et al., Algorithm 8): the mirror
/// image of ForwardExtended.
template <ExtendedPolicy A, ExtendedVariant kVariant, bool kOrdered>
struct InverseExtended : ExtendedCursor<A> {
  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    const bool last = pass.first_stage == 0;
    if constexpr (A::kLogLanes > 0) {
      if (pass.is_tail) {
        return last ? tail<true>(pass, first_block, block_count)
                    : tail<false>(pass, first_block, block_count);
      }
    }
    with_quad_stages<A, kVariant>(pass.row_stages, [&](auto k) __attribute__((always_inline)) {
      constexpr int K = decltype(k)::value;
      last ? run<K, true>(pass, first_block, block_count)
           : run<K, false>(pass, first_block, block_count);
    });
  }

  /// Computes the stages of a pass on 2^K vectors.
  template <int K, bool kLast, typename Factors>
  RINGLET_INLINE static void stages(Rows<A, K>& r, const Factors& factors, const Twiddle<A>& n,
                                    const ExtendedModulus<A>& m) {
    if constexpr (K % 2 != 0) {
      last_pairs<A, K>(
          r, factors,
          [&](Vec<A>& u, Vec<A>& v, const Twiddle<A>& w)
              __attribute__((always_inline)) { inverse_butterfly<A, false>(u, v, w, m.m); });
    }
    unroll<K / 2>([&](auto i) __attribute__((always_inline)) {
      constexpr int kRound = K / 2 - 1 - decltype(i)::value;
      quad_round<kRound, A, K>(r, factors,
                               [&](Vec<A>& x, Vec<A>& y, Vec<A>& z, Vec<A>& t,
                                   const QuadTwiddles<A>& w) __attribute__((always_inline)) {
                                 inverse_quad<A, (kLast && kRound == 0)>(x, y, z, t, {w, n}, m);
                               });
    });
  }

  /// Reduces results of the last pass from [0, kRange*q) to the range that the caller asked for.
  template <int K>
  RINGLET_INLINE static void finish(Rows<A, K>& r, int output, const ExtendedModulus<A>& m) {
    unroll<(1 << K)>([&](auto i) __attribute__((always_inline)) {
      r.x[i] = reduce_multiples<A, kRange, 2>(r.x[i], m);
    });
    if (output == 1) r.reduce_once(m.m.q);
  }

 private:
  static constexpr int kRange = kExtendedRanges<A>.inverse;
  using ExtendedCursor<A>::kPairWords;
  using ExtendedCursor<A>::kPairRecord;

  RINGLET_INLINE Twiddle<A> scale() const {
    return {A::broadcast(this->table.degree_inverse.operand),
            A::broadcast(this->table.degree_inverse.quotient)};
  }

  template <int K, bool kLast>
  RINGLET_INLINE void run(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    constexpr bool kOneWord = A::kLogLanes == 0;
    const bool is_tail = kOneWord && pass.is_tail;
    is_tail ? rows<K, kLast, kOneWord>(pass, first_block, block_count)
            : rows<K, kLast, false>(pass, first_block, block_count);
  }

  /// With kIsTail, rows are neighbours. Without the constant, computing their addresses takes 5 %
  /// of a transform on vectors of one word.
  template <int K, bool kLast, bool kIsTail>
  __attribute__((noinline)) void rows(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    const ExtendedModulus<A> m = this->modulus;
    const Twiddle<A> n = scale();
    const std::size_t row = kIsTail ? 1 : row_words(this->table.schedule, pass);
    std::uint64_t* const to = this->result;
    const std::uint64_t* const source = kIsTail ? this->operand : this->result;
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      const std::size_t base = block * (row << K);
      const auto w = hold_factors<K>(this->template factors_of<kVariant.order, K>(pass, block));
      for (std::size_t j = base; j < base + row; j += kLanes<A>) {
        Rows<A, K> r;
        r.load(source + j, row);
        stages<K, kLast>(r, w, n, m);
        if constexpr (kLast) finish(r, this->factors.output, m);
        r.store(to + j, row);
      }
    }
  }

  template <bool kLast>
  RINGLET_INLINE void tail(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    if constexpr (kVariant.tail == ExtendedTail::pairs) {
      pass.row_stages > A::kLogLanes ? pair_tail<true, kLast>(pass, first_block, block_count)
                                     : pair_tail<false, kLast>(pass, first_block, block_count);
    } else if (pass.row_stages % 2 == 0) {
      quad_tail<A::kLogLanes + A::kLogLanes % 2, kLast>(pass, first_block, block_count);
    } else {
      quad_tail<A::kLogLanes + 1 - A::kLogLanes % 2, kLast>(pass, first_block, block_count);
    }
  }

  /// Transforms pairs of vectors as in the forward transform.
  template <bool kBetween, bool kLast>
  RINGLET_INLINE void pair_tail(const Pass& pass, std::size_t first_block,
                                std::size_t block_count) {
    const auto [first, many, last] = this->pairs_of(pass, first_block, block_count);
    pairs<kPairsSideBySide, kBetween, kLast>(first, many);
    pairs<1, kBetween, kLast>(many, last);
  }

  template <int kPairs, bool kBetween, bool kLast>
  __attribute__((noinline)) void pairs(std::size_t first, std::size_t last) {
    const ExtendedModulus<A> m = this->modulus;
    const Twiddle<A> n = scale();
    std::uint64_t* const to = this->result;
    const std::uint64_t* words = this->tail_stream;
    for (std::size_t pair = first; pair < last; pair += kPairs) {
      Rows<A, 1> r[kPairs];
      unroll<kPairs>([&](auto p) __attribute__((always_inline)) {
        r[p].load(this->operand + (pair + p) * kPairWords, kLanes<A>);
        if constexpr (kOrdered) A::template from_lane_stage<A::kLogLanes>(r[p].x[0], r[p].x[1]);
      });
      unroll<A::kLogLanes>([&](auto i) __attribute__((always_inline)) {
        constexpr int kStage = A::kLogLanes - 1 - decltype(i)::value;
        unroll<kPairs>([&](auto p) __attribute__((always_inline)) {
          const Twiddle<A> w =
              A::template lane_twiddle<kStage>(words + p * kPairRecord + lane_offset<A, 1>(kStage));
          inverse_butterfly<A, false>(r[p].x[0], r[p].x[1], w, m.m);
          A::template from_lane_stage<kStage>(r[p].x[0], r[p].x[1]);
        });
      });
      unroll<kPairs>([&](auto p) __attribute__((always_inline)) {
        if constexpr (kBetween) {
          const Twiddle<A> w = broadcast_twiddle<A>(words + p * kPairRecord);
          if constexpr (kLast) {
            last_inverse_butterfly<A>(r[p].x[0], r[p].x[1], w, n, m.m);
            finish(r[p], this->factors.output, m);
          } else {
            inverse_butterfly<A, false>(r[p].x[0], r[p].x[1], w, m.m);
          }
        }
        r[p].store(to + (pair + p) * kPairWords, kLanes<A>);
      });
      words += kPairs * kPairRecord;
    }
    this->tail_stream = words;
  }

  template <int kStages, bool kLast>
  RINGLET_INLINE void quad_tail(const Pass& pass, std::size_t first_block,
                                std::size_t block_count) {
    QuadGroups groups = quad_groups<A>(this->table.schedule, pass, first_block, block_count);
    quads<kStages, kQuadGroupsAtOnce<A, kStages>, kLast>(groups);
    quads<kStages, 1, kLast>(groups);
  }

  template <int kStages, int kGroups, bool kLast>
  __attribute__((noinline)) void quads(QuadGroups& groups) {
    const ExtendedModulus<A> m = this->modulus;
    const Twiddle<A> n = scale();
    std::uint64_t* const to = this->result;
    const int output = this->factors.output;
    const std::uint64_t* words = this->tail_stream;
    std::size_t base = groups.first;
    for (; base + (kGroups - 1) * groups.step < groups.last; base += kGroups * groups.step) {
      Rows<A, 2> r[kGroups];
      unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
        load_quad_group<A>(r[g], this->operand + base + g * groups.step, groups.half);
        if constexpr (!kHasWordQuads<A, kStages>) {
          if (kOrdered || groups.half == 0) to_quad_lanes<A>(r[g]);
        } else {
          static_assert(kOrdered);
          inverse_word_quad_tail<A, kLast>(
              r[g], words + g * quad_tail_words(A::kLaneLayout, kStages), n, m);
        }
      });
      if constexpr (!kHasWordQuads<A, kStages>) {
        inverse_quad_tail<A, kStages, kLast>(r, words, n, m);
      }
      unroll<kGroups>([&](auto g) __attribute__((always_inline)) {
        if constexpr (kLast) finish(r[g], output, m);
        store_quad_group<A>(r[g], to + base + g * groups.step, groups.half);
      });
      words += kGroups * quad_tail_words(A::kLaneLayout, kStages);
    }
    groups.first = base;
    this->tail_stream = words;
  }
};

}  // namespace ringlet::kernels
