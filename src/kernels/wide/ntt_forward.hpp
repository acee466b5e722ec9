// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/ntt_rows.hpp"

namespace ringlet::kernels {

/// The forward transform as a visitor of walk_forward (Cooley-Tukey, radix 2; several stages share
/// one trip through the registers). The first pass reads the caller's words, the tail writes them.
template <WidePolicy A>
struct WideForward : WideCursor<A> {
  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    run_wide_pass<A>(*this, pass, first_block, block_count);
  }

 private:
  template <WidePolicy P, typename Visitor>
  friend void run_wide_pass(Visitor&, const Pass&, std::size_t, std::size_t);

  template <bool kFirst>
  RINGLET_INLINE WideElement<A> load(std::size_t element, const WideElement<A>& offset) const {
    if constexpr (!kFirst) return load_limbs<A>(this->scratch(element));
    return A::start_forward(to_element<A>(load_words<A>(this->arguments.operand, element)), offset);
  }

  template <int K>
  RINGLET_INLINE static void row_stages(WideRows<A, K>& r,
                                        const WideTwiddle<A> (&tree)[(1 << K) - 1],
                                        const typename A::WideModulus& m) {
    constexpr int N = WideRows<A, K>::kBundle;
    unroll<K>([&](auto s) __attribute__((always_inline)) {
      r.template stage<decltype(s)::value>(
          [&](WideElement<A>* const(&u)[N], WideElement<A>* const(&v)[N], const int(&t)[N])
              __attribute__((always_inline)) {
                const WideTwiddle<A>* w[N];
                for (int i = 0; i < N; ++i) w[i] = &tree[t[i]];
                forward_butterflies<A, N>(u, v, w, m);
              });
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
    const std::uint64_t* record = this->stream;
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      const std::size_t base = block * kElements;
      WideRows<A, K> r;
      r.each([&](std::size_t e, WideElement<A>& x) __attribute__((always_inline)) {
        x = load<kFirst>(base + e * kWideLanes<A>, offset);
      });
      WideTwiddle<A> tree[(1 << K) - 1];
      load_factors<A, K>(tree, record);
      row_stages<K>(r, tree, m);
      unroll<A::kLogLanes>([&](auto v) __attribute__((always_inline)) {
        lane_stage<K, decltype(v)::value>(r, record, m);
      });
      finish(r, base, m);
      record += wide_lane_offset<A, K>(A::kLogLanes);
    }
    this->stream = record;
  }

  /// Stores a block in its natural order.
  template <int K>
  RINGLET_INLINE void finish(WideRows<A, K>& r, std::size_t base,
                             const typename A::WideModulus& m) const {
    r.pairs([&](auto& u, auto& v, std::size_t first) __attribute__((always_inline)) {
      unroll<WideRows<A, K>::kBundle>([&](auto i) __attribute__((always_inline)) {
        const WideElement<A>* const both[2] = {u[i], v[i]};
        WordPair<A> x[2];
        finish_words<A, true>(x, both, m);
        A::template to_lane_stage<A::kLogLanes>(x[0].low, x[1].low);
        A::template to_lane_stage<A::kLogLanes>(x[0].high, x[1].high);
        const std::size_t element = base + 2 * (first + decltype(i)::value) * kWideLanes<A>;
        store_words<A>(this->arguments.result, element, x[0]);
        store_words<A>(this->arguments.result, element + kWideLanes<A>, x[1]);
      });
    });
  }

  template <int K, int v>
  RINGLET_INLINE static void lane_stage(WideRows<A, K>& r, const std::uint64_t* record,
                                        const typename A::WideModulus& m) {
    constexpr int N = WideRows<A, K>::kBundle;
    const std::uint64_t* const words = record + wide_lane_offset<A, K>(v);
    r.pairs([&](WideElement<A>* const(&a)[N], WideElement<A>* const(&b)[N],
                std::size_t first) __attribute__((always_inline)) {
      WideTwiddle<A> factors[N];
      load_lane_factors<A, v>(factors, words, first);
      const WideTwiddle<A>* w[N];
      for (int i = 0; i < N; ++i) {
        w[i] = &factors[i];
        permute_limbs<A>(*a[i], *b[i], [](auto& x, auto& y) __attribute__((always_inline)) {
          A::template to_lane_stage<v>(x, y);
        });
      }
      forward_butterflies<A, N>(a, b, w, m);
    });
  }
};

}  // namespace ringlet::kernels
