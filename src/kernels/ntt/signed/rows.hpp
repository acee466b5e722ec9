// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/rows.hpp"
#include "kernels/ntt/signed/table.hpp"
#include "kernels/policy/signed/signed_policy.hpp"

// What the passes of signed transforms are made of. Butterflies add and subtract products as they
// are; where the table says so, values are reduced first (forward) or afterwards (inverse).

namespace ringlet::kernels {

/// Vectors of one block of a pass.
template <SignedPolicy A, int K>
struct SignedRows {
  static constexpr int kCount = 1 << K;
  Vec<A> x[kCount];

  /// Calls body(r) for the index r of every vector, as a constant.
  template <typename Body>
  RINGLET_INLINE static void each(Body&& body) {
    unroll<kCount>(body);
  }
  /// Calls body(a, b, r) for the r-th pair (a, b) of neighbouring vectors.
  template <typename Body>
  RINGLET_INLINE void pairs(Body&& body) {
    unroll<kCount / 2>([&](auto r) __attribute__((always_inline)) {
      body(x[2 * decltype(r)::value], x[2 * decltype(r)::value + 1], decltype(r)::value);
    });
  }
  /// Calls body(a, b, t) for the pairs of stage U between vectors. t is the place of their factor
  /// in the tree.
  template <int U, typename Body>
  RINGLET_INLINE void stage(Body&& body) {
    constexpr int kHalf = kCount >> (U + 1);
    unroll<kCount / 2>([&](auto i) __attribute__((always_inline)) {
      constexpr int kBlock = decltype(i)::value / kHalf;
      constexpr int kTop = 2 * kHalf * kBlock + decltype(i)::value % kHalf;
      body(x[kTop], x[kTop + kHalf], (1 << U) - 1 + kBlock);
    });
  }
};

/// Vectors of a pass side by side. Builds that check ranges look at each of them after every stage;
/// with half as many vectors they compile in a fraction of the time.
#ifdef RINGLET_CHECK_RANGES
inline constexpr int kSignedVectorsAtOnce = 8;
#else
inline constexpr int kSignedVectorsAtOnce = 16;
#endif

/// How many columns or blocks a pass of K stages works on side by side, stage by stage: a single
/// one has too few butterflies in a stage to hide their latency.
template <SignedPolicy A, int K>
inline constexpr int kSignedGroups = A::kVectorsAtOnce >> K > 1 ? A::kVectorsAtOnce >> K : 1;

/// How many steps, two kilobytes of values, tails of larger degrees prefetch ahead. Processors stop
/// prefetching at the end of a page, and a new start takes them longer than the page lasts. Smaller
/// transforms would be up to 8 % slower with it.
template <SignedPolicy A>
inline constexpr int kSignedStepsAhead =
    2048 / static_cast<int>(A::kVectorsAtOnce * sizeof(Vec<A>));
inline constexpr int kMaxUnprefetchedLogDegree = 12;

#ifdef RINGLET_CHECK_RANGES
/// Stops the process unless every value of x is within the limits of its table. It is not inlined,
/// to compile in less time.
template <SignedPolicy A>
__attribute__((noinline)) static void trap_unless_within(Vec<A> x, const SignedConstants<A>& m) {
  constexpr std::size_t kValues = sizeof(Vec<A>) / sizeof(SignedWord<A>);
  SignedWord<A> values[kValues];
  SignedWord<A> moduli[kValues];
  A::store(values, x);
  A::store(moduli, m.q);
  const SignedRanges ranges = signed_ranges(A::kArithmetic, moduli[0]);
  // Sums of two operands, before they are reduced, may be 2q where a product's operand may not.
  double limit = 2;
  if (ranges.factor_limit > limit) limit = ranges.factor_limit;
  limit *= static_cast<double>(moduli[0]);
  for (const SignedWord<A> value : values) {
    double signed_value = 0;
    if constexpr (A::kArithmetic == SignedArithmetic::real) {
      signed_value = __builtin_bit_cast(double, value);
    } else if constexpr (sizeof value == sizeof(std::int64_t)) {
      signed_value = static_cast<double>(static_cast<std::int64_t>(value));
    } else {
      signed_value = static_cast<double>(static_cast<std::int32_t>(value));
    }
    if (signed_value > limit || -signed_value > limit) __builtin_trap();
  }
}
#endif

/// In builds with RINGLET_CHECK_RANGES: stops the process unless all values are within the limits
/// of their plan.
template <SignedPolicy A, int K, int kGroups>
RINGLET_INLINE void expect_within([[maybe_unused]] const SignedRows<A, K> (&groups)[kGroups],
                                  [[maybe_unused]] const SignedConstants<A>& m) {
#ifdef RINGLET_CHECK_RANGES
  for (const SignedRows<A, K>& rows : groups) {
    for (const Vec<A>& x : rows.x) trap_unless_within<A>(x, m);
  }
#endif
}

/// Forward butterfly (Cooley-Tukey): (a, b) <- (a + w*b, a - w*b).
template <SignedPolicy A>
RINGLET_INLINE void signed_forward_butterfly(Vec<A>& a, Vec<A>& b, const SignedFactor<A>& w,
                                             const SignedConstants<A>& m) {
  const Vec<A> product = A::product(b, w, m);
  b = A::sub(a, product);
  a = A::add(a, product);
}

/// Inverse butterfly (Gentleman-Sande): (a, b) <- (a + b, w*(a - b)).
template <SignedPolicy A>
RINGLET_INLINE void signed_inverse_butterfly(Vec<A>& a, Vec<A>& b, const SignedFactor<A>& w,
                                             const SignedConstants<A>& m) {
  const Vec<A> difference = A::sub(a, b);
  a = A::add(a, b);
  b = A::product(difference, w, m);
}

/// Reduces the first of two values, or both if the arithmetic reduces both.
template <SignedPolicy A>
RINGLET_INLINE void signed_reduce(Vec<A>& a, [[maybe_unused]] Vec<A>& b, const Vec<A>& multiple,
                                  const SignedConstants<A>& m) {
  a = A::reduce(a, multiple, m);
  if constexpr (reduces_both(A::kArithmetic)) b = A::reduce(b, multiple, m);
}

/// Whether forward transforms take their blocks from the last one to the first: those of values
/// shorter than a word do. The last pass may then write words over the values that it reads, from
/// the end of their common memory on.
template <SignedPolicy A>
inline constexpr bool kSignedDescending = sizeof(SignedWord<A>) < sizeof(std::uint64_t);

/// The block that a forward pass takes for block i of a walk is i ^ signed_mirror.
template <SignedPolicy A>
RINGLET_INLINE std::size_t signed_mirror(const Pass& pass) {
  return kSignedDescending<A> ? (std::size_t{1} << pass.first_stage) - 1 : 0;
}

/// Where the values of a transform are. Passes before the last one leave SignedWords at `values`.
/// If these are shorter than the caller's words, in the same memory, the values of a region of the
/// first pass fill its lower half: `values` adds the `region_bits` of an index to it.
template <SignedPolicy A, typename Word>
struct SignedCursor {
  const SignedTable& table;
  Word* result;
  const Word* operand;
  const std::uint64_t* stream;
  const std::uint64_t* forward_reductions;  ///< For each stage, of the choice for the operands.
  SignedConstants<A> modulus;
  std::size_t region_bits = 0;

