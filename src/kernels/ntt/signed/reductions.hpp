// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/ntt/schedule.hpp"
#include "ringlet/base/export.hpp"

// How far the values of signed transforms grow between reductions. Portable: the builder of the
// tables decides with these functions which stages reduce, and the test of the ranges propagates
// intervals through its decisions. docs/notes/signed_ntt.md has the proofs.

namespace ringlet::kernels {

/// The arithmetics of signed residues.
enum class SignedArithmetic {
  real,            ///< Doubles; integers up to 2^53 in size are exact. q < 2^51.
  long_real,       ///< 64-bit integers whose quotients are doubles. q < 2^54.
  mont64,          ///< 64-bit integers, Montgomery's reduction by 2^32 twice. q < 2^61.
  mont64_nearest,  ///< The same products; reductions take the nearest multiple from a table.
  mont32,          ///< 32-bit integers, Montgomery's reduction by 2^32. q < 2^30.
  shoup64,         ///< 64-bit integers, Shoup's quotients by three products of halves. q < 2^61.
};

/// 2^exponent / q.
RINGLET_INLINE constexpr double power_over(int exponent, std::uint64_t q) {
  double power = 1;
  for (int i = 0; i < exponent; ++i) power *= 2;
  return power / static_cast<double>(q);
}

/// Returns 2^exponent in units of q, less 2^-30 of it. The margin covers the errors of bounds in
/// doubles and the 2^33 of 2^63 that values may not reach.
RINGLET_INLINE constexpr double values_below(int exponent, std::uint64_t q) {
  return power_over(exponent, q) * (1 - 0x1p-30);
}
/// Returns the same limit for doubles, whose values may reach 2^exponent.
RINGLET_INLINE constexpr double integers_below(int exponent, std::uint64_t q) {
  return power_over(exponent, q) * (1 - 0x1p-44);
}

/// How mont64 divides by 2^32, for q = high * 2^32 + low with both halves signed.
enum class Mont64Variant {
  one,       ///< low = 1: q is its own inverse modulo 2^32.
  together,  ///< The sums of low products fit a word together.
  apart,     ///< They fit one by one.
};

/// Returns the size of values, in units of q, up to which the low sums together fit a word.
RINGLET_INLINE constexpr double mont64_room(std::uint64_t q) {
  const auto low = static_cast<double>(static_cast<std::int32_t>(q));
  return (power_over(31, 1) - (low < 0 ? -low : low) - 1) * power_over(32, q);
}

/// Returns the form of products modulo q. `together` saves a shift in each product. It is taken
/// where its room hardly limits the values, and where reductions in it cost less than the shifts.
RINGLET_INLINE constexpr Mont64Variant mont64_variant(SignedArithmetic arithmetic,
                                                      std::uint64_t q) {
  if (static_cast<std::uint32_t>(q) == 1) return Mont64Variant::one;
  const double most = 0.99 * power_over(63, q);
  double enough = most < 24 ? most : 24;
  if (arithmetic == SignedArithmetic::mont64_nearest) enough = 3;
  return mont64_room(q) > enough ? Mont64Variant::together : Mont64Variant::apart;
}

/// The limit of values of mont64_nearest, in units of q: its table has the multiples from -8q to
/// 7q.
inline constexpr double kNearestLimit = 7.49;

/// Returns the limit of the size of mont32 values, in units of q: they fit a word, and the last
/// pass reduces them in one step or in two.
RINGLET_INLINE constexpr double mont32_limit(std::uint64_t q) {
  constexpr double kEnoughForTwoSteps = 3;
  const double most = values_below(31, q);
  if (most < kEnoughForTwoSteps) return 2;
  return most < 4 ? most : 4;
}

/// Whether this arithmetic reduces both inputs of a forward butterfly and both outputs of an
/// inverse one. Others reduce one of the two, since their products are small for all operands.
RINGLET_INLINE constexpr bool reduces_both(SignedArithmetic arithmetic) {
  return arithmetic == SignedArithmetic::long_real;
}

/// Bounds of an arithmetic modulo q, in units of q. A value x that is multiplied is at most
/// factor_limit in size. Its product is at most product_base + product_slope * |x| +
/// product_rounding * 2^e, where 2^e is the largest power of two up to |x|*q. Any value is at most
/// value_limit. A reduction leaves at most `residue` for any value; where `residue` is 0, it
/// subtracts k*q from values above 0 and adds k*q to the others, for a given k.
struct SignedRanges {
  double product_base = 0;
  double product_slope = 0;
  double factor_limit = 0;
  double value_limit = 0;
  double residue = 0;
  double product_rounding = 0;
  double real_q = 1;

