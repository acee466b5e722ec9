// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/eltwise/map.hpp"
#include "kernels/ntt/radix2/forward.hpp"
#include "kernels/ntt/radix2/inverse.hpp"
#include "kernels/policy/accumulator/policy.hpp"

namespace ringlet::kernels {

/// Sums of products of transforms as a visitor of walk_fused, over an accumulator of the policy.
/// All operands come to a tail block one after the other, with the same twiddles; then the products
/// of that block are summed up in registers, with one reduction, while it lies in the first-level
/// cache. Forward and Inverse are the visitors of a transform that takes its blocks from the first
/// to the last.
template <ArithmeticPolicy A, AccumulatorPolicy S, typename Forward, typename Inverse>
struct SumOfTransforms {
  const NttSumArguments& arguments;
  const Radix2Table& table;
  Forward transform;  ///< Transforms one operand after the other.
  Inverse back;       ///< Transforms one result after the other.
  std::size_t degree;

  void forward(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    const std::uint64_t* const start = transform.stream;
    for (std::size_t k = 0; k < arguments.term_count; ++k) {
      transform.stream = start;
      transform.operand = arguments.operands[k];
      transform.result = arguments.scratch + k * degree;
      transform(pass, first_block, block_count);
    }
  }

  void inverse(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    if (!arguments.invert) return;
    const std::uint64_t* const start = back.stream;
    for (std::size_t t = 0; t < arguments.target_count; ++t) {
      back.stream = start;
      back.operand = arguments.results[t];
      back.result = arguments.results[t];
      back(pass, first_block, block_count);
    }
  }

  /// Takes as many blocks at a time as stay in the first-level cache with a few operands.
  void tail(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    constexpr std::size_t kStepWords = 512;
    const std::size_t words = kLanes<A> << pass.row_stages;
    const std::size_t most = words < kStepWords ? kStepWords / words : 1;
    const std::size_t step = block_count < most ? block_count : most;
    for (std::size_t block = first_block; block < first_block + block_count; block += step) {
      forward(pass, block, step);
      for (std::size_t t = 0; t < arguments.target_count; ++t) sum(t, block * words, step * words);
      inverse(pass, block, step);
    }
  }

  /// Returns the range of the transforms in the products: reduced, unless a sum has room for all of
  /// them unreduced.
  static int transform_range(const NttSumArguments& arguments, std::uint64_t q) {
    const bool fits = bit_count(q) + 2 <= S::kOperandBits;
    return fits && arguments.term_count <= S::max_terms(q) / 4 ? 4 : 1;
  }

 private:
  /// Vectors whose sums are in registers at the same time. A tail has at least two.
  static constexpr std::size_t kVectors = S::kVectors > 2 ? 2 : S::kVectors;
  static_assert(kVectors == 1 || kVectors == 2);

  /// The arguments of products of reduced words modulo the q of the table.
  EltwiseArguments reduced_arguments() const {
    EltwiseArguments words;
    words.q = table.q;
    words.ratio = table.ratio;
    return words;
  }

  /// Computes words [first, first + count) of result t.
  __attribute__((noinline)) void sum(std::size_t t, std::size_t first, std::size_t count) {
    const auto reduction = S::make_reduction(reduced_arguments());
    const Multiples<A> multiples = multiples_of<A>(table.q);
    std::uint64_t* const result = arguments.results[t];
    for (std::size_t i = first; i < first + count; i += kVectors * kLanes<A>) {
      typename S::Sum sums[kVectors];
      unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
        sums[v] =
            S::start(arguments.accumulate ? A::load(result + i + v * kLanes<A>) : A::broadcast(0));
      });
      add_terms(sums, t, i, reduction, multiples);
      unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
        A::store(result + i + v * kLanes<A>,
                 narrow<A, S::kRange>(S::reduce(sums[v], reduction), multiples));
      });
    }
  }

  /// Adds the products of word i and its neighbours for result t.
  RINGLET_INLINE void add_terms(typename S::Sum (&sums)[kVectors], std::size_t t, std::size_t i,
                                const typename S::Reduction& reduction,
                                const Multiples<A>& multiples) {
    const std::size_t max_terms = S::max_terms(table.q);
    std::size_t room = max_terms;
    for (std::size_t k = 0; k < arguments.term_count; ++k) {
      if (room == 0) {
        unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
          sums[v] = S::start(narrow<A, S::kRange>(S::reduce(sums[v], reduction), multiples));
        });
        room = max_terms;
      }
      --room;
      const std::uint64_t* const x = arguments.scratch + k * degree + i;
      const std::uint64_t* const y = arguments.keys[k * arguments.target_count + t] + i;
      unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
        const Vec<A> factor = A::load(y + v * kLanes<A>);
        expect_in_range<A, 1>(factor, multiples);
        sums[v] = S::accumulate(sums[v], A::load(x + v * kLanes<A>), factor);
      });
    }
  }
};

}  // namespace ringlet::kernels
