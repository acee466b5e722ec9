// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/lazy/forward_level.hpp"
#include "kernels/ntt/lazy/forward_table.hpp"
#include "kernels/ntt/lazy/passes.hpp"
#include "kernels/ntt/rows.hpp"

// The passes of the lazy forward transform: how rows come to a level and where it leaves them.

namespace ringlet::kernels {

/// Stores eight vectors transposed, in three steps that run between the steps of a level.
template <LazyPolicy A, typename Word>
struct TransposedStore {
  Vec<A> (&x)[kLanes<A>];
  Word* to;

  template <int kStep>
  RINGLET_INLINE void step() const {
    A::template transposed_store_step<kStep>(x, to);
  }
  RINGLET_INLINE void all() const {
    unroll<3>([&](auto i) __attribute__((always_inline)) { step<decltype(i)::value>(); });
  }
  template <typename Step>
  RINGLET_INLINE void operator()(Step, Vec<A>& a, Vec<A>& b, Vec<A>& c, Vec<A>& d) const {
    step<Step::value>();
    A::keep_order(x, a, b, c, d);
  }
};

/// Prefetches vectors while other work goes on: a part of each in turn, so that all parts from one
/// word on come before those from the next.
class Ahead {
 public:
  static constexpr std::size_t kPartWords = 512;
  static constexpr std::size_t kMostVectors = 20;

  /// How many lines a step prefetches.
  std::size_t lines = 0;

  RINGLET_INLINE void add(const std::uint64_t* vector) { vectors_[count_++] = vector; }
  RINGLET_INLINE std::size_t count() const { return count_; }
  RINGLET_INLINE bool is_empty() const { return count_ == 0; }
  /// Begins with the parts from word kPartWords on; the vectors have `words` words.
  RINGLET_INLINE void start(std::size_t words) {
    left_ = count_ * (words / kPartWords - 1);
    for (std::size_t i = 0; i < count_; ++i) vectors_[i] += kPartWords;
    next_ = vectors_[0];
  }
  /// To be called once for every kGroupWords words that a level writes.
  RINGLET_INLINE void step() {
    if (left_ == 0) return;
    for (std::size_t i = 0; i < lines; ++i) {
      prefetch<kLineBytes>(next_);
      next_ += kLineWords;
      if (++line_ % (kPartWords / kLineWords) == 0) turn();
    }
  }

 private:
  static constexpr std::size_t kLineWords = 8;
  static constexpr std::size_t kLineBytes = kLineWords * sizeof(std::uint64_t);

  RINGLET_INLINE void turn() {
    vectors_[vector_] = next_;
    vector_ = vector_ + 1 == count_ ? 0 : vector_ + 1;
    next_ = vectors_[vector_];
    --left_;
  }

  const std::uint64_t* vectors_[kMostVectors];
  std::size_t count_ = 0;
  std::size_t left_ = 0;    // parts
  std::size_t vector_ = 0;  // whose part comes
  std::size_t line_ = 0;
  const std::uint64_t* next_ = nullptr;
};

/// How a pass of rows reads its words: as values, as values plus ForwardLazy::shift, or as 32-bit
/// operands.
enum class RowWords { values, shifted, halves };

/// The passes of a lazy forward transform, and their position. kTight is is_tight(q). Between the
/// passes the values are 64-bit words, and share the memory of the results if these are too.
template <LazyPolicy A, bool kTight, typename Word = std::uint64_t>
class ForwardLazy {
 public:
  /// With `reduced_input` operands are in [0, q), otherwise any words below 2^52. With
  /// `reduced_output` results are in [0, q), otherwise below LazyForward::bound.
  ForwardLazy(std::uint64_t* result, const std::uint64_t* operand, const std::uint64_t* stream,
              const LazyForward& table, const LazyModulus<A>& modulus)
      : values_(result),
        result_(result),
        operand_(operand),
        stream_(stream),
        table_(table),
        modulus_(modulus) {}
  /// Transforms 32-bit words, with N words of scratch memory, which become 0. The results are
  /// reduced, and the tail is not the first pass.
  ForwardLazy(std::uint32_t* result, const std::uint32_t* operand, std::uint64_t* scratch,
              const std::uint64_t* stream, const LazyForward& table, const LazyModulus<A>& modulus)
      : values_(scratch),
        result_(result),
        operand_(operand),
        stream_(stream),
        table_(table),
        modulus_(modulus) {}

