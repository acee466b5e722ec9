// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/lazy/inverse_level.hpp"
#include "kernels/ntt/lazy/inverse_table.hpp"
#include "kernels/ntt/lazy/passes.hpp"
#include "kernels/ntt/rows.hpp"

// The passes of the lazy inverse transform: how rows come to a level and where it leaves them.

namespace ringlet::kernels {

/// Finishes the rows of a level for the next level: multiplies row j by its outer factor, pair
/// j - 1 of `words`, and centres it at the bias that the block has as a row of the next level.
template <LazyPolicy A>
struct ToNextLevel {
  const std::uint64_t* words;
  Vec<A> start;

  template <int j>
  RINGLET_INLINE Vec<A> finish(const Vec<A>& y, const LazyModulus<A>& m) const {
    if constexpr (j == 0) {
      return A::product_from(start, y, m.one, m);
    } else {
      return A::product_from(start, y, broadcast_twiddle<A>(words + 2 * j - 2), m);
    }
  }
};

/// Does the work of ToNextLevel where the next level has two stages and q is not tight. Row 0 comes
/// within q of its bias; `negated_count` is 1 minus that bias.
template <LazyPolicy A>
struct ToPairLevel {
  const std::uint64_t* words;
  Vec<A> start;
  Vec<A> negated_count;

  template <int j>
  RINGLET_INLINE Vec<A> finish(const Vec<A>& y, const LazyModulus<A>& m) const {
    if constexpr (j == 0) {
      return A::reduce_from(negated_count, y, m);
    } else {
      return A::product_from(start, y, broadcast_twiddle<A>(words + 2 * j - 2), m);
    }
  }
};

/// Finishes the rows of the first level, whose lanes are blocks.
template <LazyPolicy A>
struct ToSecondLevel {
  const std::uint64_t* words;
  Vec<A> start;

  template <int j>
  RINGLET_INLINE Vec<A> finish(const Vec<A>& y, const LazyModulus<A>& m) const {
    if constexpr (j == 0) {
      return A::product_from(start, y, m.one, m);
    } else {
      const std::uint64_t* const factors = words + (j - 1) * 2 * kLanes<A>;
      return A::product_from(start, y, {A::load(factors), A::load(factors + kLanes<A>)}, m);
    }
  }
};

/// Finishes the rows of the last level as residues in [0, q).
template <LazyPolicy A>
struct ToResult {
  const std::uint64_t* words;
  Twiddle<A> degree_inverse;

  template <int j>
  RINGLET_INLINE Vec<A> finish(const Vec<A>& y, const LazyModulus<A>& m) const {
    if constexpr (j == 0) {
      return A::product(y, degree_inverse, m);
    } else {
      return A::product(y, broadcast_twiddle<A>(words + 2 * j - 2), m);
    }
  }
};

/// Transposes the eight vectors at `from` into x, in three steps between the steps of a level.
template <LazyPolicy A, bool kExchanged, typename Word = std::uint64_t>
struct TransposeBetween {
  Vec<A> (&x)[kLanes<A>];
  const Word* from;

  template <int kStep>
  RINGLET_INLINE void step() const {
    A::template transpose_step<kStep, kExchanged>(x, from);
  }
  RINGLET_INLINE void all() const {
    unroll<3>([&](auto i) __attribute__((always_inline)) { step<decltype(i)::value>(); });
  }
  /// Without the barrier compilers move all of the transposition to one place, where there is
  /// nothing to multiply meanwhile.
  template <typename Step>
  RINGLET_INLINE void operator()(Step, Vec<A>& a, Vec<A>& b, Vec<A>& c, Vec<A>& d) const {
    step<Step::value>();
    A::keep_order(x, a, b, c, d);
  }
};

/// In builds with RINGLET_CHECK_RANGES: stops the process unless row e is in [start[e], start[e] +
/// q), or, where rows may be twice as wide, in that interval widened by half a q on both sides.
template <LazyPolicy A, bool kTight, std::size_t kCount>
RINGLET_INLINE void expect_rows([[maybe_unused]] const Vec<A> (&x)[kCount],
                                [[maybe_unused]] const std::uint64_t* start,
                                [[maybe_unused]] const LazyModulus<A>& m) {
#ifdef RINGLET_CHECK_RANGES
  constexpr bool kWide = kCount == 4 && !kTight;
  const std::uint64_t q = first_lane<A>(m.q);
  const std::uint64_t margin = kWide ? (q + 1) / 2 : 0;
  for (std::size_t e = 0; e < kCount; ++e) {
    expect_in_interval<A>(x[e], {start[e] - margin, start[e] + q + margin});
  }
#endif
}

/// In builds with RINGLET_CHECK_RANGES: stops the process unless y is in [0, units * q).
template <LazyPolicy A>
RINGLET_INLINE void expect_word([[maybe_unused]] const Vec<A>& y,
                                [[maybe_unused]] std::uint64_t units,
                                [[maybe_unused]] const LazyModulus<A>& m) {
#ifdef RINGLET_CHECK_RANGES
  expect_in_interval<A>(y, {0, units * first_lane<A>(m.q)});
#endif
}

/// The inverse transform as a visitor of walk_lazy_inverse. kTight is is_tight(q). Between the
/// passes the values are 64-bit words, in `values`, which is the memory of the results if these are
/// too. In transforms of more than one chunk of 32-bit words, passes of large blocks take 32-bit
/// words in the memory of the results. The passes before them need the values of one block only.
template <LazyPolicy A, bool kTight, typename Word = std::uint64_t>
class InverseLazy {
 public:
  /// With 32-bit words the tail is not the last pass, and the values become 0 at the end.
  InverseLazy(Word* result, const Word* operand, std::uint64_t* values, const std::uint64_t* stream,
              const LazyInverse& table, const LazyModulus<A>& modulus)
      : values_(values),
        result_(result),
        operand_(operand),
        stream_(stream),
        table_(table),
        modulus_(modulus),
        value_count_(count_values(table.schedule)) {}

