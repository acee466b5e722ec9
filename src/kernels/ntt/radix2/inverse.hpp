// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/radix2/rows.hpp"

namespace ringlet::kernels {

/// Returns the factor 1/N.
template <ArithmeticPolicy A>
RINGLET_INLINE Twiddle<A> degree_inverse(const Radix2Table& table) {
  return {A::broadcast(table.degree_inverse.operand), A::broadcast(table.degree_inverse.quotient)};
}

/// Computes K stages between the vectors of `r`, last stage first. With kLast, stage 0 also divides
/// by N. With kReduced, the inputs are in [0, q).
template <ArithmeticPolicy A, int K, bool kLast, bool kReduced>
RINGLET_INLINE void inverse_row_stages(Rows<A, K>& r, const Twiddle<A>* tree,
                                       const Twiddle<A>& scale, const Mod<A>& m) {
  unroll<K>([&](auto i) __attribute__((always_inline)) {
    constexpr int kStage = K - 1 - decltype(i)::value;
    r.template stage<kStage>(
        [&](int t) __attribute__((always_inline)) -> const Twiddle<A>& { return tree[t]; },
        [&](Vec<A>& a, Vec<A>& b, const Twiddle<A>& w) __attribute__((always_inline)) {
          if constexpr (kLast && kStage == 0) {
            last_inverse_butterfly<A>(a, b, w, scale, m);
          } else {
            inverse_butterfly<A, (kReduced && decltype(i)::value == 0)>(a, b, w, m);
          }
        });
  });
}

/// Computes all stages of the tail on one block in registers. Its lanes are in the order that
/// forward_tail_stages leaves; from_lane_stage<kLogLanes> makes that order from the natural one.
template <ArithmeticPolicy A, int K, bool kLast, bool kReduced>
RINGLET_INLINE void inverse_tail_stages(Rows<A, K>& r, const std::uint64_t* words,
                                        const Twiddle<A>& scale, const Mod<A>& m) {
  constexpr int kLaneStages = A::kLogLanes;
  unroll<kLaneStages>([&](auto i) __attribute__((always_inline)) {
    constexpr int kStage = kLaneStages - 1 - decltype(i)::value;
    const std::uint64_t* lane = words + lane_offset<A, K>(kStage);
    r.pairs([&](Vec<A>& a, Vec<A>& b, int pair) __attribute__((always_inline)) {
      const Twiddle<A> w = A::template lane_twiddle<kStage>(
          lane + static_cast<std::size_t>(pair) * lane_words(A::kLaneLayout, kStage));
      inverse_butterfly<A, (kReduced && decltype(i)::value == 0)>(a, b, w, m);
      A::template from_lane_stage<kStage>(a, b);
    });
  });
  Twiddle<A> tree[(1 << K) - 1];
  load_tree<A, K>(tree, words);
  inverse_row_stages<A, K, kLast, kReduced && kLaneStages == 0>(r, tree, scale, m);
}

/// Runs a row pass of the inverse transform over some blocks.
template <ArithmeticPolicy A, int K, bool kLast>
__attribute__((noinline)) void inverse_row_pass(Radix2Cursor<A>& cursor, const Pass& pass,
                                                std::size_t first_block, std::size_t block_count) {
  const Mod<A> m = cursor.modulus;
  const Twiddle<A> scale = degree_inverse<A>(cursor.table);
  const bool reduce_output = kLast && !kProductsAreResidues<A> && cursor.factors.output == 1;
  const std::size_t row = row_words(cursor.table.schedule, pass);
  for (std::size_t block = first_block; block < first_block + block_count; ++block) {
    std::uint64_t* data = cursor.result + block * (row << K);
    Twiddle<A> tree[(1 << K) - 1];
    load_tree<A, K>(tree, cursor.stream);
    cursor.stream += tree_words(pass);
    for (std::size_t j = 0; j < row; j += kLanes<A>) {
      Rows<A, K> r;
      r.load(data + j, row);
      inverse_row_stages<A, K, kLast, false>(r, tree, scale, m);
      if (reduce_output) r.reduce_once(m.q);
      r.store(data + j, row);
    }
  }
}

/// The inverse transform as a visitor of walk_inverse, of values as ForwardRadix2 leaves them.
template <ArithmeticPolicy A, bool kOrdered = true>
struct InverseRadix2 : Radix2Cursor<A> {
  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    with_row_stages<A>(pass.row_stages, [&](auto k) __attribute__((always_inline)) {
      run<decltype(k)::value>(pass, first_block, block_count);
    });
  }

 private:
  template <int K>
  RINGLET_INLINE void run(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    const bool last = pass.first_stage == 0;
    if (pass.is_tail) {
      if (last) return tail<K, true, false>(first_block, block_count);
      if constexpr (kProductsAreResidues<A> && K == A::kMaxRowStages) {
        tail<K, false, false>(first_block, block_count);
      } else if constexpr (K == A::kMaxRowStages) {
        this->factors.input == 1 ? tail<K, false, true>(first_block, block_count)
                                 : tail<K, false, false>(first_block, block_count);
      }
    } else {
      if (last) return inverse_row_pass<A, K, true>(*this, pass, first_block, block_count);
      if constexpr (K >= min_inner_stages(A::kMaxRowStages)) {
        inverse_row_pass<A, K, false>(*this, pass, first_block, block_count);
      }
    }
  }

  template <int K, bool kLast, bool kReduced>
  __attribute__((noinline)) void tail(std::size_t first_block, std::size_t block_count) {
    constexpr std::size_t kWords = kLanes<A> << K;
    constexpr int kLaneStages = A::kLogLanes;
    const Mod<A> m = this->modulus;
    const Twiddle<A> scale = degree_inverse<A>(this->table);
    const std::uint64_t* words = this->stream;
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      Rows<A, K> r;
      r.load(this->operand + block * kWords, kLanes<A>);
      if constexpr (kOrdered) {
        r.pairs([&](Vec<A>& a, Vec<A>& b, int) __attribute__((always_inline)) {
          A::template from_lane_stage<kLaneStages>(a, b);
        });
      }
      inverse_tail_stages<A, K, kLast, kReduced>(r, words, scale, m);
      if (kLast && !kProductsAreResidues<A> && this->factors.output == 1) r.reduce_once(m.q);
      r.store(this->result + block * kWords, kLanes<A>);
      words += lane_offset<A, K>(kLaneStages);
    }
    this->stream = words;
  }
};

}  // namespace ringlet::kernels
