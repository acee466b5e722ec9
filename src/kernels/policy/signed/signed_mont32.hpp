// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/signed/reductions.hpp"
#include "kernels/policy/signed/signed_policy.hpp"

// Signed 32-bit integers on instruction sets that multiply the signed lower halves of 64-bit lanes,
// written once over the lanes L of an instruction set. Such lanes are those of SignedMont64 (for
// words of two neighbouring values each, and for their permutations) with
//   load_values(p), store_values(p, x):  as many 32-bit values as fit a vector
//   load_packed(p), store_unpacked(p, x): that many, from and to 64-bit words
//   broadcast_value(v), add_values(x, y), sub_values(x, y), smaller_value(x, y) (unsigned)
//   subtract_signed_values(x, r):        x - r where x >= 0 (or 0), x + r where x < 0
//   upper_values(x):                     the upper halves of x, moved to the lower halves
//   merge_upper(x, y):                   upper_values(x) with the upper halves of y
//   split_values(a, b), join_values(a, b): (lower, upper) halves of the words of a pair, and back
//   kValueLayout, to_value_order(a, b), from_value_order(a, b): the layout of the factors of the
//                                        stage between the halves, and the natural order

namespace ringlet::kernels {

/// Constants of SignedMont32 for q.
template <typename L>
struct Mont32Modulus {
  typename L::Vec q;
  typename L::Vec two_q;
  bool reaches_4q;  ///< Are values of up to 4q possible, not only of up to 2q?
};

/// Factors of the values in the lower halves of words and of those in the upper ones, each with its
/// quotient, all in lower halves.
template <typename L>
struct Mont32Factor {
  typename L::Vec even;
  typename L::Vec even_quotient;
  typename L::Vec odd;
  typename L::Vec odd_quotient;
};

/// Montgomery's arithmetic on 32-bit integers, q < 2^30: with a = w*2^32 modulo q, centred, and
/// a' = a/q modulo 2^32, y*w = (y*a - (y*a' mod 2^32)*q) / 2^32, of which the lower halves cancel.
template <typename L, int kVectors>
struct SignedMont32 : L {
  using Vec = typename L::Vec;
  using Word = std::uint32_t;
  using Constants = Mont32Modulus<L>;
  using Factor = Mont32Factor<L>;

  static constexpr int kLogLanes = L::kLogLanes + 1;
  static constexpr LaneLayout kLaneLayout = L::kValueLayout;
  static constexpr int kVectorsAtOnce = kVectors;
  static constexpr SignedArithmetic kArithmetic = SignedArithmetic::mont32;
  static constexpr bool kHasPlainTail = false;
  static constexpr bool kOperandsAreValues = false;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << 30;

  RINGLET_INLINE static Constants make_constants(std::uint64_t q, TwiddlePair) {
    return {L::broadcast_value(static_cast<std::uint32_t>(q)),
            L::broadcast_value(static_cast<std::uint32_t>(2 * q)), mont32_limit(q) > 2};
  }
  RINGLET_INLINE static Vec load(const std::uint32_t* p) { return L::load_values(p); }
  RINGLET_INLINE static void store(std::uint32_t* p, Vec x) { L::store_values(p, x); }
  RINGLET_INLINE static Vec from_operand(const std::uint32_t* p) { return L::load_values(p); }
  RINGLET_INLINE static Vec from_operand(const std::uint64_t* p) { return L::load_packed(p); }
  RINGLET_INLINE static void reduce_operand(std::uint32_t* to, const std::uint32_t* p,
                                            const Constants& m) {
    L::store_values(to, reduce_once(reduce_once(from_operand(p), m.two_q), m.q));
  }
  RINGLET_INLINE static void reduce_operand(std::uint64_t* to, const std::uint64_t* p,
                                            const Constants& m) {
    L::store_unpacked(to, reduce_once(reduce_once(from_operand(p), m.two_q), m.q));
  }
  template <typename OuterWord>
  RINGLET_INLINE static void store_result(OuterWord* p, Vec x, const Constants& m) {
    if (m.reaches_4q) x = L::subtract_signed_values(x, m.two_q);
    store_product(p, L::subtract_signed_values(x, m.q), m);
  }
  RINGLET_INLINE static void store_product(std::uint32_t* p, Vec x, const Constants& m) {
    L::store_values(p, add_to_negative(x, m));
  }
  RINGLET_INLINE static void store_product(std::uint64_t* p, Vec x, const Constants& m) {
    L::store_unpacked(p, add_to_negative(x, m));
  }

  RINGLET_INLINE static Vec add(Vec x, Vec y) { return L::add_values(x, y); }
  RINGLET_INLINE static Vec sub(Vec x, Vec y) { return L::sub_values(x, y); }
  RINGLET_INLINE static Vec product(Vec y, const Factor& w, const Constants& m) {
    const Vec odd_y = L::upper_values(y);
    const Vec even =
        L::sub(L::mul_signed(y, w.even), L::mul_signed(L::mul_signed(y, w.even_quotient), m.q));
    const Vec odd = L::sub(L::mul_signed(odd_y, w.odd),
                           L::mul_signed(L::mul_signed(odd_y, w.odd_quotient), m.q));
    return L::merge_upper(even, odd);
  }
  RINGLET_INLINE static Vec reduction(std::uint64_t multiple) {
    return L::broadcast_value(static_cast<std::uint32_t>(multiple));
  }
  RINGLET_INLINE static Vec reduce(Vec x, Vec multiple, const Constants&) {
    return L::subtract_signed_values(x, multiple);
  }

  RINGLET_INLINE static Factor broadcast_factor(const std::uint64_t* words) {
    const Vec a = L::broadcast(words[0]);
    const Vec quotient = L::broadcast(words[1]);
    return {a, quotient, a, quotient};
  }
  template <int v>
  RINGLET_INLINE static Factor lane_factor(const std::uint64_t* words) {
    constexpr int kWords = kLaneLayout.words[v];
    if constexpr (v < L::kLogLanes) {
      const Vec a = L::template lane_words<v>(words);
      const Vec quotient = L::template lane_words<v>(words + kWords);
      return {a, quotient, a, quotient};
    } else {
      return {L::load(words), L::load(words + kWords), L::load(words + kWords / 2),
              L::load(words + kWords + kWords / 2)};
    }
  }

  /// Up to the last stage inside vectors, two neighbouring values stay together.
  template <int v>
  RINGLET_INLINE static void to_lane_stage(Vec& a, Vec& b) {
    if constexpr (v < L::kLogLanes) {
      L::template to_lane_stage<v>(a, b);
    } else if constexpr (v == L::kLogLanes) {
      L::split_values(a, b);
    } else {
      L::to_value_order(a, b);
    }
  }
  template <int v>
  RINGLET_INLINE static void from_lane_stage(Vec& a, Vec& b) {
    if constexpr (v < L::kLogLanes) {
      L::template from_lane_stage<v>(a, b);
    } else if constexpr (v == L::kLogLanes) {
      L::join_values(a, b);
    } else {
      L::from_value_order(a, b);
    }
  }

 private:
  RINGLET_INLINE static Vec add_to_negative(Vec x, const Constants& m) {
    return L::smaller_value(x, L::add_values(x, m.q));
  }
  RINGLET_INLINE static Vec reduce_once(Vec x, Vec bound) {
    return L::smaller_value(x, L::sub_values(x, bound));
  }
};

}  // namespace ringlet::kernels
