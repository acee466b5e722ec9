// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/ntt_table.hpp"
#include "kernels/wide/words.hpp"

// What the passes of both transforms of double words are made of, over any policy. A vector of
// 2^kLogLanes elements is stored limb by limb in the scratch memory between passes.

namespace ringlet::kernels {

template <WidePolicy A>
inline constexpr int kWideLimbs = A::kWideForm.limb_count;
template <WidePolicy A>
inline constexpr int kFactorWords = A::kWideForm.factor_words();
/// Words of scratch memory that a vector of elements takes.
template <WidePolicy A>
inline constexpr std::size_t kVectorWords = kWideLanes<A> * kWideLimbs<A>;

template <WidePolicy A>
inline constexpr WideNttShape kWideNttShape{A::kWideForm, A::kLaneLayout, A::kMaxWideRowStages};

template <WidePolicy A>
RINGLET_INLINE WideElement<A> load_limbs(const std::uint64_t* from) {
  WideElement<A> x;
  unroll<kWideLimbs<A>>([&](auto i) __attribute__((always_inline)) {
    x.limb[i] = A::load(from + decltype(i)::value * kWideLanes<A>);
  });
  return x;
}

template <WidePolicy A>
RINGLET_INLINE void store_limbs(std::uint64_t* to, const WideElement<A>& x) {
  unroll<kWideLimbs<A>>([&](auto i) __attribute__((always_inline)) {
    A::store(to + decltype(i)::value * kWideLanes<A>, x.limb[i]);
  });
}

/// 2^K vectors of elements in registers, and the butterflies between them.
template <WidePolicy A, int K>
struct WideRows {
  static constexpr int kCount = 1 << K;
  WideElement<A> x[kCount];

  /// Calls body(row, element) for each.
  template <typename Body>
  RINGLET_INLINE void each(Body&& body) {
    unroll<kCount>([&](auto i) __attribute__((always_inline)) {
      body(static_cast<std::size_t>(decltype(i)::value), x[i]);
    });
  }
  /// Calls butterfly(u, v, t) for the pairs of stage u, t the place of their factor in the tree.
  template <int kStage, typename Butterfly>
  RINGLET_INLINE void stage(Butterfly&& butterfly) {
    constexpr int kHalf = 1 << (K - 1 - kStage);
    unroll<kCount / 2>([&](auto i) __attribute__((always_inline)) {
      constexpr int kBlock = decltype(i)::value / kHalf;
      constexpr int kFirst = kBlock * 2 * kHalf + decltype(i)::value % kHalf;
      butterfly(x[kFirst], x[kFirst + kHalf], (1 << kStage) - 1 + kBlock);
    });
  }
  /// Calls body(a, b, pair) for the pairs of neighbours.
  template <typename Body>
  RINGLET_INLINE void pairs(Body&& body) {
    unroll<kCount / 2>([&](auto i) __attribute__((always_inline)) {
      body(x[2 * decltype(i)::value], x[2 * decltype(i)::value + 1],
           static_cast<std::size_t>(decltype(i)::value));
    });
  }
};

template <WidePolicy A, int K>
RINGLET_INLINE void load_factors(WideTwiddle<A> (&tree)[(1 << K) - 1], const std::uint64_t* words) {
  unroll<(1 << K) - 1>([&](auto i) __attribute__((always_inline)) {
    tree[i] = broadcast_factor<A>(words + decltype(i)::value * kFactorWords<A>);
  });
}

/// The factors of lane stage v for one pair of vectors.
template <WidePolicy A, int v>
RINGLET_INLINE WideTwiddle<A> lane_factor(const std::uint64_t* words) {
  WideTwiddle<A> w;
  unroll<kFactorWords<A>>([&](auto i) __attribute__((always_inline)) {
    w.word[i] =
        A::template lane_words<v>(words + decltype(i)::value * A::kLaneLayout.words[v]);
  });
  return w;
}

/// Where the factors of lane stage v stand in the record of a tail of K row stages; for
/// v = kLogLanes, the size of the record.
template <WidePolicy A, int K>
RINGLET_INLINE constexpr std::size_t wide_lane_offset(int v) {
  std::size_t words = wide_tree_words({0, K, true}, kFactorWords<A>);
  for (int i = 0; i < v; ++i) {
    words += wide_lane_words(A::kLaneLayout, i, kFactorWords<A>) << (K - 1);
  }
  return words;
}

/// Calls permute(a, b) for each limb of two elements.
template <WidePolicy A, typename Permute>
RINGLET_INLINE void permute_limbs(WideElement<A>& a, WideElement<A>& b, Permute&& permute) {
  unroll<kWideLimbs<A>>([&](auto i) __attribute__((always_inline)) {
    permute(a.limb[i], b.limb[i]);
  });
}

/// What every pass knows: the table, the caller's vectors and where the stream of factors stands.
template <WidePolicy A>
struct WideCursor {
  const WideNttTable& table;
  const WideNttArguments& arguments;
  const std::uint64_t* stream;
  typename A::WideModulus modulus;

  std::uint64_t* scratch(std::size_t element) const {
    return arguments.scratch + element * static_cast<std::size_t>(kWideLimbs<A>);
  }
};

/// Calls body(std::integral_constant<int, row_stages>).
template <WidePolicy A, typename Body>
RINGLET_INLINE void with_wide_row_stages(int row_stages, Body&& body) {
  with_count<static_cast<std::size_t>(A::kMaxWideRowStages)>(
      static_cast<std::size_t>(row_stages), body);
}

}  // namespace ringlet::kernels
