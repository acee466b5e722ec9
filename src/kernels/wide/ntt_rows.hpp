// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/ntt_table.hpp"
#include "kernels/wide/words.hpp"

// What the passes of both transforms of double words are made of, over any policy. A vector of
// 2^kLogLanes elements is stored limb by limb in the scratch memory between passes.

namespace ringlet::kernels {

template <WidePolicy A>
inline constexpr int kWideLimbs = A::kLimbFormat.limb_count;
template <WidePolicy A>
inline constexpr int kFactorWords = A::kLimbFormat.factor_words();
/// Words of scratch memory that a vector of elements takes.
template <WidePolicy A>
inline constexpr std::size_t kVectorWords = kWideLanes<A> * kWideLimbs<A>;

template <WidePolicy A>
inline constexpr WideNttShape kWideNttShape{A::kLimbFormat, A::kLaneLayout, A::kMaxWideRowStages};

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
  /// Butterflies that go side by side.
  static constexpr int kBundle = kCount / 2 < 2 ? 1 : 2;

  /// Calls butterflies(u, v, t) for the butterflies of a stage, in arrays of kBundle. t has the
  /// places of their factors in the tree.
  template <int kStage, typename Butterflies>
  RINGLET_INLINE void stage(Butterflies&& butterflies) {
    constexpr int kHalf = 1 << (K - 1 - kStage);
    unroll<kCount / 2 / kBundle>([&](auto i) __attribute__((always_inline)) {
      WideElement<A>* u[kBundle];
      WideElement<A>* v[kBundle];
      int t[kBundle];
      unroll<kBundle>([&](auto j) __attribute__((always_inline)) {
        constexpr int kIndex = decltype(i)::value * kBundle + decltype(j)::value;
        constexpr int kBlock = kIndex / kHalf;
        constexpr int kFirst = kBlock * 2 * kHalf + kIndex % kHalf;
        u[j] = &x[kFirst];
        v[j] = &x[kFirst + kHalf];
        t[j] = (1 << kStage) - 1 + kBlock;
      });
      butterflies(u, v, t);
    });
  }
  /// Calls body(u, v, first) for arrays of kBundle pairs of neighbours, the first of which is pair
  /// `first`.
  template <typename Body>
  RINGLET_INLINE void pairs(Body&& body) {
    unroll<kCount / 2 / kBundle>([&](auto i) __attribute__((always_inline)) {
      constexpr int kFirst = decltype(i)::value * kBundle;
      WideElement<A>* u[kBundle];
      WideElement<A>* v[kBundle];
      unroll<kBundle>([&](auto j) __attribute__((always_inline)) {
        u[j] = &x[2 * (kFirst + decltype(j)::value)];
        v[j] = &x[2 * (kFirst + decltype(j)::value) + 1];
      });
      body(u, v, static_cast<std::size_t>(kFirst));
    });
  }
};

template <WidePolicy A, int K>
RINGLET_INLINE void load_factors(WideTwiddle<A> (&tree)[(1 << K) - 1], const std::uint64_t* words) {
  unroll<(1 << K) - 1>([&](auto i) __attribute__((always_inline)) {
    tree[i] = broadcast_factor<A>(words + decltype(i)::value * kFactorWords<A>);
  });
}

/// Loads the factors of lane stage v for one pair of vectors.
template <WidePolicy A, int v>
RINGLET_INLINE WideTwiddle<A> lane_factor(const std::uint64_t* words) {
  WideTwiddle<A> w;
  unroll<kFactorWords<A>>([&](auto i) __attribute__((always_inline)) {
    w.word[i] = A::template lane_words<v>(words + decltype(i)::value * A::kLaneLayout.words[v]);
  });
  return w;
}

/// Offset of the factors of lane stage v in the record of a tail of K row stages; for
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
  unroll<kWideLimbs<A>>([&](auto i)
                            __attribute__((always_inline)) { permute(a.limb[i], b.limb[i]); });
}

/// Does N butterflies side by side; a policy may have its own way.
template <WidePolicy A, int N>
RINGLET_INLINE void forward_butterflies(WideElement<A>* const (&u)[N],
                                        WideElement<A>* const (&v)[N],
                                        const WideTwiddle<A>* const (&w)[N],
                                        const typename A::WideModulus& m) {
  if constexpr (requires { A::forward_butterflies(u, v, w, m); }) {
    A::forward_butterflies(u, v, w, m);
  } else {
    unroll<N>([&](auto i)
                  __attribute__((always_inline)) { A::forward_butterfly(*u[i], *v[i], *w[i], m); });
  }
}
template <WidePolicy A, int N>
RINGLET_INLINE void inverse_butterflies(WideElement<A>* const (&u)[N],
                                        WideElement<A>* const (&v)[N],
                                        const WideTwiddle<A>* const (&w)[N],
                                        const WideElement<A>& offset,
                                        const typename A::WideModulus& m) {
  if constexpr (requires { A::inverse_butterflies(u, v, w, offset, m); }) {
    A::inverse_butterflies(u, v, w, offset, m);
  } else {
    unroll<N>([&](auto i) __attribute__((always_inline)) {
      A::inverse_butterfly(*u[i], *v[i], *w[i], offset, m);
    });
  }
}

/// Loads the factors of lane stage v for N pairs of vectors from pair `first` on. `words` are the
/// factors of all pairs in that stage.
template <WidePolicy A, int v, int N>
RINGLET_INLINE void load_lane_factors(WideTwiddle<A> (&w)[N], const std::uint64_t* words,
                                      std::size_t first) {
  constexpr std::size_t kWords = wide_lane_words(A::kLaneLayout, v, kFactorWords<A>);
  unroll<N>([&](auto i) __attribute__((always_inline)) {
    w[i] = lane_factor<A, v>(words + (first + decltype(i)::value) * kWords);
  });
}

/// The state of all passes: the table, the caller's vectors and the position in the stream.
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
  with_count<static_cast<std::size_t>(A::kMaxWideRowStages)>(static_cast<std::size_t>(row_stages),
                                                             body);
}

/// Runs a pass of a visitor: calls visitor.tail<K, kEdge>(first_block, block_count), or rows<K,
/// kEdge> with the pass in front. kEdge marks the pass of stage 0, which has the caller's vector.
template <WidePolicy A, typename Visitor>
RINGLET_INLINE void run_wide_pass(Visitor& visitor, const Pass& pass, std::size_t first_block,
                                  std::size_t block_count) {
  static_assert(has_long_passes(A::kLogLanes, A::kMaxWideRowStages));
  with_wide_row_stages<A>(pass.row_stages, [&](auto k) __attribute__((always_inline)) {
    constexpr int K = decltype(k)::value;
    const bool is_edge = pass.first_stage == 0;
    if (pass.is_tail) {
      if (is_edge) return visitor.template tail<K, true>(first_block, block_count);
      if constexpr (K == A::kMaxWideRowStages) {
        visitor.template tail<K, false>(first_block, block_count);
      }
    } else {
      if (is_edge) return visitor.template rows<K, true>(pass, first_block, block_count);
      if constexpr (K >= min_inner_stages(A::kMaxWideRowStages)) {
        visitor.template rows<K, false>(pass, first_block, block_count);
      }
    }
  });
}

}  // namespace ringlet::kernels
