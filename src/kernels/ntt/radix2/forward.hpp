// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/radix2/rows.hpp"

namespace ringlet::kernels {

/// Computes stage u between the vectors of `r`. With kReduced, its inputs are in [0, 2q).
template <ArithmeticPolicy A, int K, int u, bool kReduced>
RINGLET_INLINE void forward_row_stage(Rows<A, K>& r, const Twiddle<A>* tree, const Mod<A>& m) {
  r.template stage<u>(
      [&](int t) __attribute__((always_inline)) -> const Twiddle<A>& { return tree[t]; },
      [&](Vec<A>& a, Vec<A>& b, const Twiddle<A>& w)
          __attribute__((always_inline)) { forward_butterfly<A, kReduced>(a, b, w, m); });
}

/// Computes K stages between the vectors of `r`, first stage first. With kReduced, the inputs of
/// the first stage are in [0, 2q).
template <ArithmeticPolicy A, int K, bool kReduced>
RINGLET_INLINE void forward_row_stages(Rows<A, K>& r, const Twiddle<A>* tree, const Mod<A>& m) {
  unroll<K>([&](auto u) __attribute__((always_inline)) {
    forward_row_stage<A, K, decltype(u)::value, (kReduced && decltype(u)::value == 0)>(r, tree, m);
  });
}

/// Computes stage v inside the vectors of `r`, with the twiddles of the record at `words`.
template <ArithmeticPolicy A, int K, int v>
RINGLET_INLINE void forward_lane_stage(Rows<A, K>& r, const std::uint64_t* words, const Mod<A>& m) {
  const std::uint64_t* const lane = words + lane_offset<A, K>(v);
  r.pairs([&](Vec<A>& a, Vec<A>& b, int pair) __attribute__((always_inline)) {
    A::template to_lane_stage<v>(a, b);
    const Twiddle<A> w = A::template lane_twiddle<v>(lane + static_cast<std::size_t>(pair) *
                                                                lane_words(A::kLaneLayout, v));
    forward_butterfly<A, false>(a, b, w, m);
  });
}

/// Computes all stages of the tail on one block in registers, with the twiddles of the record at
/// `words`. The lanes stay in the order of the last stage; to_lane_stage<kLogLanes> restores the
/// natural order.
template <ArithmeticPolicy A, int K>
RINGLET_INLINE void forward_tail_stages(Rows<A, K>& r, const std::uint64_t* words,
                                        const Mod<A>& m) {
  Twiddle<A> tree[(1 << K) - 1];
  load_tree<A, K>(tree, words);
  forward_row_stages<A, K, false>(r, tree, m);
  unroll<A::kLogLanes>([&](auto v) __attribute__((always_inline)) {
    forward_lane_stage<A, K, decltype(v)::value>(r, words, m);
  });
}

/// Runs a row pass of the forward transform over some blocks.
template <ArithmeticPolicy A, int K, bool kReduced>
__attribute__((noinline)) void forward_row_pass(Radix2Cursor<A>& cursor, const Pass& pass,
                                                std::size_t first_block, std::size_t block_count) {
  const Mod<A> m = cursor.modulus;
  const std::size_t row = row_words(cursor.table.schedule, pass);
  const std::uint64_t* const source = pass.first_stage == 0 ? cursor.operand : cursor.result;
  for (std::size_t block = first_block; block < first_block + block_count; ++block) {
    const std::size_t base = block * (row << K);
    const std::uint64_t* from = source + base;
    std::uint64_t* to = cursor.result + base;
    Twiddle<A> tree[(1 << K) - 1];
    load_tree<A, K>(tree, cursor.stream);
    cursor.stream += tree_words(pass);
    for (std::size_t j = 0; j < row; j += kLanes<A>) {
      Rows<A, K> r;
      r.load(from + j, row);
      forward_row_stages<A, K, kReduced>(r, tree, m);
      r.store(to + j, row);
    }
  }
}

/// The forward transform as a visitor of walk_forward. With kOrdered, results are in bit-reversed
/// order, else as the last stage leaves them in its vectors.
template <ArithmeticPolicy A, bool kOrdered = true>
struct ForwardRadix2 : Radix2Cursor<A> {
  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    with_row_stages<A>(pass.row_stages, [&](auto k) __attribute__((always_inline)) {
      run<decltype(k)::value>(pass, first_block, block_count);
    });
  }

 private:
  template <int K>
  RINGLET_INLINE void run(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    if (pass.is_tail) {
      if constexpr (kProductsAreResidues<A>) return tail<K, true>(pass, first_block, block_count);
      this->factors.output == 1 ? tail<K, true>(pass, first_block, block_count)
                                : tail<K, false>(pass, first_block, block_count);
    } else {
      pass.first_stage == 0 && this->factors.input <= 2
          ? forward_row_pass<A, K, true>(*this, pass, first_block, block_count)
          : forward_row_pass<A, K, false>(*this, pass, first_block, block_count);
    }
  }

  template <int K, bool kReduceOutput>
  __attribute__((noinline)) void tail(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    constexpr std::size_t kWords = kLanes<A> << K;
    const Mod<A> m = this->modulus;
    const std::uint64_t* const source = pass.first_stage == 0 ? this->operand : this->result;
    const std::uint64_t* words = this->stream;
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      Rows<A, K> r;
      r.load(source + block * kWords, kLanes<A>);
      forward_tail_stages<A, K>(r, words, m);
      if constexpr (kOrdered) {
        r.pairs([&](Vec<A>& a, Vec<A>& b, int) __attribute__((always_inline)) {
          A::template to_lane_stage<A::kLogLanes>(a, b);
        });
      }
      if constexpr (kReduceOutput) {
        r.reduce_once(m.two_q);
        if constexpr (!kProductsAreResidues<A>) r.reduce_once(m.q);
      }
      r.store(this->result + block * kWords, kLanes<A>);
      words += lane_offset<A, K>(A::kLogLanes);
    }
    this->stream = words;
  }
};

}  // namespace ringlet::kernels