  bool reduced_input = true;
  bool reduced_output = true;
  /// Is added to the operands of a first pass that is not the tail. The sums are below 2^52. A
  /// shift other than 0 needs `reduced_input` to be false.
  std::uint64_t shift = 0;
  /// Prefetches other vectors while the transform works.
  Ahead ahead;

  const std::uint64_t* stream() const { return stream_; }
  /// Continues with another transform modulo the same q, whose twiddles start at `stream`.
  void change_to(std::uint64_t* result, const std::uint64_t* operand, const std::uint64_t* stream) {
    values_ = result;
    result_ = result;
    operand_ = operand;
    stream_ = stream;
  }

  /// Transforms `count` blocks of a visit of the tail pass with `blocks` blocks, from block
  /// first_block + offset on. Before and after, the stream is at the start of that visit.
  void tail_part(const Pass& pass, std::size_t first_block, std::size_t blocks, std::size_t offset,
                 std::size_t count) {
    const std::uint64_t* const start = stream_;
    const std::size_t level = level_words(pass.row_stages);
    stream_ = start + offset * level;
    tail_level(pass, first_block + offset, count);
    stream_ = start + blocks * level + groups_of(pass, offset) * kLaneFactorWords;
    last(groups_of(pass, first_block + offset), groups_of(pass, count));
    stream_ = start;
  }

  /// Runs a pass, as a visitor of walk_forward.
  void operator()(const Pass& pass, std::size_t first_block, std::size_t blocks) {
    level(pass, first_block, blocks);
    if (pass.is_tail) last(groups_of(pass, first_block), groups_of(pass, blocks));
  }

  /// Computes the level of a pass between rows or vectors.
  void level(const Pass& pass, std::size_t first_block, std::size_t blocks) {
    const bool is_first = pass.first_stage == 0;
    if constexpr (kHalves) {
      if (!is_first) return values_level(pass, first_block, blocks);
    } else if (pass.is_tail) {
      return tail_level(pass, first_block, blocks);
    }
    with_first_row(index_of(pass), [&](auto row) {
      if constexpr (kHalves) {
        if constexpr (row == FirstRow::centred || row == FirstRow::shifted) {
          row_pass<row, RowWords::halves>(pass, first_block, blocks);
        }
        return;
      } else if constexpr (row == FirstRow::centred) {
        if (is_first && shift != 0) {
          return row_pass<row, RowWords::shifted>(pass, first_block, blocks);
        }
      }
      row_pass<row, RowWords::values>(pass, first_block, blocks);
    });
  }

 private:
  /// Computes a level on the values of a transform of 32-bit words.
  void values_level(const Pass& pass, std::size_t first_block, std::size_t blocks) {
    ForwardLazy<A, kTight> words(values_, values_, stream_, table_, modulus_);
    words.level(pass, first_block, blocks);
    stream_ = words.stream();
  }

  static_assert(A::kLogLanes == kLevelLogLanes);
  static constexpr bool kHalves = sizeof(Word) == sizeof(std::uint32_t);

  int index_of(const Pass& pass) const { return static_cast<int>(&pass - table_.schedule.passes); }

  template <FirstRow kRow, RowWords kWords>
  RINGLET_INLINE void row_pass(const Pass& pass, std::size_t first_block, std::size_t blocks) {
    pass.row_stages == 2 ? rows<2, kRow, kWords>(pass, first_block, blocks)
                         : rows<3, kRow, kWords>(pass, first_block, blocks);
  }

  /// Returns where a pass reads its values: the first one reads the operand.
  RINGLET_INLINE const std::uint64_t* source(const Pass& pass) const {
    if constexpr (!kHalves) {
      if (pass.first_stage == 0) return operand_;
    }
    return values_;
  }

  RINGLET_INLINE void tail_level(const Pass& pass, std::size_t first_block, std::size_t blocks) {
    with_first_row(index_of(pass), [&](auto row) {
      pass.row_stages == 2 ? tail<2, row>(pass, first_block, blocks)
                           : tail<3, row>(pass, first_block, blocks);
    });
  }

