// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/accumulator/policy.hpp"
#include "kernels/policy/prefetch.hpp"
#include "kernels/policy/range_check.hpp"

// Sums of products, written once over any accumulator. A sum is reduced at its end, and whenever it
// is full. Operands and results are in [0, q). Branch-free in the data.

namespace ringlet::kernels {

template <AccumulatorPolicy S>
struct AccumulateLoops {
  using A = typename S::Arithmetic;
  using V = Vec<A>;
  using Sum = typename S::Sum;
  using Reduction = typename S::Reduction;

  static constexpr std::size_t kStep = S::kVectors * kLanes<A>;
  /// Second factors of more words are assumed to come from memory, as keys of key switching do, in
  /// more streams than processors follow by themselves. They are prefetched kAhead words ahead.
  static constexpr std::size_t kNearWords = std::size_t{1} << 16;
  static constexpr std::size_t kAhead = 128;

  /// result[i] = sum over k of a_terms[k][i] * b_terms[k][i]. All terms of a step are read before
  /// its results are stored: `result` may be one of the vectors.
  static void multiply_accumulate(const EltwiseArguments& e) {
    const Reduction r = S::make_reduction(e);
    const Terms terms{e.a_terms, e.b_terms, e.term_count, S::max_terms(e.q)};
    const auto load = [](const std::uint64_t* p)
                          __attribute__((always_inline)) { return A::load(p); };
    std::uint64_t* const result = e.result;
    const std::size_t count = e.count;
    std::size_t i = count * e.term_count <= kNearWords ? whole_steps<false>(e, terms, r, load)
                                                       : whole_steps<true>(e, terms, r, load);
    for (; count - i >= kLanes<A>; i += kLanes<A>) {
      V sums[1];
      sum_of_terms(sums, terms, i, r, load);
      A::store(result + i, sums[0]);
    }
    const std::size_t rest = count - i;
    if (kLanes<A> > 1 && rest != 0) {
      V sums[1];
      sum_of_terms(sums, terms, i, r, [=](const std::uint64_t* p) __attribute__((always_inline)) {
        return A::load_partial(p, rest);
      });
      A::store_partial(result + i, sums[0], rest);
    }
  }

  /// result[0] = sum over i of a[i] * b[i]. Each of S::kVectors sums takes every S::kVectors-th
  /// vector. The rest is at most one more vector for each sum, which has room for it.
  static void dot(const EltwiseArguments& e) {
    if constexpr (LongSumPolicy<S>) {
      *e.result = dot_long(e);
    } else {
      *e.result = dot_in_blocks(e);
    }
  }

 private:
  static std::uint64_t dot_in_blocks(const EltwiseArguments& e) {
    const Reduction r = S::make_reduction(e);
    const std::size_t block = (S::max_terms(e.q) - 1) * kStep;
    Sum sums[S::kVectors];
    unroll<S::kVectors>(
        [&](auto v) __attribute__((always_inline)) { sums[v] = S::start(A::broadcast(0)); });
    std::size_t i = 0;
    while (e.count - i >= kStep) {
      const std::size_t whole = (e.count - i) / kStep * kStep;
      const std::size_t end = i + (whole < block ? whole : block);
      for (; i < end; i += kStep) {
        unroll<S::kVectors>([&](auto v) __attribute__((always_inline)) {
          const std::size_t at = i + v * kLanes<A>;
          sums[v] = accumulate(sums[v], A::load(e.a + at), A::load(e.b + at), r.q);
        });
      }
      if (e.count - i < kStep) break;
      unroll<S::kVectors>(
          [&](auto v) __attribute__((always_inline)) { sums[v] = S::start(reduce(sums[v], r)); });
    }
    unroll<S::kVectors>([&](auto v) __attribute__((always_inline)) {
      const std::size_t at = i + v * kLanes<A>;
      if (at < e.count) {
        sums[v] =
            accumulate(sums[v], load_rest(e.a, at, e.count), load_rest(e.b, at, e.count), r.q);
      }
    });
    return sum_of_lanes(sums, e.q, r);
  }

  static std::uint64_t dot_long(const EltwiseArguments& e) {
    constexpr std::size_t kPart = (S::kLongTerms - 1) * kStep;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < e.count; i += kPart) {
      const std::size_t end = e.count - i < kPart ? e.count : i + kPart;
      sum = add_mod(sum, dot_of_part(e, i, end), e.q);
    }
    return sum;
  }

  /// Returns the sum of the products of words `i` to `end` - 1.
  RINGLET_INLINE static std::uint64_t dot_of_part(const EltwiseArguments& e, std::size_t i,
                                                  std::size_t end) {
    const V q = A::broadcast(e.q);
    const V zero = A::broadcast(0);
    const std::size_t block = S::max_terms(e.q) * kStep;
    typename S::LongSum sums[S::kVectors];
    const auto each = [&](auto body) __attribute__((always_inline)) {
      unroll<S::kVectors>([&](auto v)
                              __attribute__((always_inline)) { body(sums[v], v * kLanes<A>); });
    };
    using Long = typename S::LongSum;
    each([&](Long& sum, std::size_t)
             __attribute__((always_inline)) { sum = {S::start(zero), zero}; });
    const std::size_t whole = end - (end - i) % kStep;
    while (i < whole) {
      for (int carry = 0; carry < S::kCarries && i < whole; ++carry) {
        const std::size_t next = whole - i < block ? whole : i + block;
        for (; i < next; i += kStep) {
          each([&](Long& sum, std::size_t v) __attribute__((always_inline)) {
            sum.words = accumulate(sum.words, A::load(e.a + i + v), A::load(e.b + i + v), q);
          });
        }
        each([](Long& sum, std::size_t) __attribute__((always_inline)) { S::carry_cross(sum); });
      }
      each([](Long& sum, std::size_t) __attribute__((always_inline)) { S::carry_high(sum); });
    }
    each([&](Long& sum, std::size_t v) __attribute__((always_inline)) {
      if (i + v < end) {
        sum.words =
            accumulate(sum.words, load_rest(e.a, i + v, end), load_rest(e.b, i + v, end), q);
      }
    });
    return S::total(sums, e);
  }

