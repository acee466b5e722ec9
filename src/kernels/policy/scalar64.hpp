// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/eltwise/barrett.hpp"
#include "kernels/policy/policy.hpp"

namespace ringlet::kernels {

/// One 64-bit word at a time, products by the 64x64 -> 128-bit multiplication. Harvey and Barrett
/// arithmetic for q < 2^62.
struct Scalar64 {
  using Vec = std::uint64_t;
  /// `quotient` is barrett_quotient, `word_quotient` floor(2^64 / q), and `shift` 62 - s for the
  /// shift s of barrett.hpp.
  struct Barrett {
    std::uint64_t q;
    std::uint64_t two_q;
    std::uint64_t quotient;
    std::uint64_t word_quotient;
    int shift;
  };

  static constexpr int kLogLanes = 0;
  static constexpr int kQuotientBits = 64;
  static constexpr int kMaxRowStages = 3;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << 62;
  static constexpr std::uint64_t kMultiplyModulusLimit = std::uint64_t{1} << 62;
  static constexpr int kProductRange = 2;
  static constexpr int kWordRange = 2;
  static constexpr LaneLayout kLaneLayout{};

  RINGLET_INLINE static Vec load(const std::uint64_t* p) { return *p; }
  RINGLET_INLINE static Vec load_partial(const std::uint64_t* p, std::size_t) { return *p; }
  RINGLET_INLINE static void store(std::uint64_t* p, Vec x) { *p = x; }
  RINGLET_INLINE static void store_partial(std::uint64_t* p, Vec x, std::size_t) { *p = x; }
  RINGLET_INLINE static Vec broadcast(std::uint64_t x) { return x; }
  RINGLET_INLINE static Vec add(Vec x, Vec y) { return x + y; }
  RINGLET_INLINE static Vec sub(Vec x, Vec y) { return x - y; }
  /// A conditional move, which a compiler must not see lest it makes a branch of it; the portable
  /// mask costs the transform 13 % more.
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

  RINGLET_INLINE static std::uint64_t negated(std::uint64_t q) { return q; }
  RINGLET_INLINE static Vec mul_lazy(Vec y, const Twiddle<Scalar64>& w, const Mod<Scalar64>& m) {
    return mul_mod_lazy(y, w.operand, w.quotient, m.q);
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
    return {e.q, 2 * e.q, barrett_quotient(e.ratio, shift, 64), e.ratio.high, 62 - shift};
  }
  RINGLET_INLINE static Factor<Scalar64> make_factor(std::uint64_t w, std::uint64_t quotient) {
    return {w, quotient};
  }
  /// Boemer et al., "Intel HEXL", Algorithm 8: the estimate of floor(x*y/q) is at most one too
  /// small. x << shift and y << 2 fit a word, and the high word of their product is
  /// floor(x*y / 2^s): cheaper than the shift of a double word by a variable.
  RINGLET_INLINE static Vec mul(Vec x, Vec y, const Barrett& b) {
    const std::uint64_t top = mul_high(x << (b.shift & 63), y << 2);
    return x * y - mul_high(top, b.quotient) * b.q;
  }
  RINGLET_INLINE static Vec mul_factor(Vec x, const Factor<Scalar64>& w, const Barrett& b) {
    return mul_mod_lazy(x, w.operand, w.quotient, b.q);
  }
  RINGLET_INLINE static Vec reduce_word(Vec x, const Barrett& b) {
    return x - mul_high(x, b.word_quotient) * b.q;
  }
};

}  // namespace ringlet::kernels