  /// Calls body with the FirstRow of level p as a constant.
  template <typename Body>
  RINGLET_INLINE void with_first_row(int p, Body&& body) const {
    const FirstRow row = p == 0 && !reduced_input ? FirstRow::centred : table_.levels.first_row[p];
    if (row == FirstRow::centred) {
      body(std::integral_constant<FirstRow, FirstRow::centred>{});
    } else if (row == FirstRow::shifted) {
      body(std::integral_constant<FirstRow, FirstRow::shifted>{});
    } else if constexpr (!kTight) {
      row == FirstRow::reduced ? body(std::integral_constant<FirstRow, FirstRow::reduced>{})
                               : body(std::integral_constant<FirstRow, FirstRow::same>{});
    }
  }

  RINGLET_INLINE ForwardRoots<A> roots() const {
    return {hidden_twiddle<A>(table_.i),
            hidden_twiddle<A>(kTight ? table_.zeta : table_.half_difference),
            hidden_twiddle<A>(kTight ? table_.i_zeta : table_.half_sum)};
  }

  template <FirstRow kRow>
  RINGLET_INLINE Vec<A> first_row(const Vec<A>& x, const LazyModulus<A>& m) const {
    if constexpr (kRow == FirstRow::shifted) return A::add(x, A::broadcast(table_.shift));
    if constexpr (kRow == FirstRow::centred) {
      return A::product_from(A::broadcast(table_.centre), x, m.one, m);
    }
    if constexpr (kRow == FirstRow::reduced) {
      return A::reduce_from(A::broadcast(table_.negated_count), x, m);
    }
    return x;
  }

  /// Sets row e of a level to load(e) times twiddle(e), and row 0 as kRow says. Partners of the
  /// first stage come one after the other.
  template <FirstRow kRow, int kCount, typename Load, typename TwiddleOf>
  RINGLET_INLINE void load_rows(Vec<A> (&x)[kCount], const LazyModulus<A>& m, Load&& load,
                                TwiddleOf&& twiddle) const {
    const std::uint64_t* const starts = kCount == 4 ? table_.pair_starts : table_.triple_starts;
    unroll<kCount>([&](auto i) __attribute__((always_inline)) {
      constexpr int kIndex = decltype(i)::value;
      constexpr int e = kIndex / 2 + kIndex % 2 * (kCount / 2);
      if constexpr (e == 0) {
        x[e] = first_row<kRow>(load(e), m);
      } else if constexpr (kRow == FirstRow::shifted && kCount == 8 && e == kCount / 2) {
        const Vec<A> residue = A::product(load(e), twiddle(e), m);
        x[e] = kTight ? residue : A::sub(residue, m.q);
      } else {
        x[e] = A::product_from(A::broadcast(starts[e]), load(e), twiddle(e), m);
      }
    });
  }

  /// In builds with RINGLET_CHECK_RANGES: stops the process unless the results of level p are in
  /// their forward_interval.
  template <int kCount>
  RINGLET_INLINE void expect_level([[maybe_unused]] const Vec<A> (&x)[kCount],
                                   [[maybe_unused]] int p,
                                   [[maybe_unused]] const LazyModulus<A>& m) const {
#ifdef RINGLET_CHECK_RANGES
    const LazyInterval interval = forward_interval(table_.levels, p, first_lane<A>(m.q));
    for (const Vec<A>& y : x) expect_in_interval<A>(y, interval);
#endif
  }