  RINGLET_INLINE constexpr double product(double x) const {
    double rounding = product_rounding;
    for (double left = x * real_q * (1 + 0x1p-30); rounding > 0 && left >= 2; left /= 2) {
      rounding *= 2;
    }
    return product_base + product_slope * x + rounding;
  }
  RINGLET_INLINE constexpr double reduced(double x, int k) const {
    if (k == 0) return x;
    if (residue > 0) return residue;
    return x - k > k ? x - k : k;
  }
  /// Returns the k for which reduced(x, k) is smallest.
  RINGLET_INLINE constexpr int best_reduction(double x) const {
    if (residue > 0) return 1;
    const int half = static_cast<int>(x / 2);
    return reduced(x, half) <= reduced(x, half + 1) ? half : half + 1;
  }
};

RINGLET_INLINE constexpr SignedRanges signed_ranges(SignedArithmetic arithmetic, std::uint64_t q) {
  const auto real_q = static_cast<double>(q);
  switch (arithmetic) {
    case SignedArithmetic::real:
      return {0.5, real_q / power_over(55, 1), integers_below(52, q), integers_below(53, q), 0.501};
    case SignedArithmetic::long_real:
      return {.product_base = 0.5,
              .product_slope = real_q * 0x1.01p-55,
              .factor_limit = values_below(63, q),
              .value_limit = values_below(63, q),
              .residue = 0.501,
              .product_rounding = 0x1p-53,
              .real_q = real_q};
    case SignedArithmetic::mont64:
    case SignedArithmetic::mont64_nearest: {
      const bool nearest = arithmetic == SignedArithmetic::mont64_nearest;
      double most = values_below(63, q);
      if (nearest && kNearestLimit < most) most = kNearestLimit;
      const double room = mont64_room(q);
      const bool together = mont64_variant(arithmetic, q) == Mont64Variant::together;
      const double factor_limit = together && room < most ? room : most;
      return {0.75 + 0x1p-34, real_q / power_over(65, 1), factor_limit, most, nearest ? 0.501 : 0};
    }
    case SignedArithmetic::mont32:
      return {0.5, real_q / power_over(33, 1), mont32_limit(q), mont32_limit(q), 0};
    case SignedArithmetic::shoup64:
      return {1.25, real_q / power_over(65, 1), values_below(63, q), values_below(63, q), 0.501};
  }
  return {};
}

inline constexpr int kMaxSignedLogDegree = 20;

/// The reductions of a pass of an inverse transform. Passes are compiled for the ways of
/// inverse_way(): a pass that asks at every stage whether to reduce is slower by a sixth.
struct InverseReductions {
  /// Bit i is set if the pass reduces the sums of the i-th stage that it executes.
  unsigned stages = 0;
  /// How many first rows it reduces after the last stage: they are sums of more values than others.
  int rows = 0;

