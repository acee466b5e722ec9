// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/digit_sum.hpp"
#include "kernels/ntt/lazy/forward.hpp"
#include "kernels/ntt/lazy/table.hpp"

// Inner products of key switching over any lazy policy: docs/notes/key_switching.md.

namespace ringlet::kernels {

/// The term added to the two fractions of a sum: more than their errors together, and so little
/// that q times it stays within 2^52.
inline constexpr std::uint64_t kSumRounding = 2 * kFractionRounding;

/// From this degree on a transform has a pass before the tail and whole parts.
inline constexpr int kMinLazySumLogDegree = 10;

/// Returns how many products of residues modulo q have a sum with a high word below 2^52.
RINGLET_INLINE constexpr std::size_t lazy_sum_terms(std::uint64_t q) {
  const int room = 2 * (kLazyWordBits - (64 - __builtin_clzll(q)));
  constexpr int kMost = 10;
  return std::size_t{1} << (room < kMost ? room : kMost);
}

/// Returns block `block` of values under a map.
template <LazyPolicy A>
RINGLET_INLINE Vec<A> mapped_block(const std::uint64_t* values, const BlockMap& map,
                                   std::size_t block) {
  static_assert(kLanes<A> == 8);
  const std::size_t source = map.sources[block];
  return A::permuted(A::load(values + source / kLanes<A> * kLanes<A>),
                     map.patterns + source % kLanes<A> * kLanes<A>);
}

template <LazyPolicy A>
void permute_blocks(const BlockPermutation& p) {
  for (std::size_t block = 0; block < p.block_count; block += 4) {
    Vec<A> x[4];
    unroll<4>([&](auto i) __attribute__((always_inline)) {
      x[i] = mapped_block<A>(p.values, p.map, block + i);
    });
    unroll<4>([&](auto i) __attribute__((always_inline)) {
      A::store(p.result + (block + i) * kLanes<A>, x[i]);
    });
  }
}

/// Computes an inner product as a visitor of walk_forward. All digits go through a pass on a block
/// before the next block begins, so that they read its twiddles from the cache. In the tail they
/// do so part by part: the products of a part are summed in registers and reduced once. Meanwhile
/// the keys of the next part come from memory.
template <LazyPolicy A, bool kTight>
class LazyDigitSum {
 public:
  LazyDigitSum(const DigitSumArguments& arguments, const LazyTable& table,
               const LazyModulus<A>& modulus)
      : arguments_(arguments),
        constants_(table.constants),
        degree_(std::size_t{1} << table.forward.schedule.log_degree),
        transform_(nullptr, nullptr, table.forward_stream(), table.forward, modulus) {
    transform_.reduced_input = false;
    for (std::size_t k = 0; k < arguments.term_count; ++k) {
      if (arguments.operands[k] == nullptr) {
        transform_.ahead.add(arguments.values[k]);
      } else {
        ++transforms_;
      }
      if (arguments.scalars != nullptr) continue;
      transform_.ahead.add(arguments.keys[2 * k]);
      transform_.ahead.add(arguments.keys[2 * k + 1]);
    }
    if (arguments.scalars != nullptr && degree_ >= kFarDegree) {
      transform_.ahead.add(arguments.results[0]);
    }
    if (transforms_ == 0) return;
    const std::size_t levels = transforms_ * table.forward.schedule.pass_count;
    lines_ = (8 * transform_.ahead.count() + levels - 1) / levels;
    transform_.ahead.start(degree_);
  }

  void operator()(const Pass& pass, std::size_t first_block, std::size_t blocks) {
    if (pass.is_tail) return tail(pass, first_block, blocks);
    const std::uint64_t* const start = transform_.stream();
    transform_.ahead.lines = pass.first_stage == 0 ? 0 : lines_;
    for (std::size_t k = 0; k < arguments_.term_count; ++k) {
      if (pass.first_stage == 0) bring(k, 0);
      if (arguments_.operands[k] == nullptr) continue;
      transform_.change_to(transformed(k), arguments_.operands[k], start);
      transform_.shift = arguments_.shifts[k];
      transform_(pass, first_block, blocks);
    }
    transform_.change_to(nullptr, nullptr, start + level_stream_words(pass, blocks));
  }