  template <int K, FirstRow kRow, RowWords kWords>
  __attribute__((noinline)) void rows(const Pass& pass, std::size_t first_block,
                                      std::size_t blocks) {
    A::align_frame();
    const LazyModulus<A> m = modulus_;
    const ForwardRoots<A> inner = roots();
    const Vec<A> centre = A::broadcast(table_.centre);
    const Vec<A> offset = A::broadcast(shift);
    const std::size_t row = row_words(table_.schedule, pass);
    const std::uint64_t* const from = source(pass);
    [[maybe_unused]] const bool prefetches = !ahead.is_empty();
    for (std::size_t block = first_block; block < first_block + blocks; ++block) {
      const std::uint64_t* const words = stream_;
      stream_ += level_words(K);
      const std::size_t base = block * (row << K);
      for (std::size_t j = base; j < base + row; j += kLanes<A>) {
        if constexpr (kWords == RowWords::values && kRow != FirstRow::shifted) {
          if (prefetches && (K == 3 || j % (2 * kLanes<A>) == 0)) ahead.step();
        }
        Vec<A> x[std::size_t{1} << K];
        load_rows<kRow>(
            x, m,
            [&](std::size_t e) __attribute__((always_inline)) {
              if constexpr (kWords == RowWords::halves) {
                return A::load_halves(operand_ + j + e * row);
              } else {
                const Vec<A> values = A::load(from + j + e * row);
                return kWords == RowWords::shifted ? A::add(values, offset) : values;
              }
            },
            [&](int e)
                __attribute__((always_inline)) { return broadcast_twiddle<A>(words + 2 * e - 2); });
        forward_level<A, kTight>(x, inner, centre, m, NothingBetween{});
        expect_level(x, static_cast<int>(&pass - table_.schedule.passes), m);
        unroll<(1 << K)>([&](auto e) __attribute__((always_inline)) {
          A::store(values_ + j + decltype(e)::value * row, x[e]);
        });
      }
    }
  }

  /// Calls group(between) for each group of a level, which leaves its results in `x`. Meanwhile
  /// `between` transposes and stores the results of the group before.
  template <typename To, typename Group>
  RINGLET_INLINE void store_groups(Vec<A> (&x)[kLanes<A>], To* to, std::size_t groups,
                                   Group&& group) const {
    group(NothingBetween{});
    for (std::size_t g = 1; g < groups; ++g, to += kGroupWords) {
      group(TransposedStore<A, To>{x, to});
    }
    TransposedStore<A, To>{x, to}.all();
  }

  /// Computes the level between vectors and leaves groups transposed.
  template <int K, FirstRow kRow>
  __attribute__((noinline)) void tail(const Pass& pass, std::size_t first_block,
                                      std::size_t blocks) {
    constexpr std::size_t kRows = std::size_t{1} << K;
    constexpr std::size_t kBlocks = kLanes<A> / kRows;  // in a group
    A::align_frame();
    const LazyModulus<A> m = modulus_;
    const ForwardRoots<A> inner = roots();
    const Vec<A> centre = A::broadcast(table_.centre);
    const std::size_t first_word = first_block * kRows * kLanes<A>;
    const std::uint64_t* from = source(pass) + first_word;
    const std::uint64_t* words = stream_;
    const bool prefetches = !ahead.is_empty();
    Vec<A> results[kLanes<A>];
    store_groups(
        results, values_ + first_word, blocks / kBlocks,
        [&](auto&& between) __attribute__((always_inline)) {
          if (kRow != FirstRow::shifted && prefetches) ahead.step();
          Vec<A> x[kBlocks][kRows];
          unroll<kBlocks>([&](auto b) __attribute__((always_inline)) {
            load_rows<kRow>(
                x[b], m,
                [&](int e) __attribute__((always_inline)) { return A::load(from + e * kLanes<A>); },
                [&](int e) __attribute__((always_inline)) {
                  return broadcast_twiddle<A>(words + 2 * e - 2);
                });
            from += kRows * kLanes<A>;
            words += level_words(K);
            if constexpr (decltype(b)::value == 0) {
              between(std::integral_constant<int, 0>{}, x[b][0], x[b][1], x[b][2], x[b][3]);
            }
            forward_level<A, kTight>(x[b], inner, centre, m, between);
            expect_level(x[b], table_.schedule.pass_count - 1, m);
          });
          if constexpr (K == 2) {
            between(std::integral_constant<int, 1>{}, x[0][0], x[0][1], x[0][2], x[0][3]);
            between(std::integral_constant<int, 2>{}, x[0][0], x[0][1], x[0][2], x[0][3]);
          }
          unroll<kLanes<A>>([&](auto i) __attribute__((always_inline)) {
            results[i] = x[decltype(i)::value / kRows][decltype(i)::value % kRows];
          });
        });
    stream_ = words;
  }

  /// Computes the level inside vectors.
  void last(std::size_t first_group, std::size_t groups) {
    if constexpr (!kHalves) {
      if (!reduced_output) {
        return with_first_row(table_.schedule.pass_count, [&](auto row) {
          if constexpr (row != FirstRow::shifted) lanes<row>(first_group, groups);
        });
      }
    }
    reduced_lanes(first_group, groups);
  }

