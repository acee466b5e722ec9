// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/eltwise/barrett.hpp"
#include "kernels/policy/policy.hpp"

namespace ringlet::kernels {

/// One 64-bit word at a time, products by the 64x64 -> 128-bit multiplication. Harvey and Barrett
/// arithmetic for q < 2^62.
struct Scalar64 {
  using Vec = std::uint64_t;
  /// `quotient` is barrett_quotient, `excess` barrett_excess, `word_quotient` floor(2^64 / q),
  /// `shift` 62 - s for the shift s of barrett.hpp, and `unreduced_shift` 64 less the bits of q.
  struct Barrett {
    std::uint64_t q;
    std::uint64_t two_q;
    std::uint64_t quotient;
    std::uint64_t excess;
    std::uint64_t word_quotient;
    int shift;
    int unreduced_shift;

    /// Reducing the operands costs less than the longer quotient, except below 4q for large q.
    static constexpr bool prefers_unreduced(int bits, int doublings) {
      return doublings == 2 && bits >= 60;
    }
  };

  static constexpr int kLogLanes = 0;
  static constexpr int kQuotientBits = 64;
  static constexpr int kExtendedFloors = 1;
  static constexpr int kMaxRowStages = 3;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << 62;
  static constexpr std::uint64_t kMultiplyModulusLimit = std::uint64_t{1} << 62;
  static constexpr int kProductRange = 2;
  static constexpr int kProductBits = 61;
  static constexpr int kUnreducedProductRange = 4;
  static constexpr int kUnreducedProductBits = 64;
  static constexpr int kFactorOperandBits = 64;
  static constexpr int kWordRange = 2;
  static constexpr LaneLayout kLaneLayout{};

  RINGLET_INLINE static Vec load(const std::uint64_t* p) { return *p; }
  RINGLET_INLINE static Vec load_partial(const std::uint64_t* p, std::size_t) { return *p; }
  RINGLET_INLINE static void store(std::uint64_t* p, Vec x) { *p = x; }
  RINGLET_INLINE static void store_partial(std::uint64_t* p, Vec x, std::size_t) { *p = x; }
  RINGLET_INLINE static Vec broadcast(std::uint64_t x) { return x; }
  RINGLET_INLINE static Vec add(Vec x, Vec y) { return x + y; }
  RINGLET_INLINE static Vec sub(Vec x, Vec y) { return x - y; }
  /// A conditional move, hidden from the compiler so that it does not make a branch of it. The
  /// portable mask costs the transform 13 % more.
  RINGLET_INLINE static Vec reduce_once(Vec x, Vec bound) {
#if defined(__x86_64__)
    Vec difference = x;
    asm("subq %[bound], %[difference]\n\tcmovcq %[x], %[difference]"
        : [difference] "+&r"(difference)
        : [bound] "r"(bound), [x] "r"(x)
        : "cc");
    return difference;
#else
    return subtract_if_at_least(x, bound);
#endif
  }

  /// The outcome of the comparison stays a mask: the compiler must not make a branch of it.
  template <Comparison kComparison>
  RINGLET_INLINE static Vec add_where(Vec x, Vec y, Vec bound, Vec summand) {
    return x + (summand & opaque(std::uint64_t{0} -
                                 static_cast<std::uint64_t>(holds<kComparison>(y, bound))));
  }

  RINGLET_INLINE static std::uint64_t negated(std::uint64_t q) { return q; }
  RINGLET_INLINE static Vec mul_lazy(Vec y, const Twiddle<Scalar64>& w, const Mod<Scalar64>& m) {
    return mul_mod_lazy(y, w.operand, w.quotient, m.q);
  }
  RINGLET_INLINE static Vec mul_sum_lazy(Vec y, const Twiddle<Scalar64>& v, Vec t,
                                         const Twiddle<Scalar64>& w, const Mod<Scalar64>& m) {
    const uint128_t sum =
        static_cast<uint128_t>(y) * v.quotient + static_cast<uint128_t>(t) * w.quotient;
    return y * v.operand + t * w.operand - static_cast<std::uint64_t>(sum >> 64) * m.q;
  }

  /// A vector of one lane has no stages inside and only one order.
  template <int v>
  RINGLET_INLINE static Twiddle<Scalar64> lane_twiddle(const std::uint64_t* words) {
    return broadcast_twiddle<Scalar64>(words);
  }
  template <int v>
  RINGLET_INLINE static void to_lane_stage(Vec&, Vec&) {}
  template <int v>
  RINGLET_INLINE static void from_lane_stage(Vec&, Vec&) {}

  RINGLET_INLINE static Barrett make_barrett(const EltwiseArguments& e) {
    const int shift = barrett_shift(e.q, 64);
    return {e.q,
            2 * e.q,
            barrett_quotient(e.ratio, shift, 64),
            barrett_excess(e.ratio, e.q, 64),
            e.ratio.high,
            62 - shift,
            __builtin_clzll(e.q)};
  }
  RINGLET_INLINE static Factor<Scalar64> make_factor(std::uint64_t w, std::uint64_t quotient) {
    return {w, quotient};
  }
  /// Boemer et al., "Intel HEXL", Algorithm 8: the estimate of floor(x*y/q) is at most one too
  /// small. x << shift and y << 2 fit a word, and the high word of their product is
  /// floor(x*y / 2^s): cheaper than the shift of a double word by a variable.
  RINGLET_INLINE static Vec mul(Vec x, Vec y, const Barrett& b) {
    return mul_ranges<1, 1>(x, y, b);
  }
  template <int kX, int kY>
  RINGLET_INLINE static Vec mul_ranges(Vec x, Vec y, const Barrett& b) {
    constexpr int kDoublings = log2_of(kX);
    const std::uint64_t top = mul_high(x << ((b.shift - kDoublings) & 63), y << (2 + kDoublings));
    return x * y - mul_high(top, b.quotient) * b.q;
  }
  template <int kX, int kY>
  RINGLET_INLINE static Vec mul_unreduced(Vec x, Vec y, const Barrett& b) {
    constexpr int kDoublings = log2_of(kX);
    const std::uint64_t top =
        mul_high(x << ((b.unreduced_shift - kDoublings) & 63), y << kDoublings);
    return x * y - (top + mul_high(top, b.excess)) * b.q;
  }
  RINGLET_INLINE static Vec mul_factor_range(Vec x, const Factor<Scalar64>& w, const Barrett& b) {
    return mul_mod_lazy(x, w.operand, w.quotient, b.q);
  }
  RINGLET_INLINE static Vec mul_factor(Vec x, const Factor<Scalar64>& w, const Barrett& b) {
    return mul_factor_range(x, w, b);
  }
  RINGLET_INLINE static Vec reduce_word(Vec x, const Barrett& b) {
    return x - mul_high(x, b.word_quotient) * b.q;
  }

 private:
  template <Comparison kComparison>
  RINGLET_INLINE static bool holds(std::uint64_t x, std::uint64_t bound) {
    using enum Comparison;
    if constexpr (kComparison == equal) return x == bound;
    if constexpr (kComparison == less) return x < bound;
    if constexpr (kComparison == less_equal) return x <= bound;
    if constexpr (kComparison == not_equal) return x != bound;
    if constexpr (kComparison == not_less) return x >= bound;
    if constexpr (kComparison == not_less_equal) return x > bound;
    return kComparison == always;
  }
};

}  // namespace ringlet::kernels