 private:
  /// Words of a part. The part of all digits, its keys and the keys of the next part stay in the
  /// second-level cache.
  static constexpr std::size_t kPartWords = Ahead::kPartWords;
  /// From this degree on, results of divisions are rarely in the second-level cache.
  static constexpr std::size_t kFarDegree = std::size_t{1} << 14;
  /// Vectors whose sums are in registers at the same time.
  static constexpr int kVectors = 4;
  static constexpr std::size_t kStepWords = kVectors * kLanes<A>;

  std::uint64_t* transformed(std::size_t k) const { return arguments_.scratch[k]; }

  /// Prefetches the words of term k that the sums of the part from word `first` on only read.
  void bring(std::size_t k, std::size_t first) const {
    for (std::size_t i = first; i < first + kPartWords; i += kGroupWords) {
      if (arguments_.operands[k] == nullptr) {
        prefetch<sizeof(std::uint64_t) * kGroupWords>(arguments_.values[k] + i);
      }
      if (arguments_.scalars != nullptr) continue;
      unroll<2>([&](auto t) __attribute__((always_inline)) {
        prefetch<sizeof(std::uint64_t) * kGroupWords>(arguments_.keys[2 * k + t] + i);
      });
    }
  }

  void tail(const Pass& pass, std::size_t first_block, std::size_t blocks) {
    const std::uint64_t* const start = transform_.stream();
    const std::size_t block_size = kLanes<A> << pass.row_stages;
    const std::size_t part = kPartWords / block_size;
    transform_.ahead.lines = lines_;
    for (std::size_t offset = 0; offset < blocks; offset += part) {
      const std::size_t first = (first_block + offset) * block_size;
      const std::size_t next = first + kPartWords;
      for (std::size_t k = 0; k < arguments_.term_count; ++k) {
        if (arguments_.operands[k] == nullptr) {
          if (transforms_ == 0 && next < degree_) bring(k, next);
          continue;
        }
        transform_.change_to(transformed(k), nullptr, start);
        transform_.tail_part(pass, first_block, blocks, offset, part);
      }
      arguments_.scalars == nullptr ? sum(first) : scaled_sum(first);
    }
    transform_.change_to(nullptr, nullptr, start + level_stream_words(pass, blocks));
  }

  struct Sums {
    Vec<A> low[2][kVectors];
    Vec<A> high[2][kVectors];
  };

  struct Reduction {
    Vec<A> rounding;
    Twiddle<A> one;
    Twiddle<A> word;
  };

  RINGLET_INLINE Reduction reduction(const LazyModulus<A>& m) const {
    return {A::broadcast(kSumRounding),
            m.one,
            {A::broadcast(constants_.word.operand), A::broadcast(constants_.word.quotient)}};
  }

  /// Returns the residue of a sum in [0, q).
  RINGLET_INLINE static Vec<A> reduce(Vec<A> low, Vec<A> high, const Reduction& r,
                                      const LazyModulus<A>& m) {
    const Vec<A> words = A::add(high, A::carry(low));
    return A::residue(A::fraction(A::fraction(r.rounding, low, r.one), words, r.word), m);
  }