  /// Whether operands are in [0, q). Otherwise they are any 64-bit words below 2^52.
  bool reduced_input = true;

  void operator()(const Pass& pass, std::size_t first_block, std::size_t blocks) {
    if (pass.is_tail) {
      if (kHalves || reduced_input) {
        lanes<true>(pass.row_stages, groups_of(pass, first_block), groups_of(pass, blocks));
      } else if constexpr (!kHalves) {
        lanes<false>(pass.row_stages, groups_of(pass, first_block), groups_of(pass, blocks));
      }
    }
    level(pass, first_block, blocks);
  }

  /// Computes the level of a pass between rows or vectors.
  void level(const Pass& pass, std::size_t first_block, std::size_t blocks) {
    if constexpr (kHalves) {
      const std::size_t words = block_words(table_.schedule, pass);
      if (words < value_count_) return values_level(pass, first_block, blocks);
      const bool is_last = pass.first_stage == 0;
      if (words > value_count_) {
        is_last ? rows32<ToResult<A>, true>(pass, first_block, blocks)
                : rows32<ToNextLevel<A>, true>(pass, first_block, blocks);
      } else {
        is_last ? rows32<ToResult<A>>(pass, first_block, blocks)
                : rows32<ToNextLevel<A>>(pass, first_block, blocks);
      }
    } else if (pass.first_stage == 0) {
      level<ToResult<A>>(pass, first_block, blocks);
    } else if (!kTight && stages_after(pass) == 2) {
      level<ToPairLevel<A>>(pass, first_block, blocks);
    } else {
      level<ToNextLevel<A>>(pass, first_block, blocks);
    }
  }
  const std::uint64_t* stream() const { return stream_; }

 private:
  /// Computes a level on the values of a transform of 32-bit words.
  void values_level(const Pass& pass, std::size_t first_block, std::size_t blocks) {
    InverseLazy<A, kTight> words(values_, values_, values_, stream_, table_, modulus_);
    const std::size_t all_blocks = value_count_ >> (table_.schedule.log_degree - pass.first_stage);
    words.level(pass, first_block & (all_blocks - 1), blocks);
    stream_ = words.stream();
  }

  static_assert(A::kLogLanes == kLevelLogLanes);
  static constexpr bool kHalves = sizeof(Word) == sizeof(std::uint32_t);
  /// Values for 32-bit words, of which the first-level cache has to hold most.
  static constexpr std::size_t kMostValues = 4096;

  /// Returns how many values a transform needs at once: of 32-bit words, those of a block.
  static std::size_t count_values(const Schedule& schedule) {
    if (!kHalves || schedule.log_degree <= kMaxUnchunkedLogDegree) {
      return std::size_t{1} << schedule.log_degree;
    }
    int p = 1;
    while (block_words(schedule, schedule.passes[p]) > kMostValues) ++p;
    return block_words(schedule, schedule.passes[p]);
  }

  /// Rows are below kUnits * q before the product by their outer factors.
  static constexpr std::uint64_t kUnits = kTight ? 4 : 8;

  /// Stages of the level that runs after `pass`: the level before it in the schedule.
  RINGLET_INLINE static int stages_after(const Pass& pass) { return (&pass)[-1].row_stages; }

