// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ringlet/export.hpp"

// How far the values of signed transforms grow between reductions. Portable: the builder of the
// tables decides with these functions which stages reduce, and the test of the ranges propagates
// intervals through what they decided. docs/notes/signed_ntt.md has the proofs.

namespace ringlet::kernels {

/// The arithmetics of signed residues.
enum class SignedArithmetic {
  real,       ///< Doubles; integers up to 2^53 in size are exact. q < 2^51.
  long_real,  ///< 64-bit integers whose quotients are doubles. q < 2^54.
  mont64,     ///< 64-bit integers, Montgomery's reduction by 2^32 twice. q < 2^61.
  mont32,     ///< 32-bit integers, Montgomery's reduction by 2^32. q < 2^30.
  shoup64,    ///< 64-bit integers, Shoup's quotients by three products of halves. q < 2^61.
};

/// 2^exponent / q.
RINGLET_INLINE constexpr double power_over(int exponent, std::uint64_t q) {
  double power = 1;
  for (int i = 0; i < exponent; ++i) power *= 2;
  return power / static_cast<double>(q);
}

/// How mont64 divides by 2^32, for q = high * 2^32 + low with both halves signed.
enum class Mont64Form {
  one,       ///< low = 1: q is its own inverse modulo 2^32.
  together,  ///< The sums of low products fit a word together.
  apart,     ///< They fit one by one.
};

/// Values of how many q in size leave room in a word for the low sums together.
RINGLET_INLINE constexpr double mont64_room(std::uint64_t q) {
  const auto low = static_cast<double>(static_cast<std::int32_t>(q));
  return (power_over(31, 1) - (low < 0 ? -low : low) - 1) * power_over(32, q);
}

RINGLET_INLINE constexpr Mont64Form mont64_form(std::uint64_t q) {
  constexpr double kEnoughRoom = 24;
  if (static_cast<std::uint32_t>(q) == 1) return Mont64Form::one;
  return mont64_room(q) > kEnoughRoom ? Mont64Form::together : Mont64Form::apart;
}

/// Bounds of an arithmetic modulo q, in units of q. A value x that is multiplied is at most
/// factor_limit in size, and leaves at most product_base + product_slope * |x|; any value is at
/// most value_limit. A reduction leaves `residue` for any value, or, where that is 0, for k
/// subtracts k*q from values above 0 and adds it to the others.
struct SignedRanges {
  double product_base = 0;
  double product_slope = 0;
  double factor_limit = 0;
  double value_limit = 0;
  double residue = 0;

  RINGLET_INLINE constexpr double product(double x) const {
    return product_base + product_slope * x;
  }
  RINGLET_INLINE constexpr double reduced(double x, int k) const {
    if (k == 0) return x;
    if (residue > 0) return residue;
    return x - k > k ? x - k : k;
  }
  /// The multiple that makes x smallest.
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
      return {0.5, real_q / power_over(55, 1), power_over(52, q), power_over(53, q), 0.501};
    case SignedArithmetic::long_real:
      return {0.5, 3 * real_q / power_over(54, 1), power_over(62, q), power_over(62, q), 0.51};
    case SignedArithmetic::mont64: {
      const bool together = mont64_form(q) == Mont64Form::together;
      const double factor_limit = together ? mont64_room(q) : power_over(63, q);
      return {0.75, real_q / power_over(65, 1), factor_limit, power_over(63, q), 0};
    }
    case SignedArithmetic::mont32:
      return {0.5, real_q / power_over(33, 1), power_over(31, q), power_over(31, q), 0};
    case SignedArithmetic::shoup64:
      return {1.5, 0, power_over(63, q), power_over(63, q), 0};
  }
  return {};
}

inline constexpr int kMaxSignedLogDegree = 20;

/// What is reduced, by the stages of the Schedule: 0, or k*q for the multiple k of SignedRanges. In
/// forward stages that is the upper input of every butterfly, in inverse ones the sum.
struct alignas(64) SignedPlan {
  std::uint64_t forward[kMaxSignedLogDegree] = {};
  std::uint64_t inverse[kMaxSignedLogDegree] = {};

  /// Does any of the stages [first, first + count) of the direction reduce?
  RINGLET_INLINE static bool reduces(const std::uint64_t* stages, int first, int count) {
    std::uint64_t any = 0;
    for (int s = first; s < first + count; ++s) any |= stages[s];
    return any != 0;
  }
};

/// Reduces as late as the limits allow, for operands in [0, q).
RINGLET_INLINE constexpr SignedPlan make_signed_plan(SignedArithmetic arithmetic, std::uint64_t q,
                                                     int log_degree) {
  const SignedRanges ranges = signed_ranges(arithmetic, q);
  const double limit =
      ranges.factor_limit < ranges.value_limit ? ranges.factor_limit : ranges.value_limit;
  SignedPlan plan;
  double bound = 1;
  for (int s = 0; s < log_degree; ++s) {
    const double product = ranges.product(bound);
    const int k = bound + product > limit ? ranges.best_reduction(bound) : 0;
    plan.forward[s] = static_cast<std::uint64_t>(k) * q;
    bound = ranges.reduced(bound, k) + product;
  }
  bound = 1;
  for (int s = log_degree - 1; s > 0; --s) {
    const double product = ranges.product(2 * bound);
    const int k = 4 * bound > limit ? ranges.best_reduction(2 * bound) : 0;
    plan.inverse[s] = static_cast<std::uint64_t>(k) * q;
    const double sum = ranges.reduced(2 * bound, k);
    bound = sum > product ? sum : product;
  }
  return plan;
}

}  // namespace ringlet::kernels