  RINGLET_INLINE static Twiddle<A> lane_factor(const std::uint64_t* words, int e) {
    const std::uint64_t* const factors =
        words + (e - 1) * static_cast<std::ptrdiff_t>(2 * kLanes<A>);
    return {A::load(factors), A::load(factors + kLanes<A>)};
  }

  /// Leaves results of the last level unreduced. Only Barrett's reductions set bits above bit 51.
  template <FirstRow kRow>
  __attribute__((noinline)) void lanes(std::size_t first_group, std::size_t groups) {
    A::align_frame();
    const LazyModulus<A> m = modulus_;
    const ForwardRoots<A> inner = roots();
    const Vec<A> centre = A::broadcast(table_.centre);
    std::uint64_t* const to = result_ + first_group * kGroupWords;
    const std::uint64_t* from = to;
    const std::uint64_t* words = stream_;
    Vec<A> results[kLanes<A>];
    store_groups(results, to, groups, [&](auto&& between) __attribute__((always_inline)) {
      Vec<A> x[kLanes<A>];
      load_rows<kRow>(
          x, m, [&](int e) __attribute__((always_inline)) { return A::load(from + e * kLanes<A>); },
          [&](int e) __attribute__((always_inline)) { return lane_factor(words, e); });
      between(std::integral_constant<int, 0>{}, x[0], x[1], x[4], x[5]);
      forward_level<A, kTight>(x, inner, centre, m, between);
      expect_level(x, table_.schedule.pass_count, m);
      from += kGroupWords;
      words += kLaneFactorWords;
      unroll<kLanes<A>>([&](auto i) __attribute__((always_inline)) {
        results[i] = kRow == FirstRow::centred ? x[i] : A::low_word(x[i]);
      });
    });
    stream_ = words;
  }

  /// Computes the last level with reduced results.
  __attribute__((noinline)) void reduced_lanes(std::size_t first_group, std::size_t groups) {
    A::align_frame();
    const LazyModulus<A> m = modulus_;
    const ForwardRoots<A> inner = {hidden_twiddle<A>(table_.i), hidden_twiddle<A>(table_.zeta),
                                   hidden_twiddle<A>(table_.i_zeta)};
    const Vec<A> first = A::broadcast(table_.roundings.first);
    const Vec<A> other = A::broadcast(table_.roundings.other);
    Word* const to = result_ + first_group * kGroupWords;
    const std::uint64_t* from = values_ + first_group * kGroupWords;
    const std::uint64_t* words = stream_;
    const bool prefetches = !ahead.is_empty();
    Vec<A> x[kLanes<A>];
    store_groups(x, to, groups, [&](auto&& between) __attribute__((always_inline)) {
      if (prefetches) ahead.step();
      Vec<A> y[kLanes<A>];
      unroll<kLanes<A>>([&](auto i) __attribute__((always_inline)) {
        constexpr int e = decltype(i)::value * 5 % 8;
        const Vec<A> word = A::load(from + e * kLanes<A>);
        if constexpr (kHalves)
          A::store(values_ + (from - values_) + e * kLanes<A>, A::broadcast(0));
        if constexpr (e == 0) {
          y[e] = kTight ? first_row<FirstRow::centred>(word, m) : A::fraction(first, word, m.one);
        } else if constexpr (e == 4 && !kTight) {
          y[e] = A::fraction(other, word, lane_factor(words, e));
        } else {
          const Vec<A> start = A::broadcast(table_.last_starts[e]);
          y[e] = A::product_from(start, word, lane_factor(words, e), m);
        }
      });
      between(std::integral_constant<int, 0>{}, y[1], y[5], y[7], y[3]);
      forward_last_level<A, kTight>(y, inner, first, other, m, between);
      from += kGroupWords;
      words += kLaneFactorWords;
      unroll<kLanes<A>>([&](auto i) __attribute__((always_inline)) { x[i] = y[i]; });
    });
    stream_ = words;
  }

  std::uint64_t* values_;
  Word* result_;
  const Word* operand_;
  const std::uint64_t* stream_;
  const LazyForward& table_;
  const LazyModulus<A>& modulus_;
};

}  // namespace ringlet::kernels
