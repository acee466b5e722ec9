// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arith/double_word.hpp"
#include "kernels/policy/wide/double_word.hpp"

namespace ringlet::kernels {

/// A register of eight words, and one bit for each of them.
struct MqxVector {
  std::uint64_t word[8];
};
using MqxMask = std::uint8_t;

/// The three instructions of MQX, lane by lane and bit for bit (Zhang et al., MICRO 2025: "AVX-512
/// Multi-word Extension", column Emulation).
[[maybe_unused]] __attribute__((noinline)) static void mqx_mul(MqxVector& high, MqxVector& low,
                                                               MqxVector a, MqxVector b) {
  for (int i = 0; i < 8; ++i) {
    const uint128_t product = mul_words(a.word[i], b.word[i]);
    high.word[i] = high_word(product);
    low.word[i] = low_word(product);
  }
}
[[maybe_unused]] __attribute__((noinline)) static MqxVector mqx_adc(MqxVector a, MqxVector b,
                                                                    MqxMask carry_in,
                                                                    MqxMask& carry_out) {
  MqxVector sum;
  unsigned carries = 0;
  for (int i = 0; i < 8; ++i) {
    const uint128_t lane = uint128_t{a.word[i]} + b.word[i] + (carry_in >> i & 1U);
    sum.word[i] = low_word(lane);
    carries |= static_cast<unsigned>(high_word(lane)) << i;
  }
  carry_out = static_cast<MqxMask>(carries);
  return sum;
}
[[maybe_unused]] __attribute__((noinline)) static MqxVector mqx_sbb(MqxVector a, MqxVector b,
                                                                    MqxMask borrow_in,
                                                                    MqxMask& borrow_out) {
  MqxVector difference;
  unsigned borrows = 0;
  for (int i = 0; i < 8; ++i) {
    const uint128_t lane = uint128_t{a.word[i]} - b.word[i] - (borrow_in >> i & 1U);
    difference.word[i] = low_word(lane);
    borrows |= static_cast<unsigned>(lane >> 127) << i;
  }
  borrow_out = static_cast<MqxMask>(borrows);
  return difference;
}

/// The words of WideDoubleWord by the emulated instructions, on any processor.
struct MqxEmulated {
  using Vec = MqxVector;
  using Mask = MqxMask;

  static constexpr bool kIsExact = true;
  static constexpr int kLogLanes = 3;
  static constexpr bool kEmulates = true;
  static constexpr LaneLayout kLaneLayout{
      3, {2, 4, 8}, {{0, 1}, {0, 2, 1, 3}, {0, 4, 2, 6, 1, 5, 3, 7}}};

  RINGLET_INLINE static Vec load(const std::uint64_t* p) {
    return each([p](int i) { return p[i]; });
  }
  RINGLET_INLINE static void store(std::uint64_t* p, Vec x) {
    for (int i = 0; i < 8; ++i) p[i] = x.word[i];
  }
  RINGLET_INLINE static Vec broadcast(std::uint64_t x) {
    return each([x](int) { return x; });
  }
  /// Words of lane stage v, repeated to fill a vector.
  template <int v>
  RINGLET_INLINE static Vec lane_words(const std::uint64_t* words) {
    return each([words](int i) { return words[i % kLaneLayout.words[v]]; });
  }
  template <int v>
  RINGLET_INLINE static void to_lane_stage(Vec& a, Vec& b) {
    if constexpr (v == 0) {
      interleave(a, b);
    } else if constexpr (v == 1) {
      permute(a, b, {0, 1, 8, 9, 2, 3, 10, 11}, {4, 5, 12, 13, 6, 7, 14, 15});
    } else if constexpr (v == 2) {
      permute(a, b, {0, 1, 2, 3, 8, 9, 10, 11}, {4, 5, 6, 7, 12, 13, 14, 15});
    } else {
      permute(a, b, {0, 8, 4, 12, 2, 10, 6, 14}, {1, 9, 5, 13, 3, 11, 7, 15});
    }
  }
  template <int v>
  RINGLET_INLINE static void from_lane_stage(Vec& a, Vec& b) {
    if constexpr (v == 0) {
      separate(a, b);
    } else if constexpr (v == 1) {
      permute(a, b, {0, 1, 4, 5, 8, 9, 12, 13}, {2, 3, 6, 7, 10, 11, 14, 15});
    } else {
      to_lane_stage<v>(a, b);  // its own inverse
    }
  }
  RINGLET_INLINE static void separate(Vec& a, Vec& b) {
    permute(a, b, {0, 2, 4, 6, 8, 10, 12, 14}, {1, 3, 5, 7, 9, 11, 13, 15});
  }
  RINGLET_INLINE static void interleave(Vec& a, Vec& b) {
    permute(a, b, {0, 8, 1, 9, 2, 10, 3, 11}, {4, 12, 5, 13, 6, 14, 7, 15});
  }

