// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/lazy_output.hpp"
#include "kernels/ntt/rows.hpp"

// The forward transform with lazy arithmetic: few stages reduce, and those only what they do not
// multiply. docs/notes/lazy52.md has the ranges.

namespace ringlet::kernels {

/// Forward butterfly (Cooley-Tukey): (x, y) <- (x + w*y, x - w*y), with kReduces of a reduced x.
/// Both come to lie within q of x, whatever the word y was.
template <LazyPolicy A, bool kReduces>
RINGLET_INLINE void lazy_forward_butterfly(Vec<A>& x, Vec<A>& y, const Twiddle<A>& w,
                                           const LazyModulus<A>& m) {
  const Vec<A> start = kReduces ? A::reduce(x, m) : x;
  const Vec<A> product = A::centred_product(y, w, m);
  y = A::sub(start, product);
  x = A::add(start, product);
}

/// In builds with RINGLET_CHECK_RANGES: stops the process unless all words are where the proof puts
/// them after stage u of `stages`.
template <LazyPolicy A, int K>
RINGLET_INLINE void expect_forward_interval([[maybe_unused]] const Rows<A, K>& r,
                                            [[maybe_unused]] const ForwardStages& stages,
                                            [[maybe_unused]] int u,
                                            [[maybe_unused]] const LazyModulus<A>& m) {
#ifdef RINGLET_CHECK_RANGES
  const LazyInterval interval = forward_interval(first_lane<A>(m.q), stages.per_reduction,
                                                 (stages.first + u) % stages.per_reduction + 1);
  for (const Vec<A>& x : r.x) expect_in_interval<A>(x, interval);
#endif
}

/// K stages between the vectors of `r`, first stage first.
template <LazyPolicy A, int K>
RINGLET_INLINE void lazy_forward_rows(Rows<A, K>& r, const std::uint64_t* tree,
                                      const ForwardStages& stages, const LazyModulus<A>& m) {
  unroll<K>([&](auto u) __attribute__((always_inline)) {
    constexpr int kStage = decltype(u)::value;
    const auto butterflies = [&](auto reduces) __attribute__((always_inline)) {
      r.template stage<kStage>(
          [&](int i) __attribute__((always_inline)) { return broadcast_twiddle<A>(tree + 2 * i); },
          [&](Vec<A>& x, Vec<A>& y, const Twiddle<A>& w) __attribute__((always_inline)) {
            lazy_forward_butterfly<A, decltype(reduces)::value>(x, y, w, m);
          });
    };
    stages.reduces(kStage) ? butterflies(std::true_type{}) : butterflies(std::false_type{});
    expect_forward_interval<A>(r, stages, kStage, m);
  });
}

/// The stages inside vectors, with the twiddles of the record at `words`. The lanes stay in the
/// order of the last stage; to_lane_stage<kLogLanes> restores the natural one.
template <LazyPolicy A, int K>
RINGLET_INLINE void lazy_forward_lanes(Rows<A, K>& r, const std::uint64_t* words,
                                       const ForwardStages& stages, const LazyModulus<A>& m) {
  unroll<A::kLogLanes>([&](auto v) __attribute__((always_inline)) {
    constexpr int kStage = decltype(v)::value;
    const std::uint64_t* const lane = words + lane_offset<A, K>(kStage);
    r.pairs([&](Vec<A>& x, Vec<A>& y, int)
                __attribute__((always_inline)) { A::template to_lane_stage<kStage>(x, y); });
    const auto butterflies = [&](auto reduces) __attribute__((always_inline)) {
      r.pairs([&](Vec<A>& x, Vec<A>& y, int pair) __attribute__((always_inline)) {
        const Twiddle<A> w = A::template lane_twiddle<kStage>(
            lane + static_cast<std::size_t>(pair) * lane_words(A::kLaneLayout, kStage));
        lazy_forward_butterfly<A, decltype(reduces)::value>(x, y, w, m);
      });
    };
    stages.reduces(kStage) ? butterflies(std::true_type{}) : butterflies(std::false_type{});
    expect_forward_interval<A>(r, stages, kStage, m);
  });
}

/// Where a lazy forward transform stands, and its passes. `Start` is what a pass does with the
/// words that it loads, `Finish` what a tail does with them before it stores them
/// (lazy_output.hpp).
template <LazyPolicy A>
struct ForwardLazyPasses {
  std::uint64_t* result;
  const std::uint64_t* operand;
  const std::uint64_t* stream;
  const Schedule& schedule;
  LazyModulus<A> modulus;
  ForwardStages stages;