  template <typename Finish>
  RINGLET_INLINE void level(const Pass& pass, std::size_t first_block, std::size_t blocks) {
    if (pass.is_tail) {
      pass.row_stages == 2 ? tail<2, Finish>(pass, first_block, blocks)
                           : tail<3, Finish>(pass, first_block, blocks);
    } else {
      pass.row_stages == 2 ? rows<2, Finish>(pass, first_block, blocks)
                           : rows<3, Finish>(pass, first_block, blocks);
    }
  }

  RINGLET_INLINE static Twiddle<A> in_all_lanes(const TwiddlePair& w) {
    return {A::broadcast(w.operand), A::broadcast(w.quotient)};
  }
  RINGLET_INLINE InverseRoots<A> roots() const {
    return {hidden_twiddle<A>(table_.i), hidden_twiddle<A>(table_.zeta),
            hidden_twiddle<A>(table_.i_zeta)};
  }

  /// Returns the Finish for the rows of a block.
  template <typename Finish>
  RINGLET_INLINE Finish finish_of(const Pass& pass, std::size_t block) const {
    if constexpr (std::is_same_v<Finish, ToResult<A>>) {
      return {stream_, in_all_lanes(table_.degree_inverse)};
    } else if constexpr (kHalves) {
      return {stream_, A::broadcast(0)};
    } else {
      const std::size_t row = block % kLevelRows;
      const Vec<A> start = A::broadcast(table_.starts(stages_after(pass))[row]);
      if constexpr (std::is_same_v<Finish, ToPairLevel<A>>) {
        return {stream_, start, A::broadcast(table_.pair_counts[row])};
      } else {
        return {stream_, start};
      }
    }
  }

  template <typename Finish, bool kNarrow = false>
  void rows32(const Pass& pass, std::size_t first_block, std::size_t blocks) {
    pass.row_stages == 2 ? rows<2, Finish, kNarrow>(pass, first_block, blocks)
                         : rows<3, Finish, kNarrow>(pass, first_block, blocks);
  }

  /// With kNarrow the rows are 32-bit words, without their start values, in the memory of the
  /// results.
  template <int K, typename Finish, bool kNarrow = false>
  __attribute__((noinline)) void rows(const Pass& pass, std::size_t first_block,
                                      std::size_t blocks) {
    const LazyModulus<A> m = modulus_;
    const InverseRoots<A> inner = roots();
    const std::size_t row = row_words(table_.schedule, pass);
    for (std::size_t block = first_block; block < first_block + blocks; ++block) {
      const Finish finish = finish_of<Finish>(pass, block);
      stream_ += level_words(K);
      Word* const results = result_ + block * (row << K);
      std::uint64_t* const data = values_ + (block * (row << K) & (value_count_ - 1));
      for (std::size_t column = 0; column < row; column += kLanes<A>) {
        Rows<A, K> r;
        if constexpr (kNarrow) {
          unroll<(1 << K)>([&](auto e) __attribute__((always_inline)) {
            r.x[e] = A::add(A::load_halves(results + column + decltype(e)::value * row),
                            A::broadcast(table_.starts(K)[e]));
          });
        } else {
          r.load(data + column, row);
        }
        if constexpr (kHalves && !kNarrow) {
          unroll<(1 << K)>([&](auto e) __attribute__((always_inline)) {
            A::store(data + column + decltype(e)::value * row, A::broadcast(0));
          });
        }
        expect_rows<A, kTight>(r.x, table_.starts(K), m);
        inverse_level<A, kTight>(
            r.x, inner, m,
            [&](auto j, const Vec<A>& y) __attribute__((always_inline)) {
              expect_word<A>(y, kUnits, m);
              const Vec<A> finished = finish.template finish<decltype(j)::value>(y, m);
              if constexpr (kHalves) {
                A::store_halves(results + column + decltype(j)::value * row, finished);
              } else {
                A::store(data + column + decltype(j)::value * row, finished);
              }
            },
            NothingBetween{});
      }
    }
  }

