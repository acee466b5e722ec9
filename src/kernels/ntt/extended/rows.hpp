// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/extended/butterfly.hpp"
#include "kernels/ntt/extended/table.hpp"
#include "kernels/ntt/rows.hpp"

// What the passes of the radix-4 transform are made of.

namespace ringlet::kernels {

template <ExtendedPolicy A>
RINGLET_INLINE void load_quad_factors(QuadTwiddles<A>& w, const std::uint64_t* words) {
  unroll<kQuadFactors>([&](auto i) __attribute__((always_inline)) {
    w[i] = broadcast_twiddle<A>(words + 2 * decltype(i)::value);
  });
}

/// Loads the factors of a block, in either order: those of radix-4 butterfly `index` of a round (1
/// in the first round, 4 in the next, ...), and the factor of a radix-2 butterfly behind them.
template <ExtendedPolicy A, TwiddleOrder kOrder>
struct BlockFactors;

template <ExtendedPolicy A>
struct BlockFactors<A, TwiddleOrder::compressed> {
  const std::uint64_t* words;

  template <int kRound>
  RINGLET_INLINE void quad(QuadTwiddles<A>& w, std::size_t index) const {
    load_quad_factors<A>(w, words + 10 * (quads_of_block(2 * kRound) + index));
  }
  template <int kStage>
  RINGLET_INLINE Twiddle<A> last(std::size_t index) const {
    return broadcast_twiddle<A>(words + 10 * quads_of_block(kStage) + 2 * index);
  }
};

template <ExtendedPolicy A>
struct BlockFactors<A, TwiddleOrder::extended_reverse> {
  const std::uint64_t* words;
  std::size_t block;  ///< 2^stage + block

  template <int kRound>
  RINGLET_INLINE void quad(QuadTwiddles<A>& w, std::size_t index) const {
    const std::size_t i = (block << (2 * kRound)) + index;
    w[0] = at(2 * i);
    w[1] = at(4 * i);
    w[2] = at(4 * i + 2);
    w[3] = at(4 * i + 1);
    w[4] = at(4 * i + 3);
  }
  template <int kStage>
  RINGLET_INLINE Twiddle<A> last(std::size_t index) const {
    return at(2 * ((block << kStage) + index));
  }

 private:
  RINGLET_INLINE Twiddle<A> at(std::size_t i) const { return broadcast_twiddle<A>(words + 2 * i); }
};

/// The factors of the only butterfly of a block, in registers.
template <ExtendedPolicy A>
struct HeldFactors {
  QuadTwiddles<A> held;