  RINGLET_INLINE static void mul_words(const Vec& a, const Vec& b, Vec& high, Vec& low) {
    mqx_mul(high, low, a, b);
  }
  RINGLET_INLINE static Vec add_carry(const Vec& a, const Vec& b, Mask in, Mask& out) {
    return mqx_adc(a, b, in, out);
  }
  RINGLET_INLINE static Vec add_out(const Vec& a, const Vec& b, Mask& out) {
    return mqx_adc(a, b, 0, out);
  }
  RINGLET_INLINE static Vec add_in(const Vec& a, const Vec& b, Mask in) {
    Mask unused;
    return mqx_adc(a, b, in, unused);
  }
  RINGLET_INLINE static Vec subtract_borrow(const Vec& a, const Vec& b, Mask in, Mask& out) {
    return mqx_sbb(a, b, in, out);
  }
  RINGLET_INLINE static Vec subtract_out(const Vec& a, const Vec& b, Mask& out) {
    return mqx_sbb(a, b, 0, out);
  }
  RINGLET_INLINE static Vec subtract_in(const Vec& a, const Vec& b, Mask in) {
    Mask unused;
    return mqx_sbb(a, b, in, unused);
  }

  RINGLET_INLINE static Vec mul_low(const Vec& a, const Vec& b) {
    return each([&](int i) { return a.word[i] * b.word[i]; });
  }
  RINGLET_INLINE static Vec add(const Vec& a, const Vec& b) {
    return each([&](int i) { return a.word[i] + b.word[i]; });
  }
  RINGLET_INLINE static Vec select(Mask mask, const Vec& x, const Vec& y) {
    return each([&](int i) {
      const std::uint64_t keep = opaque((mask >> i & 1U) - std::uint64_t{1});
      return (x.word[i] & keep) | (y.word[i] & ~keep);
    });
  }
  RINGLET_INLINE static Vec add_where(Mask mask, const Vec& x, const Vec& y) {
    return add(x, select(mask, broadcast(0), y));
  }
  RINGLET_INLINE static Vec either(const Vec& a, const Vec& b) {
    return each([&](int i) { return a.word[i] | b.word[i]; });
  }
  RINGLET_INLINE static Vec shift_left(const Vec& x, const Vec& n) {
    return each([&](int i) { return n.word[i] < 64 ? x.word[i] << n.word[i] : 0; });
  }
  RINGLET_INLINE static Vec shift_right(const Vec& x, const Vec& n) {
    return each([&](int i) { return n.word[i] < 64 ? x.word[i] >> n.word[i] : 0; });
  }

 private:
  struct Lanes {
    int lane[8];
  };

  template <typename Body>
  RINGLET_INLINE static Vec each(Body&& body) {
    Vec x;
    for (int i = 0; i < 8; ++i) x.word[i] = body(i);
    return x;
  }
  /// In `first` and `second`, lanes 0 to 7 are those of a, 8 to 15 those of b.
  RINGLET_INLINE static void permute(Vec& a, Vec& b, Lanes first, Lanes second) {
    const auto pick = [&a, &b](const Lanes& from) {
      return each([&](int i) {
        return from.lane[i] < 8 ? a.word[from.lane[i]] : b.word[from.lane[i] - 8];
      });
    };
    const Vec low = pick(first);
    b = pick(second);
    a = low;
  }
};

}  // namespace ringlet::kernels