  /// A copy of the terms of a call, which its stores cannot change.
  struct Terms {
    const std::uint64_t* const* a;
    const std::uint64_t* const* b;
    std::size_t count;
    std::size_t most;  ///< As many as fit a sum.
  };

  RINGLET_INLINE static Sum accumulate(const Sum& sum, V x, V y, const V& q) {
    expect_below<A>(x, q);
    expect_below<A>(y, q);
    return S::accumulate(sum, x, y);
  }

  RINGLET_INLINE static V reduce(const Sum& sum, const Reduction& r) {
    static_assert(S::kRange == 1 || S::kRange == 4);
    V x = S::reduce(sum, r);
    if constexpr (S::kRange == 4) {
      x = A::reduce_once(x, r.two_q);
      expect_below<A>(x, r.two_q);
      x = A::reduce_once(x, r.q);
    }
    expect_below<A>(x, r.q);
    return x;
  }

  /// Computes the results of all whole steps. Returns the number of their words.
  template <bool kFar, typename Load>
  RINGLET_INLINE static std::size_t whole_steps(const EltwiseArguments& e, const Terms& terms,
                                                const Reduction& r, Load load) {
    std::size_t i = 0;
    for (; e.count - i >= kStep; i += kStep) {
      V sums[S::kVectors];
      sum_of_terms<kFar>(sums, terms, i, r, load);
      unroll<S::kVectors>([&](auto v) __attribute__((always_inline)) {
        A::store(e.result + i + v * kLanes<A>, sums[v]);
      });
    }
    return i;
  }

  /// Computes the reduced sums of all terms for `kVectors` vectors from word i on.
  template <bool kFar = false, std::size_t kVectors, typename Load>
  RINGLET_INLINE static void sum_of_terms(V (&results)[kVectors], const Terms& terms, std::size_t i,
                                          const Reduction& r, Load load) {
    Sum sums[kVectors];
    unroll<kVectors>([&](auto v)
                         __attribute__((always_inline)) { sums[v] = S::start(A::broadcast(0)); });
    std::size_t k = 0;
    for (;;) {
      const std::size_t left = terms.count - k;
      const std::size_t end = k + (left < terms.most ? left : terms.most);
      for (; k < end; ++k) {
        const std::uint64_t* a = terms.a[k] + i;
        const std::uint64_t* b = terms.b[k] + i;
        if constexpr (kFar) prefetch<sizeof(std::uint64_t) * kVectors * kLanes<A>>(b + kAhead);
        unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
          sums[v] = accumulate(sums[v], load(a + v * kLanes<A>), load(b + v * kLanes<A>), r.q);
        });
      }
      if (k == terms.count) break;
      unroll<kVectors>(
          [&](auto v) __attribute__((always_inline)) { sums[v] = S::start(reduce(sums[v], r)); });
    }
    unroll<kVectors>([&](auto v)
                         __attribute__((always_inline)) { results[v] = reduce(sums[v], r); });
  }

  /// Returns the vector at word `at`, with zeros from word `count` on; at < count.
  RINGLET_INLINE static V load_rest(const std::uint64_t* words, std::size_t at, std::size_t count) {
    return count - at >= kLanes<A> ? A::load(words + at) : A::load_partial(words + at, count - at);
  }

  RINGLET_INLINE static std::uint64_t sum_of_lanes(const Sum (&sums)[S::kVectors], std::uint64_t q,
                                                   const Reduction& r) {
    V lane_sums = reduce(sums[0], r);
    unroll<S::kVectors - 1>([&](auto v) __attribute__((always_inline)) {
      lane_sums = A::reduce_once(A::add(lane_sums, reduce(sums[v + 1], r)), r.q);
    });
    std::uint64_t lanes[kLanes<A>];
    A::store(lanes, lane_sums);
    std::uint64_t total = 0;
    for (const std::uint64_t lane : lanes) total = add_mod(total, lane, q);
    return total;
  }
};

/// Returns the descriptor of multiply_accumulate or dot. Each has its own algorithm name, because
/// an algorithm has one limit.
template <AccumulatorPolicy S, EltwiseOperation kOperation>
consteval EltwiseKernel accumulate_kernel(const char* table, CpuFeatureMask needs) {
  static_assert(kOperation == EltwiseOperation::multiply_accumulate ||
                kOperation == EltwiseOperation::dot);
  using Loops = AccumulateLoops<S>;
  constexpr bool kIsDot = kOperation == EltwiseOperation::dot;
  return {.table = table,
          .algorithm = kIsDot ? "wide-lanes" : "wide",
          .operation = kOperation,
          .needs = needs,
          .modulus_limit = kIsDot ? S::kDotModulusLimit : S::kModulusLimit,
          .run = kIsDot ? &Loops::dot : &Loops::multiply_accumulate};
}

}  // namespace ringlet::kernels