  /// Computes the first level of groups and leaves them transposed, with their halves exchanged.
  /// `next_stages` are the row stages of the tail. With kResidues operands are in [0, q).
  template <bool kResidues>
  __attribute__((noinline)) void lanes(int next_stages, std::size_t first_group,
                                       std::size_t groups) {
    const LazyModulus<A> m = modulus_;
    const InverseRoots<A> inner = roots();
    ToSecondLevel<A> finish{stream_, A::load(table_.starts(next_stages))};
    const Word* from = operand_ + first_group * kGroupWords;
    const Word* const last = from + (groups - 1) * kGroupWords;
    std::uint64_t* to = values_ + (first_group * kGroupWords & (value_count_ - 1));
    Vec<A> next[kLanes<A>];
    TransposeBetween<A, false, Word>{next, from}.all();
    for (std::size_t group = 0; group < groups; ++group) {
      Vec<A> x[kLanes<A>];
      start<kResidues>(x, next, m);
      expect_rows<A, kTight>(x, kResidues ? table_.input_biases : table_.triple_starts, m);
      from = from < last ? from + kGroupWords : last;
      inverse_level<A, kTight, kResidues>(
          x, inner, m,
          [&](auto j, const Vec<A>& y) __attribute__((always_inline)) {
            expect_word<A>(y, kUnits, m);
            A::template store_exchanged<decltype(j)::value>(
                to, finish.template finish<decltype(j)::value>(y, m));
          },
          TransposeBetween<A, false, Word>{next, from});
      to += kGroupWords;
      finish.words += kLaneFactorWords;
    }
    stream_ = finish.words;
  }

  /// Shifts or reduces the loaded operands to the rows of the first level.
  template <bool kResidues>
  RINGLET_INLINE void start(Vec<A> (&x)[kLanes<A>], const Vec<A> (&loaded)[kLanes<A>],
                            const LazyModulus<A>& m) const {
    unroll<kLanes<A>>([&](auto e) __attribute__((always_inline)) {
      constexpr int kRow = decltype(e)::value;
      if constexpr (!kResidues) {
        const Vec<A> from = A::broadcast(table_.triple_starts[kRow]);
        x[kRow] = A::product_from(from, loaded[kRow], m.one, m);
      } else if constexpr (inverse_input_biases(kTight).row[kRow] != 0) {
        x[kRow] = A::add(loaded[kRow], A::broadcast(table_.input_biases[kRow]));
      } else {
        x[kRow] = loaded[kRow];
      }
    });
  }

  template <int K, typename Finish>
  __attribute__((noinline)) void tail(const Pass& pass, std::size_t first_block,
                                      std::size_t blocks) {
    constexpr std::size_t kBlocks = kLanes<A> >> K;  // in a group
    const LazyModulus<A> m = modulus_;
    const InverseRoots<A> inner = roots();
    const std::size_t groups = blocks / kBlocks;
    std::uint64_t* data = values_ + first_block * (kLanes<A> << K);
    std::uint64_t* const last = data + (groups - 1) * kGroupWords;
    // The first level reads these next. Its twiddles come after those of this call and of a row
    // pass.
    const bool prefetches = table_.schedule.log_degree > kMaxUnchunkedLogDegree;
    const std::uint64_t* twiddles_ahead = stream_ + blocks * level_words(K) + level_words(3);
    const Word* operand_ahead = operand_ + (last - values_) + kGroupWords;
    Vec<A> next[kLanes<A>];
    TransposeBetween<A, true>{next, data}.all();
    for (std::size_t block = first_block; block < first_block + blocks; block += kBlocks) {
      Vec<A> x[kBlocks][std::size_t{1} << K];
      unroll<kLanes<A>>([&](auto i)
                            __attribute__((always_inline)) { x[i >> K][i % (1 << K)] = next[i]; });
      std::uint64_t* const following = data < last ? data + kGroupWords : last;
      if (prefetches) {
        prefetch<sizeof(std::uint64_t) * kLaneFactorWords>(twiddles_ahead);
        prefetch<sizeof(Word) * kGroupWords>(operand_ahead);
        twiddles_ahead += kLaneFactorWords;
        operand_ahead += kGroupWords;
      }
      unroll<kBlocks>([&](auto b) __attribute__((always_inline)) {
        const Finish finish = finish_of<Finish>(pass, block + b);
        stream_ += level_words(K);
        expect_rows<A, kTight>(x[b], table_.starts(K), m);
        inverse_level<A, kTight>(
            x[b], inner, m,
            [&](auto j, const Vec<A>& y) __attribute__((always_inline)) {
              expect_word<A>(y, kUnits, m);
              A::store(data + (b * (1 << K) + decltype(j)::value) * kLanes<A>,
                       finish.template finish<decltype(j)::value>(y, m));
            },
            TransposeBetween<A, true>{next, following});
      });
      if constexpr (K == 2) TransposeBetween<A, true>{next, following}.all();
      data = following;
    }
  }

  std::uint64_t* values_;
  Word* result_;
  const Word* operand_;
  const std::uint64_t* stream_;
  const LazyInverse& table_;
  const LazyModulus<A>& modulus_;
  /// How many words the values take: those of an index i are at i modulo this power of two.
  std::size_t value_count_;
};

}  // namespace ringlet::kernels
