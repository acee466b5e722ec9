// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/lazy_output.hpp"
#include "kernels/ntt/rows.hpp"

// The forward transform with lazy arithmetic: few stages reduce, and those only what they do not
// multiply. docs/notes/lazy52.md has the ranges.

namespace ringlet::kernels {

/// Butterflies that are worked on together.
inline constexpr int kLazyGroup = 4;

/// All butterflies (Cooley-Tukey) of stage U: (x, y) <- (x + w*y, x - w*y), with kReduces of a
/// reduced x. Both come to lie within q/2 of x, whatever the word y was. twiddle(i) is that of
/// butterfly i.
template <int U, bool kReduces, LazyPolicy A, int K, typename TwiddleOf>
RINGLET_INLINE void lazy_forward_stage(Rows<A, K>& r, TwiddleOf&& twiddle,
                                       const LazyModulus<A>& m) {
  using R = Rows<A, K>;
  constexpr int kButterflies = R::kCount / 2;
  constexpr int kGroup = kButterflies < kLazyGroup ? kButterflies : kLazyGroup;
  unroll<kButterflies / kGroup>([&](auto group) __attribute__((always_inline)) {
    Vec<A> product[kGroup];
    Twiddle<A> w[kGroup];
    unroll<kGroup>([&](auto i) __attribute__((always_inline)) {
      constexpr int kButterfly = decltype(group)::value * kGroup + decltype(i)::value;
      Vec<A>& x = r.x[R::template first_of<U>(kButterfly)];
      if constexpr (kReduces) x = A::reduce(x, m);
      product[i] = r.x[R::template first_of<U>(kButterfly) + R::template kDistance<U>];
      w[i] = twiddle(kButterfly);
    });
    A::centred_products(product, w, m);
    unroll<kGroup>([&](auto i) __attribute__((always_inline)) {
      constexpr int kFirst =
          R::template first_of<U>(decltype(group)::value * kGroup + decltype(i)::value);
      Vec<A>& x = r.x[kFirst];
      r.x[kFirst + R::template kDistance<U>] = A::sub(x, product[i]);
      x = A::add(x, product[i]);
    });
  });
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

/// S stages between the vectors of `r`, first stage first.
template <int S, LazyPolicy A, int K>
RINGLET_INLINE void lazy_forward_rows(Rows<A, K>& r, const std::uint64_t* tree,
                                      const ForwardStages& stages, const LazyModulus<A>& m) {
  unroll<S>([&](auto u) __attribute__((always_inline)) {
    constexpr int kStage = decltype(u)::value;
    const auto twiddle = [&](int i) __attribute__((always_inline)) {
      constexpr int kFirst = (1 << kStage) - 1;
      return broadcast_twiddle<A>(tree + 2 * (kFirst + i / Rows<A, K>::template kDistance<kStage>));
    };
    stages.reduces(kStage) ? lazy_forward_stage<kStage, true>(r, twiddle, m)
                           : lazy_forward_stage<kStage, false>(r, twiddle, m);
    expect_forward_interval(r, stages, kStage, m);
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
    const auto twiddle = [&](int pair) __attribute__((always_inline)) {
      return A::template lane_twiddle<kStage>(lane + static_cast<std::size_t>(pair) *
                                                         lane_words(A::kLaneLayout, kStage));
    };
    r.pairs([&](Vec<A>& x, Vec<A>& y, int)
                __attribute__((always_inline)) { A::template to_lane_stage<kStage>(x, y); });
    stages.reduces(kStage) ? lazy_forward_stage<K - 1, true>(r, twiddle, m)
                           : lazy_forward_stage<K - 1, false>(r, twiddle, m);
    expect_forward_interval(r, stages, kStage, m);
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
    constexpr std::size_t kColumns = std::size_t{1} << (A::kMaxRowStages - K);
    const LazyModulus<A> m = modulus;
    const ForwardStages here = stages.from(pass.first_stage);
    const std::size_t row = row_words(schedule, pass);
    const std::uint64_t* const source = pass.first_stage == 0 ? operand : result;
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      const std::size_t base = block * (row << K);
      const std::uint64_t* const tree = stream;
      stream += tree_words(pass);
      for (std::size_t j = base; j < base + row; j += kColumns * kLanes<A>) {
        Rows<A, A::kMaxRowStages> r;
        r.template load_rows<K>(source + j, row);
        start<Start>(r, m);
        lazy_forward_rows<K>(r, tree, here, m);
        r.template store_rows<K>(result + j, row);
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
      lazy_forward_rows<K>(r, words, here, m);
      lazy_forward_lanes(r, words, here.from(K), m);
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
    unroll<(1 << K) / 2>([&](auto i)
                             __attribute__((always_inline)) { r.x[i] = Start::start(r.x[i], m); });
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