  template <int kRound>
  RINGLET_INLINE void quad(QuadTwiddles<A>& w, std::size_t) const {
    unroll<kQuadFactors>([&](auto i) __attribute__((always_inline)) { w[i] = held[i]; });
  }
};

/// Returns where a pass of K stages reads its factors. The factors of a single butterfly stay in
/// registers for all columns of a block. A compiler would not keep them there itself, because the
/// results might overlap them.
template <int K, ExtendedPolicy A, TwiddleOrder kOrder>
RINGLET_INLINE auto hold_factors(const BlockFactors<A, kOrder>& factors) {
  if constexpr (K == 2 && A::kLogLanes > 0) {
    HeldFactors<A> held;
    factors.template quad<0>(held.held, 0);
    return held;
  } else {
    return factors;
  }
}

/// Calls butterfly(x, y, z, t, w) for the radix-4 butterflies of round R of 2^K rows.
template <int R, ExtendedPolicy A, int K, typename Factors, typename Butterfly>
RINGLET_INLINE void quad_round(Rows<A, K>& r, const Factors& factors, Butterfly&& butterfly) {
  constexpr int kBlocks = 1 << (2 * R);
  constexpr int kQuarter = (1 << K) / (4 * kBlocks);
  unroll<kBlocks>([&](auto b) __attribute__((always_inline)) {
    QuadTwiddles<A> w;
    factors.template quad<R>(w, static_cast<std::size_t>(decltype(b)::value));
    unroll<kQuarter>([&](auto i) __attribute__((always_inline)) {
      constexpr int kFirst = 4 * kQuarter * decltype(b)::value + decltype(i)::value;
      butterfly(r.x[kFirst], r.x[kFirst + kQuarter], r.x[kFirst + 2 * kQuarter],
                r.x[kFirst + 3 * kQuarter], w);
    });
  });
}

/// Calls butterfly(x, y, w) for the radix-2 butterflies of the last stage of 2^K rows.
template <ExtendedPolicy A, int K, typename Factors, typename Butterfly>
RINGLET_INLINE void last_pairs(Rows<A, K>& r, const Factors& factors, Butterfly&& butterfly) {
  unroll<(1 << K) / 2>([&](auto b) __attribute__((always_inline)) {
    constexpr int kFirst = 2 * decltype(b)::value;
    butterfly(r.x[kFirst], r.x[kFirst + 1],
              factors.template last<K - 1>(static_cast<std::size_t>(decltype(b)::value)));
  });
}

/// Reduces all vectors from [0, kFrom*q) to [0, output*q), which the caller asked for.
template <ExtendedPolicy A, int K, int kFrom>
RINGLET_INLINE void reduce_rows(Rows<A, K>& r, int output, const ExtendedModulus<A>& m) {
  if (output == 1) {
    unroll<(1 << K)>(
        [&](auto i) __attribute__((always_inline)) { r.x[i] = reduce_fully<A, kFrom>(r.x[i], m); });
  } else if (output < kFrom) {
    unroll<(1 << K)>([&](auto i) __attribute__((always_inline)) {
      r.x[i] = reduce_multiples<A, kFrom, 4>(r.x[i], m);
    });
  }
}

/// Calls body(std::integral_constant<int, stages>) for a pass of radix-4 butterflies. Without lanes
/// it may have a radix-2 stage behind them.
template <ExtendedPolicy A, ExtendedVariant kVariant, typename Body>
RINGLET_INLINE void with_quad_stages(int stages, Body&& body) {
  if (stages == 2) body(std::integral_constant<int, 2>{});
  if constexpr (A::kLogLanes == 0) {
    if (stages == 3) body(std::integral_constant<int, 3>{});
  }
  if constexpr (kVariant.pass_stages == 4) {
    if (stages == 4) body(std::integral_constant<int, 4>{});
  }
}

/// Pairs of vectors that a tail of radix-2 butterflies works on side by side.
inline constexpr int kPairsSideBySide = 8;

/// The state of a transform: its buffers and its places in the streams of factors. The first pass
/// over a block reads the operand; all later ones work in place on the result.
template <ExtendedPolicy A>
struct ExtendedCursor {
  const ExtendedTable& table;
  std::uint64_t* result;
  const std::uint64_t* operand;
  const std::uint64_t* row_stream;
  const std::uint64_t* tail_stream;
  ExtendedModulus<A> modulus;
  RangeFactors factors;

  /// Words of a pair of vectors, and of its factors, in a tail of radix-2 butterflies.
  static constexpr std::size_t kPairWords = 2 * kLanes<A>;
  static constexpr std::size_t kPairRecord = lane_offset<A, 1>(A::kLogLanes);

  /// The pairs [first, last) of a tail; from first to many they go side by side.
  struct Pairs {
    std::size_t first;
    std::size_t many;
    std::size_t last;
  };
  RINGLET_INLINE static Pairs pairs_of(const Pass& tail, std::size_t first_block,
                                       std::size_t block_count) {
    const std::size_t first = (first_block << tail.row_stages) / kPairWords;
    const std::size_t last = ((first_block + block_count) << tail.row_stages) / kPairWords;
    return {first, last - (last - first) % kPairsSideBySide, last};
  }

  /// Returns the factors of a block of a pass of K stages. A stream moves on to the next block.
  template <TwiddleOrder kOrder, int K>
  RINGLET_INLINE BlockFactors<A, kOrder> factors_of(const Pass& pass, std::size_t block) {
    if constexpr (kOrder == TwiddleOrder::compressed) {
      const std::uint64_t* const words = row_stream;
      row_stream += extended_block_words(K);
      return {words};
    } else {
      return {row_stream, (std::size_t{1} << pass.first_stage) + block};
    }
  }
};

}  // namespace ringlet::kernels