  RINGLET_INLINE constexpr bool at(int executed) const { return (stages >> executed & 1) != 0; }
};

inline constexpr int kMaxReducedRows = 8;

/// Returns the number of ways for a pass of `row_stages` stages between vectors after `lane_stages`
/// inside them. The last pass need not reduce after its last stage, which divides by N.
RINGLET_INLINE constexpr int inverse_way_count(SignedArithmetic arithmetic, int row_stages,
                                               int lane_stages, bool is_last) {
  const int most = arithmetic == SignedArithmetic::mont64_nearest ? 3 : 4;
  if (lane_stages > 0) return most;
  const int ways = row_stages + 1 < most ? row_stages + 1 : most;
  return is_last ? ways - 1 : ways;
}

/// Returns a way of mont64_nearest, for limits of 7.49q, 4q and 2q in this order. With 2q the bound
/// of products of products rises to q. So passes of three stages reduce all rows at their end.
RINGLET_INLINE constexpr InverseReductions inverse_way_to_nearest(int way, int row_stages,
                                                                  int lane_stages, bool is_last) {
  constexpr InverseReductions tails[] = {{0b1001, 2}, {0b1101, 2}, {0b111111, 0}};
  if (lane_stages > 0) return tails[way];
  constexpr InverseReductions rows[] = {{0b1, 0}, {0b1, 2}, {0b11, 8}};
  if (row_stages == 3) return is_last ? InverseReductions{way == 0 ? 0b1U : 0b11U, 0} : rows[way];
  return {(1U << way) - 1, 0};
}

/// Returns a way of such a pass. The first reduces nothing, the last the sums of every stage. Those
/// between suit limits of 8q and of 4q; with more lanes values double once more inside vectors.
RINGLET_INLINE constexpr InverseReductions inverse_way(SignedArithmetic arithmetic, int way,
                                                       int row_stages, int lane_stages,
                                                       bool is_last) {
  if (arithmetic == SignedArithmetic::mont64_nearest) {
    return inverse_way_to_nearest(way, row_stages, lane_stages, is_last);
  }
  if (way + 1 == inverse_way_count(arithmetic, row_stages, lane_stages, is_last)) {
    const int stages = row_stages + lane_stages - (is_last ? 1 : 0);
    return {(1U << stages) - 1, 0};
  }
  if (lane_stages > 0) {
    const unsigned last_lane = 1U << (lane_stages - 1);
    const InverseReductions tails[] = {{},
                                       {last_lane, 2},
                                       lane_stages < 3
                                           ? InverseReductions{last_lane | last_lane << 2, 0}
                                           : InverseReductions{last_lane >> 1 | last_lane << 1, 2}};
    return tails[way];
  }
  const InverseReductions rows[] = {{}, {1, 0}, {1, 2}};
  return rows[way];
}

/// The reductions of a transform. An entry is 0 for none, or k*q for the k of SignedRanges.
struct alignas(64) SignedReductions {
  /// For each stage of the Schedule: the reduction of the upper inputs of its butterflies.
  std::uint64_t forward[kMaxSignedLogDegree] = {};
  /// The same for operands up to larger_operand * q, which need more reductions.
  std::uint64_t forward_of_larger[kMaxSignedLogDegree] = {};
  /// For each stage: the reduction of its sums, where the way of the pass reduces them.
  std::uint64_t inverse[kMaxSignedLogDegree] = {};
  /// For each pass: the reductions of its first rows, where its way reduces them.
  std::uint64_t inverse_rows[kMaxPasses][kMaxReducedRows] = {};
  /// For each pass: its inverse_way().
  int inverse_ways[kMaxPasses] = {};
  /// The largest factors such that operands may be in [0, factor*q): 1, 2 or 4 for `forward` and
  /// `forward_of_larger`, 1 or 2 for `inverse`.
  int forward_operand = 1;
  int larger_operand = 1;
  int inverse_operand = 1;

  /// Whether any of these entries is a reduction.
  RINGLET_INLINE static bool reduces(const std::uint64_t* entries, int count) {
    std::uint64_t any = 0;
    for (int i = 0; i < count; ++i) any |= entries[i];
    return any != 0;
  }
};

/// Whether transforms in this arithmetic are compiled for this way. Tables name no other ways.
RINGLET_INLINE constexpr bool has_inverse_way(SignedArithmetic arithmetic, int way, int row_stages,
                                              int lane_stages, bool is_last) {
  switch (arithmetic) {
    case SignedArithmetic::long_real:  // One reduction is enough for many stages.
      return way <= 1;
    case SignedArithmetic::mont64:
      if (lane_stages > 0) return lane_stages > 2 || way != 2;
      return is_last || row_stages < 3 || way != 1;
    case SignedArithmetic::mont64_nearest:
      return lane_stages > 0 || is_last || row_stages != 2 || way > 0;
    case SignedArithmetic::mont32:  // Two doublings reach the limit.
      return lane_stages > 0 ? way == 3 : way + (is_last ? 2 : 1) >= row_stages;
    default:
      return true;
  }
}

/// Chooses reductions as late as the limits allow. They are as few as operands in [0, q) need, and
/// serve the largest operands that need no more of them. Forward, a second choice is for the
/// largest operands that values may be.
SignedReductions make_signed_reductions(SignedArithmetic arithmetic, std::uint64_t q,
                                        const Schedule& schedule);

}  // namespace ringlet::kernels