  template <int K, typename Start>
  __attribute__((noinline)) void rows(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    const LazyModulus<A> m = modulus;
    const ForwardStages here = stages.from(pass.first_stage);
    const std::size_t row = row_words(schedule, pass);
    const std::uint64_t* const source = pass.first_stage == 0 ? operand : result;
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      const std::size_t base = block * (row << K);
      const std::uint64_t* const tree = stream;
      stream += tree_words(pass);
      for (std::size_t j = base; j < base + row; j += kLanes<A>) {
        Rows<A, K> r;
        r.load(source + j, row);
        start<Start>(r, m);
        lazy_forward_rows<A, K>(r, tree, here, m);
        r.store(result + j, row);
      }
    }
  }

  template <int K, typename Start, typename Finish>
  __attribute__((noinline)) void tail(const Pass& pass, std::size_t first_block,
                                      std::size_t block_count) {
    constexpr std::size_t kWords = kLanes<A> << K;
    constexpr std::size_t kRecord = lane_offset<A, K>(A::kLogLanes);
    const LazyModulus<A> m = modulus;
    const ForwardStages here = stages.from(pass.first_stage);
    const std::uint64_t* const source = pass.first_stage == 0 ? operand : result;
    const std::uint64_t* words = stream;
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      Rows<A, K> r;
      r.load(source + block * kWords, kLanes<A>);
      start<Start>(r, m);
      lazy_forward_rows<A, K>(r, words, here, m);
      lazy_forward_lanes<A, K>(r, words, here.from(K), m);
      std::uint64_t* const to = result + block * kWords;
      r.pairs([&](Vec<A>& x, Vec<A>& y, int pair) __attribute__((always_inline)) {
        x = Finish::finish(x, m);
        y = Finish::finish(y, m);
        A::template to_lane_stage<A::kLogLanes>(x, y);
        A::store(to + 2 * static_cast<std::size_t>(pair) * kLanes<A>, x);
        A::store(to + (2 * static_cast<std::size_t>(pair) + 1) * kLanes<A>, y);
      });
      words += kRecord;
    }
    stream = words;
  }

 private:
  template <typename Start, int K>
  RINGLET_INLINE static void start(Rows<A, K>& r, const LazyModulus<A>& m) {
    r.template tops<0>([&](Vec<A>& x) __attribute__((always_inline)) { x = Start::start(x, m); });
  }
};

/// The forward transform as a visitor of walk_forward.
template <LazyPolicy A, typename Start, typename Finish>
struct ForwardLazy : ForwardLazyPasses<A> {
  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    if (pass.is_tail && pass.first_stage != 0) {
      // A tail with passes before it has as many row stages as it may.
      return this->template tail<A::kMaxRowStages, SameInput<A>, Finish>(pass, first_block,
                                                                         block_count);
    }
    with_row_stages<A>(pass.row_stages, [&](auto k) __attribute__((always_inline)) {
      constexpr int K = decltype(k)::value;
      if (pass.is_tail) {
        this->template tail<K, Start, Finish>(pass, first_block, block_count);
      } else if (pass.first_stage == 0) {
        this->template rows<K, Start>(pass, first_block, block_count);
      } else {
        this->template rows<K, SameInput<A>>(pass, first_block, block_count);
      }
    });
  }
};

}  // namespace ringlet::kernels