  RINGLET_INLINE SignedWord<A>* values(std::size_t index) const {
    return reinterpret_cast<SignedWord<A>*>(result) + index + (index & region_bits);
  }
};

/// Where and how a pass reads: the values of the pass before, or operands as the plan takes them.
template <SignedPolicy A>
struct FromValues {
  template <typename Word>
  RINGLET_INLINE static const SignedWord<A>* at(const SignedCursor<A, Word>& c, std::size_t index) {
    return c.values(index);
  }
  RINGLET_INLINE static Vec<A> load(const SignedWord<A>* p) { return A::load(p); }
};
template <SignedPolicy A>
struct FromOperand {
  template <typename Word>
  RINGLET_INLINE static const Word* at(const SignedCursor<A, Word>& c, std::size_t index) {
    return c.operand + index;
  }
  template <typename Word>
  RINGLET_INLINE static Vec<A> load(const Word* p) {
    return A::from_operand(p);
  }
};
/// Where and how the last pass of an inverse transform writes: products, as residues.
template <SignedPolicy A>
struct ToResidues {
  template <typename Word>
  RINGLET_INLINE static Word* at(const SignedCursor<A, Word>& c, std::size_t index) {
    return c.result + index;
  }
  template <typename Word>
  RINGLET_INLINE static void store(Word* p, const Vec<A>& x, const SignedConstants<A>& m) {
    A::store_product(p, x, m);
  }
};
template <SignedPolicy A>
struct ToValues {
  template <typename Word>
  RINGLET_INLINE static SignedWord<A>* at(const SignedCursor<A, Word>& c, std::size_t index) {
    return c.values(index);
  }
  RINGLET_INLINE static void store(SignedWord<A>* p, const Vec<A>& x, const SignedConstants<A>&) {
    A::store(p, x);
  }
};

/// The rows of a block in memory.
template <typename Word>
struct RowPointer {
  Word* first;
  std::size_t stride;

  RINGLET_INLINE Word* at(std::size_t row, std::size_t column) const {
    return first + row * stride + column;
  }
};

/// Returns the rows, of `row` values each, of the block from `base` on at Place.
template <typename Place, typename Cursor>
RINGLET_INLINE auto rows_at(const Cursor& cursor, std::size_t base, std::size_t row) {
  auto* const first = Place::at(cursor, base);
  const auto stride = static_cast<std::size_t>(Place::at(cursor, base + row) - first);
  return RowPointer<std::remove_pointer_t<decltype(first)>>{first, stride};
}

}  // namespace ringlet::kernels
