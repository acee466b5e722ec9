// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/accumulator/policy.hpp"

namespace ringlet::kernels {

/// Constants of the reduction of a sum in half words modulo q.
template <typename A>
struct HalfWordReduction {
  Vec<A> q;
  Vec<A> two_q;
  Vec<A> shift;          ///< s = one less than the number of bits of q
  Vec<A> quotient;       ///< about 2^(64 + s) / q
  Vec<A> quotient_high;  ///< its upper half
};

/// Sums of products on 64-bit lanes of an instruction set that multiplies 32-bit halves (see
/// half_words.hpp). The products of halves have sums of their own, so that carries are added only
/// at the end.
template <VectorPolicy A, int kVectorsAtOnce>
struct HalfWordSums {
  using Arithmetic = A;
  using V = Vec<A>;
  using Reduction = HalfWordReduction<A>;

  /// For x = x1*2^32 + x0 and y likewise: the sums of x0*y0 modulo 2^64, of its upper halves (which
  /// tell how often the first sum wrapped), of x0*y1 + x1*y0, and of x1*y1.
  struct Sum {
    V low;
    V low_upper;
    V cross;
    V high;
  };

  /// A sum and, in `top`, the multiples of 2^96 that carry_high moved out of it.
  struct LongSum {
    Sum words;
    V top;
  };

  static constexpr std::uint64_t kModulusLimit = std::uint64_t{1} << 62;
  static constexpr int kOperandBits = 62;
  static constexpr int kRange = 4;
  static constexpr std::uint64_t kDotModulusLimit = kModulusLimit;
  static constexpr int kVectors = kVectorsAtOnce;
  static constexpr int kCarries = 4;
  static constexpr std::size_t kLongTerms = std::size_t{1} << 12;

  RINGLET_INLINE static std::size_t max_terms(std::uint64_t q) {
    return power_of_terms(63 - bit_count(q), 30);
  }
  RINGLET_INLINE static Sum start(V x) {
    const V zero = A::broadcast(0);
    return {x, zero, zero, zero};
  }
  RINGLET_INLINE static Sum accumulate(const Sum& sum, V x, V y) {
    const V x1 = A::high_half(x);
    const V y1 = A::high_half(y);
    const V p00 = A::mul_half(x, y);
    return {A::add(sum.low, p00), A::add(sum.low_upper, A::high_half(p00)),
            A::add(A::add(sum.cross, A::mul_half(x, y1)), A::mul_half(x1, y)),
            A::add(sum.high, A::mul_half(x1, y1))};
  }
  RINGLET_INLINE static Reduction make_reduction(const EltwiseArguments& e) {
    const int shift = bit_count(e.q) - 1;
    const uint128_t ratio = (static_cast<uint128_t>(e.ratio.high) << 64) | e.ratio.low;
    const auto quotient = static_cast<std::uint64_t>((ratio - 1) >> (64 - shift));
    return {A::broadcast(e.q), A::broadcast(2 * e.q),
            A::broadcast(static_cast<std::uint64_t>(shift)), A::broadcast(quotient),
            A::broadcast(quotient >> 32)};
  }
  RINGLET_INLINE static V reduce(const Sum& sum, const Reduction& r) {
    const V low_lower = A::sub(sum.low, A::to_high_half(sum.low_upper));
    const V middle = A::add(A::add(sum.cross, sum.low_upper), A::high_half(low_lower));
    const V high = A::add(sum.high, A::high_half(middle));
    const V low = A::add(sum.low, A::to_high_half(sum.cross));
    const V top = A::shift_right_wide(high, low, r.shift);
    return A::sub(low, A::mul_low(estimate_quotient(top, r), r.q));
  }

  RINGLET_INLINE static void carry_cross(LongSum& sum) {
    sum.words.high = A::add(sum.words.high, A::high_half(sum.words.cross));
    sum.words.cross = A::low_half(sum.words.cross);
  }
  RINGLET_INLINE static void carry_high(LongSum& sum) {
    sum.top = A::add(sum.top, A::high_half(sum.words.high));
    sum.words.high = A::low_half(sum.words.high);
  }
  RINGLET_INLINE static std::uint64_t total(LongSum (&sums)[kVectors], const EltwiseArguments& e) {
    LongSum all{{A::broadcast(0), A::broadcast(0), A::broadcast(0), A::broadcast(0)},
                A::broadcast(0)};
    unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
      carry_cross(sums[v]);
      carry_high(sums[v]);
      const Sum& words = sums[v].words;
      all = {{A::add(all.words.low, words.low), A::add(all.words.low_upper, words.low_upper),
              A::add(all.words.cross, words.cross), A::add(all.words.high, words.high)},
             A::add(all.top, sums[v].top)};
    });
    const V low_lower = A::sub(all.words.low, A::to_high_half(all.words.low_upper));
    const V middle = A::add(all.words.cross, all.words.low_upper);
    const uint128_t low = sum_of_lanes(low_lower) + (sum_of_lanes(middle) << 32) +
                          (sum_of_lanes(all.words.high) << 64);
    const uint128_t high = (low >> 64) + (sum_of_lanes(all.top) << 32);
    const uint128_t remainder = barrett_reduce_wide(high, e.q, e.ratio);
    return barrett_reduce_wide((remainder << 64) | static_cast<std::uint64_t>(low), e.q, e.ratio);
  }

 private:
  RINGLET_INLINE static uint128_t sum_of_lanes(V x) {
    std::uint64_t lanes[kLanes<A>];
    A::store(lanes, x);
    uint128_t total = 0;
    for (const std::uint64_t lane : lanes) total += lane;
    return total;
  }
  /// floor(top * quotient / 2^64) or one less, without the product of the low halves.
  RINGLET_INLINE static V estimate_quotient(V top, const Reduction& r) {
    const V top1 = A::high_half(top);
    const V p10 = A::mul_half(top1, r.quotient);
    const V p01 = A::mul_half(top, r.quotient_high);
    const V carry = A::add(p01, A::high_half(A::to_high_half(p10)));
    return A::add(A::add(A::mul_half(top1, r.quotient_high), A::high_half(p10)),
                  A::high_half(carry));
  }
};

}  // namespace ringlet::kernels
