// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/ntt_rows.hpp"

namespace ringlet::kernels {

/// The forward transform as a visitor of walk_forward (Cooley-Tukey, radix 2; several stages share
/// one trip through the registers). The first pass reads the caller's words, the tail writes them.
template <WidePolicy A>
struct WideForward : WideCursor<A> {
  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    with_wide_row_stages<A>(pass.row_stages, [&](auto k) __attribute__((always_inline)) {
      constexpr int K = decltype(k)::value;
      const bool is_first = pass.first_stage == 0;
      if (pass.is_tail) {
        is_first ? tail<K, true>(first_block, block_count)
                 : tail<K, false>(first_block, block_count);
      } else {
        is_first ? rows<K, true>(pass, first_block, block_count)
                 : rows<K, false>(pass, first_block, block_count);
      }
    });
  }

 private:
  template <bool kFirst>
  RINGLET_INLINE WideElement<A> load(std::size_t element, const WideElement<A>& offset) const {
    if constexpr (!kFirst) return load_limbs<A>(this->scratch(element));
    return A::start_forward(to_element<A>(load_words<A>(this->arguments.operand, element)),
                            offset);
  }

  template <int K>
  RINGLET_INLINE static void row_stages(WideRows<A, K>& r, const std::uint64_t* words,
                                        const typename A::WideModulus& m) {
    WideTwiddle<A> tree[(1 << K) - 1];
    load_factors<A, K>(tree, words);
    row_stages(r, tree, m);
  }
  template <int K>
  RINGLET_INLINE static void row_stages(WideRows<A, K>& r,
                                        const WideTwiddle<A> (&tree)[(1 << K) - 1],
                                        const typename A::WideModulus& m) {
    unroll<K>([&](auto u) __attribute__((always_inline)) {
      r.template stage<decltype(u)::value>(
          [&](WideElement<A>& a, WideElement<A>& b, int t)
              __attribute__((always_inline)) { A::forward_butterfly(a, b, tree[t], m); });
    });
  }

  template <int K, bool kFirst>
  __attribute__((noinline)) void rows(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    const typename A::WideModulus m = this->modulus;
    const WideElement<A> offset = broadcast_limbs<A>(this->table.forward_offset);
    const std::size_t row = row_words(this->table.schedule, pass);
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      WideTwiddle<A> tree[(1 << K) - 1];
      load_factors<A, K>(tree, this->stream);
      this->stream += wide_tree_words(pass, kFactorWords<A>);
      const std::size_t base = block * (row << K);
      for (std::size_t j = base; j < base + row; j += kWideLanes<A>) {
        WideRows<A, K> r;
        r.each([&](std::size_t e, WideElement<A>& x)
                   __attribute__((always_inline)) { x = load<kFirst>(j + e * row, offset); });
        row_stages<K>(r, tree, m);
        r.each([&](std::size_t e, const WideElement<A>& x) __attribute__((always_inline)) {
          store_limbs<A>(this->scratch(j + e * row), x);
        });
      }
    }
  }

  template <int K, bool kFirst>
  __attribute__((noinline)) void tail(std::size_t first_block, std::size_t block_count) {
    constexpr std::size_t kElements = kWideLanes<A> << K;
    const typename A::WideModulus m = this->modulus;
    const WideElement<A> offset = broadcast_limbs<A>(this->table.forward_offset);
    const std::uint64_t* words = this->stream;
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      const std::size_t base = block * kElements;
      WideRows<A, K> r;
      r.each([&](std::size_t e, WideElement<A>& x) __attribute__((always_inline)) {
        x = load<kFirst>(base + e * kWideLanes<A>, offset);
      });
      row_stages<K>(r, words, m);
      unroll<A::kLogLanes>([&](auto v) __attribute__((always_inline)) {
        lane_stage<K, decltype(v)::value>(r, words, m);
      });
      r.pairs([&](WideElement<A>& a, WideElement<A>& b, std::size_t pair)
                  __attribute__((always_inline)) {
        WordPair<A> x = finish_forward_words<A>(a, m);
        WordPair<A> y = finish_forward_words<A>(b, m);
        A::template to_lane_stage<A::kLogLanes>(x.low, y.low);
        A::template to_lane_stage<A::kLogLanes>(x.high, y.high);
        const std::size_t element = base + 2 * pair * kWideLanes<A>;
        store_words<A>(this->arguments.result, element, x);
        store_words<A>(this->arguments.result, element + kWideLanes<A>, y);
      });
      words += wide_lane_offset<A, K>(A::kLogLanes);
    }
    this->stream = words;
  }

  template <int K, int v>
  RINGLET_INLINE static void lane_stage(WideRows<A, K>& r, const std::uint64_t* record,
                                        const typename A::WideModulus& m) {
    const std::uint64_t* const words = record + wide_lane_offset<A, K>(v);
    r.pairs([&](WideElement<A>& a, WideElement<A>& b, std::size_t pair)
                __attribute__((always_inline)) {
      permute_limbs<A>(a, b, [](auto& x, auto& y)
                                 __attribute__((always_inline)) {
                                   A::template to_lane_stage<v>(x, y);
                                 });
      const WideTwiddle<A> w =
          lane_factor<A, v>(words + pair * wide_lane_words(A::kLaneLayout, v, kFactorWords<A>));
      A::forward_butterfly(a, b, w, m);
    });
  }
};

}  // namespace ringlet::kernels
