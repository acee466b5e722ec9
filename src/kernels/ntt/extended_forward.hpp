// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/extended_quad_tail.hpp"
#include "kernels/ntt/radix2_forward.hpp"

namespace ringlet::kernels {

/// The forward transform as a visitor of walk_forward (Bradbury et al., Algorithm 7). With
/// kOrdered, results stand in bit-reversed order, else as the tail leaves them in its vectors.
template <ExtendedPolicy A, ExtendedVariant kVariant, bool kOrdered>
struct ForwardExtended : ExtendedCursor<A> {
  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    if (pass.is_tail && A::kLogLanes > 0) {
      tail(pass, first_block, block_count);
    } else {
      with_quad_stages<A, kVariant>(pass.row_stages, [&](auto k) __attribute__((always_inline)) {
        run<decltype(k)::value>(pass, first_block, block_count);
      });
    }
  }

 private:
  static constexpr int kRange = kExtendedRanges<A>.forward;
  static_assert(kExtendedRanges<A>.forward_reduced >= 4,
                "operands of a caller need no reduction in stage 0");

  template <int K>
  RINGLET_INLINE void run(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    pass.first_stage == 0 ? rows<K, true>(pass, first_block, block_count)
                          : rows<K, false>(pass, first_block, block_count);
  }

  template <int K, bool kFirst>
  __attribute__((noinline)) void rows(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    const ExtendedModulus<A> m = this->modulus;
    const std::size_t row = row_words(this->table.schedule, pass);
    std::uint64_t* const result = this->result;
    const std::uint64_t* const source = kFirst ? this->operand : this->result;
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      const std::size_t base = block * (row << K);
      const auto w = hold_factors<K>(this->template factors_of<kVariant.order, K>(pass, block));
      for (std::size_t j = base; j < base + row; j += kLanes<A>) {
        Rows<A, K> r;
        r.load(source + j, row);
        stages<K, kFirst>(r, w, m);
        if constexpr (A::kLogLanes == 0) {
          constexpr int kEnd = K % 2 == 0 ? kRange : 4;
          if (pass.is_tail) reduce_rows<A, K, kEnd>(r, this->factors.output, m);
        }
        r.store(result + j, row);
      }
    }
  }

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
                           __attribute__((always_inline)) { forward_pair<A>(u, v, w, m); });
    }
  }

  RINGLET_INLINE void tail(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    const bool reduce = this->factors.output == 1;
    if constexpr (kVariant.tail == ExtendedTail::pairs) {
      if (pass.row_stages - A::kLogLanes == 1) {
        reduce ? pair_tail<1, true>(pass, first_block, block_count)
               : pair_tail<1, false>(pass, first_block, block_count);
      } else {
        reduce ? pair_tail<2, true>(pass, first_block, block_count)
               : pair_tail<2, false>(pass, first_block, block_count);
      }
    } else {
      if (pass.row_stages % 2 == 0) {
        quad_tail<A::kLogLanes + A::kLogLanes % 2>(pass, first_block, block_count);
      } else {
        quad_tail<A::kLogLanes + 1 - A::kLogLanes % 2>(pass, first_block, block_count);
      }
    }
  }

  /// 2^K vectors by radix-2 butterflies.
  template <int K, bool kReduceOutput>
  __attribute__((noinline)) void pair_tail(const Pass& pass, std::size_t first_block,
                                           std::size_t block_count) {
    constexpr std::size_t kWords = kLanes<A> << K;
    const ExtendedModulus<A> m = this->modulus;
    const std::uint64_t* const source = pass.first_stage == 0 ? this->operand : this->result;
    const std::uint64_t* words = this->tail_stream;
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      Rows<A, K> r;
      r.load(source + block * kWords, kLanes<A>);
      unroll<(1 << K) / 2>([&](auto i) __attribute__((always_inline)) {
        r.x[i] = reduce_multiples<A, kRange, 4>(r.x[i], m);
      });
      forward_tail_stages<A, K, false>(r, words, m.m);
      if constexpr (kOrdered) {
        r.pairs([&](Vec<A>& a, Vec<A>& b, int) __attribute__((always_inline)) {
          A::template to_lane_stage<A::kLogLanes>(a, b);
        });
      }
      if constexpr (kReduceOutput) reduce_rows<A, K, 4>(r, 1, m);
      r.store(this->result + block * kWords, kLanes<A>);
      words += lane_offset<A, K>(A::kLogLanes);
    }
    this->tail_stream = words;
  }

  /// The last kStages stages on four vectors at a time by radix-4 butterflies.
  template <int kStages>
  __attribute__((noinline)) void quad_tail(const Pass& pass, std::size_t first_block,
                                           std::size_t block_count) {
    const ExtendedModulus<A> m = this->modulus;
    const std::uint64_t* const source = pass.first_stage == 0 ? this->operand : this->result;
    const std::uint64_t* words = this->tail_stream;
    const auto groups = quad_groups<A>(this->table.schedule, pass, first_block, block_count);
    for (std::size_t base = groups.first; base < groups.last; base += groups.step) {
      Rows<A, 2> r;
      load_quad_group<A>(r, source + base, groups.half);
      forward_quad_tail<A, kStages>(r, words, m);
      if (kOrdered || groups.half == 0) from_quad_lanes<A>(r);
      reduce_rows<A, 2, (kStages % 2 == 0 ? kRange : 4)>(r, this->factors.output, m);
      store_quad_group<A>(r, this->result + base, groups.half);
      words += quad_tail_words(A::kLaneLayout, kStages);
    }
    this->tail_stream = words;
  }
};

}  // namespace ringlet::kernels
