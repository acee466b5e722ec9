// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/policy.hpp"

namespace ringlet::kernels {

/// One 64-bit word at a time, products by the 64x64 -> 128-bit multiplication. Harvey and Barrett
/// arithmetic for q < 2^62.
struct Scalar64 {
  using Vec = std::uint64_t;
  struct Barrett {
    std::uint64_t q;
    BarrettRatio ratio;
  };

  static constexpr int kLogLanes = 0;
  static constexpr int kQuotientBits = 64;
  static constexpr int kMaxRowStages = 2;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << 62;
  static constexpr std::uint64_t kMultiplyModulusLimit = std::uint64_t{1} << 62;
  static constexpr LaneLayout kLaneLayout{};

  RINGLET_INLINE static Vec load(const std::uint64_t* p) { return *p; }
  RINGLET_INLINE static Vec load_partial(const std::uint64_t* p, std::size_t) { return *p; }
  RINGLET_INLINE static void store(std::uint64_t* p, Vec x) { *p = x; }
  RINGLET_INLINE static void store_partial(std::uint64_t* p, Vec x, std::size_t) { *p = x; }
  RINGLET_INLINE static Vec broadcast(std::uint64_t x) { return x; }
  RINGLET_INLINE static Vec add(Vec x, Vec y) { return x + y; }
  RINGLET_INLINE static Vec sub(Vec x, Vec y) { return x - y; }
  RINGLET_INLINE static Vec reduce_once(Vec x, Vec bound) { return subtract_if_at_least(x, bound); }

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

  RINGLET_INLINE static Barrett make_barrett(const EltwiseArguments& e) { return {e.q, e.ratio}; }
  RINGLET_INLINE static Vec mul(Vec x, Vec y, const Barrett& b) {
    return mul_mod(x, y, b.q, b.ratio);
  }
  RINGLET_INLINE static Vec reduce_word(Vec x, const Barrett& b) {
    return barrett_reduce(x, b.q, b.ratio);
  }
};

}  // namespace ringlet::kernels
