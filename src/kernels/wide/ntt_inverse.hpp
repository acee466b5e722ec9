// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/ntt_rows.hpp"

namespace ringlet::kernels {

/// The inverse transform as a visitor of walk_inverse (Gentleman-Sande): the mirror image of
/// WideForward. The tail reads the caller's words, the pass of stage 0 writes them.
template <WidePolicy A>
struct WideInverse : WideCursor<A> {
  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    run_wide_pass<A>(*this, pass, first_block, block_count);
  }

 private:
  template <WidePolicy P, typename Visitor>
  friend void run_wide_pass(Visitor&, const Pass&, std::size_t, std::size_t);

  /// How many first rows a pass settles. Only row 0 holds sums of all rows, row 1 of half of them.
  static constexpr int kSettledRows = [] {
    if constexpr (requires { A::kSettledRows; }) {
      return A::kSettledRows;
    } else {
      return 1;
    }
  }();

  /// Does the stages between vectors, last one first, and divides by N after stage 0 of the
  /// transform. If that stage is in the tail, row 0 is a sum that no product has reduced.
  template <int K, bool kLast, bool kTail>
  RINGLET_INLINE void row_stages(WideRows<A, K>& r, const WideTwiddle<A> (&tree)[(1 << K) - 1],
                                 const WideElement<A>& offset,
                                 const typename A::WideModulus& m) const {
    constexpr int N = WideRows<A, K>::kBundle;
    unroll<K>([&](auto s) __attribute__((always_inline)) {
      constexpr int kStage = K - 1 - decltype(s)::value;
      r.template stage<kStage>([&](WideElement<A>* const(&u)[N], WideElement<A>* const(&v)[N],
                                   const int(&t)[N]) __attribute__((always_inline)) {
        const WideTwiddle<A>* w[N];
        for (int i = 0; i < N; ++i) w[i] = &tree[t[i]];
        inverse_butterflies<A, N>(u, v, w, offset, m);
      });
    });
    if constexpr (kLast) {
      if constexpr (kTail) r.x[0] = A::settle(r.x[0], m);
      const WideTwiddle<A> degree_inverse = broadcast_factor<A>(this->table.degree_inverse);
      unroll<WideRows<A, K>::kCount / 2>([&](auto i) __attribute__((always_inline)) {
        WideElement<A>& u = r.x[decltype(i)::value];
        u = A::scale(u, degree_inverse, m);
      });
    } else {
      unroll<kSettledRows>([&](auto i) __attribute__((always_inline)) {
        constexpr int kRow = decltype(i)::value;
        r.x[kRow] = A::settle(r.x[kRow], m);
      });
    }
  }

  template <bool kLast>
  RINGLET_INLINE void store(std::size_t element, const WideElement<A>& x,
                            const typename A::WideModulus& m) const {
    if constexpr (kLast) {
      const WideElement<A>* const one[1] = {&x};
      WordPair<A> words[1];
      finish_words<A, false>(words, one, m);
      store_words<A>(this->arguments.result, element, words[0]);
    } else {
      store_limbs<A>(this->scratch(element), x);
    }
  }

  template <int K, bool kLast>
  __attribute__((noinline)) void rows(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    const typename A::WideModulus m = this->modulus;
    const WideElement<A> offset = broadcast_limbs<A>(this->table.inverse_offset);
    const std::size_t row = row_words(this->table.schedule, pass);
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      WideTwiddle<A> tree[(1 << K) - 1];
      load_factors<A, K>(tree, this->stream);
      this->stream += wide_tree_words(pass, kFactorWords<A>);
      const std::size_t base = block * (row << K);
      for (std::size_t j = base; j < base + row; j += kWideLanes<A>) {
        WideRows<A, K> r;
        r.each([&](std::size_t e, WideElement<A>& x) __attribute__((always_inline)) {
          x = load_limbs<A>(this->scratch(j + e * row));
        });
        row_stages<K, kLast, false>(r, tree, offset, m);
        r.each([&](std::size_t e, const WideElement<A>& x)
                   __attribute__((always_inline)) { store<kLast>(j + e * row, x, m); });
      }
    }
  }

  template <int K, bool kLast>
  __attribute__((noinline)) void tail(std::size_t first_block, std::size_t block_count) {
    constexpr std::size_t kElements = kWideLanes<A> << K;
    const typename A::WideModulus m = this->modulus;
    const WideElement<A> offset = broadcast_limbs<A>(this->table.inverse_offset);
    const std::uint64_t* record = this->stream;
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      const std::size_t base = block * kElements;
      WideRows<A, K> r;
      start(r, base);
      unroll<A::kLogLanes>([&](auto i) __attribute__((always_inline)) {
        lane_stage<K, A::kLogLanes - 1 - decltype(i)::value>(r, record, offset, m);
      });
      WideTwiddle<A> tree[(1 << K) - 1];
      load_factors<A, K>(tree, record);
      row_stages<K, kLast, true>(r, tree, offset, m);
      r.each([&](std::size_t e, const WideElement<A>& x)
                 __attribute__((always_inline)) { store<kLast>(base + e * kWideLanes<A>, x, m); });
      record += wide_lane_offset<A, K>(A::kLogLanes);
    }
    this->stream = record;
  }

  /// Loads a block in the order of its lane stages.
  template <int K>
  RINGLET_INLINE void start(WideRows<A, K>& r, std::size_t base) const {
    r.pairs([&](auto& a, auto& b, std::size_t first) __attribute__((always_inline)) {
      unroll<WideRows<A, K>::kBundle>([&](auto i) __attribute__((always_inline)) {
        const std::size_t element = base + 2 * (first + decltype(i)::value) * kWideLanes<A>;
        WordPair<A> x = load_words<A>(this->arguments.operand, element);
        WordPair<A> y = load_words<A>(this->arguments.operand, element + kWideLanes<A>);
        A::template from_lane_stage<A::kLogLanes>(x.low, y.low);
        A::template from_lane_stage<A::kLogLanes>(x.high, y.high);
        *a[i] = A::start_inverse(to_element<A>(x));
        *b[i] = A::start_inverse(to_element<A>(y));
      });
    });
  }

  template <int K, int v>
  RINGLET_INLINE static void lane_stage(WideRows<A, K>& r, const std::uint64_t* record,
                                        const WideElement<A>& offset,
                                        const typename A::WideModulus& m) {
    constexpr int N = WideRows<A, K>::kBundle;
    const std::uint64_t* const words = record + wide_lane_offset<A, K>(v);
    r.pairs([&](WideElement<A>* const(&a)[N], WideElement<A>* const(&b)[N],
                std::size_t first) __attribute__((always_inline)) {
      WideTwiddle<A> factors[N];
      load_lane_factors<A, v>(factors, words, first);
      const WideTwiddle<A>* w[N];
      for (int i = 0; i < N; ++i) w[i] = &factors[i];
      inverse_butterflies<A, N>(a, b, w, offset, m);
      for (int i = 0; i < N; ++i) {
        permute_limbs<A>(*a[i], *b[i], [](auto& x, auto& y) __attribute__((always_inline)) {
          A::template from_lane_stage<v>(x, y);
        });
      }
    });
  }
};

}  // namespace ringlet::kernels