  /// Computes the part from word `first` on of both results.
  __attribute__((noinline)) void sum(std::size_t first) {
    A::align_frame();
    const LazyModulus<A> m = A::make_modulus(constants_);
    const Reduction r = reduction(m);
    const std::size_t most = lazy_sum_terms(constants_.q) - 1;
    for (std::size_t i = first; i < first + kPartWords; i += kStepWords) {
      Sums sums;
      each([&](auto t, auto v) __attribute__((always_inline)) {
        sums.low[t][v] = arguments_.accumulate ? A::load(arguments_.results[t] + i + v * kLanes<A>)
                                               : A::broadcast(0);
        sums.high[t][v] = A::broadcast(0);
      });
      for (std::size_t k = 0;;) {
        const std::size_t left = arguments_.term_count - k;
        const std::size_t end = k + (left < most ? left : most);
        for (; k < end; ++k) add_term(sums, k, i);
        each([&](auto t, auto v) __attribute__((always_inline)) {
          sums.low[t][v] = reduce(sums.low[t][v], sums.high[t][v], r, m);
        });
        if (k == arguments_.term_count) break;
        each([&](auto t, auto v)
                 __attribute__((always_inline)) { sums.high[t][v] = A::broadcast(0); });
      }
      each([&](auto t, auto v) __attribute__((always_inline)) {
        A::store(arguments_.results[t] + i + v * kLanes<A>, sums.low[t][v]);
      });
    }
  }

  /// Computes the part from word `first` on of results[0], with scalars.
  __attribute__((noinline)) void scaled_sum(std::size_t first) {
    A::align_frame();
    const LazyModulus<A> m = A::make_modulus(constants_);
    const Reduction r = reduction(m);
    std::uint64_t* const result = arguments_.results[0];
    for (std::size_t i = first; i < first + kPartWords; i += kStepWords) {
      Vec<A> low[kVectors];
      Vec<A> high[kVectors];
      unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
        low[v] = arguments_.accumulate ? A::load(result + i + v * kLanes<A>) : A::broadcast(0);
        high[v] = A::broadcast(0);
      });
      for (std::size_t k = 0; k < arguments_.term_count; ++k) {
        const std::uint64_t* const x = factor(k) + i;
        const Vec<A> scalar = A::broadcast(arguments_.scalars[k]);
        unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
          const Vec<A> y = A::load(x + v * kLanes<A>);
          low[v] = A::add_low(low[v], y, scalar);
          high[v] = A::add_high(high[v], y, scalar);
        });
      }
      unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
        A::store(result + i + v * kLanes<A>, reduce(low[v], high[v], r, m));
      });
    }
  }

  /// Returns x_k of DigitSumArguments.
  const std::uint64_t* factor(std::size_t k) const {
    return arguments_.operands[k] == nullptr ? arguments_.values[k] : transformed(k);
  }

  template <typename Body>
  RINGLET_INLINE static void each(Body&& body) {
    unroll<2>([&](auto t) __attribute__((always_inline)) {
      unroll<kVectors>([&](auto v) __attribute__((always_inline)) { body(t, v); });
    });
  }

  RINGLET_INLINE void add_term(Sums& sums, std::size_t k, std::size_t i) const {
    if (arguments_.maps == nullptr) {
      const std::uint64_t* const x = factor(k) + i;
      return add_products(sums, k, i, [x](std::size_t v) { return A::load(x + v * kLanes<A>); });
    }
    add_products(sums, k, i, [&](std::size_t v) {
      return mapped_block<A>(arguments_.values[k], arguments_.maps[k], i / kLanes<A> + v);
    });
  }

  template <typename Factor>
  RINGLET_INLINE void add_products(Sums& sums, std::size_t k, std::size_t i,
                                   const Factor& factor_of) const {
    const std::uint64_t* const keys[2] = {arguments_.keys[2 * k] + i,
                                          arguments_.keys[2 * k + 1] + i};
    unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
      const Vec<A> factor = factor_of(v);
      unroll<2>([&](auto t) __attribute__((always_inline)) {
        const Vec<A> key = A::load(keys[t] + v * kLanes<A>);
        sums.low[t][v] = A::add_low(sums.low[t][v], factor, key);
        sums.high[t][v] = A::add_high(sums.high[t][v], factor, key);
      });
    });
  }

  const DigitSumArguments& arguments_;
  const LazyConstants& constants_;
  std::size_t degree_;
  std::size_t transforms_ = 0;
  std::size_t lines_ = 0;
  ForwardLazy<A, kTight> transform_;
};

}  // namespace ringlet::kernels
