// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/accumulator/policy.hpp"
#include "kernels/policy/harvey64/scalar64.hpp"

namespace ringlet::kernels {

/// Sums in double words of 128 bits.
struct Scalar64Sums {
  using Arithmetic = Scalar64;
  using Sum = uint128_t;
  using Reduction = AccumulatorReduction<Scalar64>;

  static constexpr std::uint64_t kModulusLimit = std::uint64_t{1} << 62;
  static constexpr int kOperandBits = 64;
  static constexpr int kRange = 4;
  static constexpr std::uint64_t kDotModulusLimit = kModulusLimit;
  static constexpr int kVectors = 4;

  RINGLET_INLINE static std::size_t max_terms(std::uint64_t q) {
    return power_of_terms(128 - 2 * bit_count(q), 32);
  }
  RINGLET_INLINE static Sum start(std::uint64_t x) { return x; }
  RINGLET_INLINE static Sum accumulate(Sum sum, std::uint64_t x, std::uint64_t y) {
    return sum + static_cast<uint128_t>(x) * y;
  }
  RINGLET_INLINE static Reduction make_reduction(const EltwiseArguments& e) {
    return make_accumulator_reduction<Scalar64>(e);
  }
  RINGLET_INLINE static std::uint64_t reduce(Sum sum, const Reduction& r) {
    const auto low = static_cast<std::uint64_t>(sum);
    const auto high = static_cast<std::uint64_t>(sum >> 64);
    const std::uint64_t quotient =
        high * r.quotient_high + mul_high(high, r.quotient_low) + mul_high(low, r.quotient_high);
    return low - quotient * r.q;
  }
};

}  // namespace ringlet::kernels
