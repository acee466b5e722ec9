// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/signed/factor.hpp"
#include "kernels/policy/signed/signed_policy.hpp"

// Signed 64-bit integers on instruction sets that multiply signed 32-bit halves, written once over
// the lanes L of an instruction set. Such lanes are a VectorPolicy with lane_words as
// ArithmeticPolicy has it and
//   mul_signed(x, y):            products of the low halves of the lanes, as signed integers
//   high_half(x):                the upper half;   shift_half(x): x / 2^32 rounded down
//   broadcast_half(p):           the half word at p in all low halves
//   add_to_negative(x, r):       x + r in the lanes where x < 0, x in the others
//   multiples_of(q):             Multiples, which are empty for lanes without doubles
// These lanes have
//   subtract_signed(x, r):       x - r in the lanes where x >= 0, x + r in the others
// and those with doubles
//   minus_nearest(x, multiples): x - k*q for the integer k next to x/q, |x| <= kNearestLimit * q,
//                                in any rounding mode of the caller

namespace ringlet::kernels {

/// The arithmetic over the lanes L.
template <typename L>
inline constexpr SignedArithmetic kMont64Arithmetic = SignedArithmetic::mont64;
template <typename L>
  requires requires(typename L::Vec x) { L::minus_nearest(x, L::multiples_of(1)); }
inline constexpr SignedArithmetic kMont64Arithmetic<L> = SignedArithmetic::mont64_nearest;

/// Constants of SignedMont64 for q.
template <typename L>
struct Mont64Modulus {
  typename L::Vec q;
  typename L::Vec high;  ///< q = high * 2^32 + low, low signed.
  typename L::Vec low;
  typename L::Vec inverse;  ///< 1/q modulo 2^32.
  TwiddlePair one;
  typename L::Multiples multiples;
};

/// A factor as four half words in the low halves of their lanes.
template <typename L>
struct Mont64Factor {
  typename L::Vec a_low;
  typename L::Vec a_high;
  typename L::Vec b_low;
  typename L::Vec b_high;
};

/// 64-bit integers, q < 2^61; Montgomery's reduction by 2^32 twice at once: y = y0 + y1*2^32,
/// a = w*2^32 and b = w*2^64 modulo q, and y*w = (y0*a + y1*b) / 2^32.
template <typename L, int kVectors, Mont64Variant kVariant>
struct SignedMont64 : L {
  using Vec = typename L::Vec;
  using Word = std::uint64_t;
  using Constants = Mont64Modulus<L>;
  using Factor = Mont64Factor<L>;

  static constexpr int kVectorsAtOnce = kVectors;
  static constexpr SignedArithmetic kArithmetic = kMont64Arithmetic<L>;
  static constexpr bool kTakesNearest = kArithmetic == SignedArithmetic::mont64_nearest;
  static constexpr bool kHasPlainTail = true;
  static constexpr bool kOperandsAreValues = true;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << (kTakesNearest ? 62 : 61);

  RINGLET_INLINE static Constants make_constants(std::uint64_t q, TwiddlePair one) {
    const auto low = static_cast<std::int32_t>(q);
    const std::uint64_t high = (q - static_cast<std::uint64_t>(std::int64_t{low})) >> 32;
    return {L::broadcast(q),
            L::broadcast(high),
            L::broadcast(static_cast<std::uint32_t>(low)),
            L::broadcast(half_word_inverse(q)),
            one,
            L::multiples_of(q)};
  }
  RINGLET_INLINE static Vec from_operand(const std::uint64_t* p) { return L::load(p); }
  RINGLET_INLINE static void reduce_operand(std::uint64_t* to, const std::uint64_t* p,
                                            const Constants& m) {
    L::store(to, L::reduce_once(L::reduce_once(L::load(p), L::add(m.q, m.q)), m.q));
  }
  RINGLET_INLINE static void store_result(std::uint64_t* p, Vec x, const Constants& m) {
    if constexpr (kTakesNearest) {
      store_product(p, L::minus_nearest(x, m.multiples), m);
    } else {
      store_product(p, product(x, broadcast_factor(&m.one.operand), m), m);
    }
  }
  RINGLET_INLINE static void store_product(std::uint64_t* p, Vec x, const Constants& m) {
    L::store(p, L::add_to_negative(x, m.q));
  }

  RINGLET_INLINE static Vec product(Vec y, const Factor& w, const Constants& m) {
    const Vec half = L::broadcast(std::uint64_t{1} << 31);
    const Vec y1 = L::high_half(L::add(y, half));
    const Vec low = L::add(L::mul_signed(y, w.a_low), L::mul_signed(y1, w.b_low));
    const Vec high = L::add(L::mul_signed(y, w.a_high), L::mul_signed(y1, w.b_high));
    if constexpr (kVariant == Mont64Variant::one) {
      const Vec rest = L::sub(high, L::mul_signed(low, m.high));
      return L::add(rest, L::shift_half(L::add(low, half)));
    } else {
      const Vec quotient = L::mul_signed(low, m.inverse);
      const Vec multiple = L::mul_signed(quotient, m.low);
      const Vec rest = L::sub(high, L::mul_signed(quotient, m.high));
      if constexpr (kVariant == Mont64Variant::together) {
        return L::add(rest, L::shift_half(L::sub(low, multiple)));
      } else {
        return L::add(rest, L::sub(L::shift_half(low), L::shift_half(multiple)));
      }
    }
  }
  RINGLET_INLINE static Vec reduction(std::uint64_t multiple) { return L::broadcast(multiple); }
  RINGLET_INLINE static Vec reduce(Vec x, Vec multiple, const Constants& m) {
    if constexpr (kTakesNearest) {
      return L::minus_nearest(x, m.multiples);
    } else {
      return L::subtract_signed(x, multiple);
    }
  }

  RINGLET_INLINE static Factor broadcast_factor(const std::uint64_t* words) {
    const auto* const halves = reinterpret_cast<const char*>(words);
    return {L::broadcast_half(halves), L::broadcast_half(halves + 4), L::broadcast_half(halves + 8),
            L::broadcast_half(halves + 12)};
  }
  /// Loads the upper halves four bytes further on, which takes no port that multiplies. It reads up
  /// to four bytes after a record of the tail: both streams go on with another pass or stream.
  template <int v>
  RINGLET_INLINE static Factor lane_factor(const std::uint64_t* words) {
    const auto upper = [](const std::uint64_t* p) __attribute__((always_inline)) {
      return reinterpret_cast<const std::uint64_t*>(reinterpret_cast<const char*>(p) + 4);
    };
    const std::uint64_t* const b = words + L::kLaneLayout.words[v];
    return {L::template lane_words<v>(words), L::template lane_words<v>(upper(words)),
            L::template lane_words<v>(b), L::template lane_words<v>(upper(b))};
  }
};

}  // namespace ringlet::kernels
