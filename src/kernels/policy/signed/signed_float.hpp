// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/float/float_quotient.hpp"
#include "kernels/policy/signed/signed_policy.hpp"

namespace ringlet::kernels {

/// Constants of SignedFloat for q.
template <typename L>
struct SignedFloatModulus {
  typename L::Vec q;
  typename L::Real real_q;
  typename L::Real inverse;  ///< 1/q, rounded to nearest.
};

/// Residues as doubles between the first and the last pass, for q < 2^51, over the lanes of an
/// instruction set (float_quotient.hpp). All values are integers below 2^53, hence exact.
template <typename L, int kVectors>
struct SignedFloat : L {
  using Vec = typename L::Vec;
  using Real = typename L::Real;
  using Word = std::uint64_t;
  using Constants = SignedFloatModulus<L>;
  using Factor = Twiddle<SignedFloat>;

  static constexpr int kVectorsAtOnce = kVectors;
  static constexpr SignedArithmetic kArithmetic = SignedArithmetic::real;
  static constexpr bool kHasPlainTail = true;
  static constexpr bool kOperandsAreValues = false;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << 51;

  RINGLET_INLINE static Constants make_constants(std::uint64_t q, TwiddlePair) {
    const auto real_q = static_cast<double>(q);
    return {L::broadcast(q), L::broadcast_real(real_q), L::broadcast_real(1.0 / real_q)};
  }

  RINGLET_INLINE static Vec from_operand(const std::uint64_t* p) {
    return L::real_bits(L::to_real(L::load(p)));
  }
  RINGLET_INLINE static void reduce_operand(std::uint64_t* to, const std::uint64_t* p,
                                            const Constants& m) {
    L::store(to, L::reduce_once(L::reduce_once(L::load(p), L::add(m.q, m.q)), m.q));
  }
  RINGLET_INLINE static void store_result(std::uint64_t* p, Vec x, const Constants& m) {
    store_product(p, reduce(x, x, m), m);
  }
  RINGLET_INLINE static void store_product(std::uint64_t* p, Vec x, const Constants& m) {
    L::store(p, L::from_residue(L::from_bits(x), m.real_q, m.q));
  }

  RINGLET_INLINE static Vec add(Vec x, Vec y) {
    return L::real_bits(L::add_real(L::from_bits(x), L::from_bits(y)));
  }
  RINGLET_INLINE static Vec sub(Vec x, Vec y) {
    return L::real_bits(L::sub_real(L::from_bits(x), L::from_bits(y)));
  }
  /// The quotient y*w/q is rounded to an integer by adding and subtracting 1.5 * 2^52. The product
  /// is exact as a sum of two doubles; the high one minus the multiple of q is exact too.
  RINGLET_INLINE static Vec product(Vec y, const Factor& w, const Constants& m) {
    const Real real_y = L::from_bits(y);
    const Real operand = L::from_bits(w.operand);
    const Real high = L::mul_real(real_y, operand);
    const Real quotient = rounded_product(real_y, L::from_bits(w.quotient));
    const Real low = L::mul_sub(real_y, operand, high);
    return L::real_bits(L::add_real(L::sub_mul(high, quotient, m.real_q), low));
  }
  RINGLET_INLINE static Vec reduction(std::uint64_t) { return L::broadcast(0); }
  RINGLET_INLINE static Vec reduce(Vec x, Vec, const Constants& m) {
    const Real real_x = L::from_bits(x);
    return L::real_bits(L::sub_mul(real_x, rounded_product(real_x, m.inverse), m.real_q));
  }

  RINGLET_INLINE static Factor broadcast_factor(const std::uint64_t* words) {
    return {L::broadcast(words[0]), L::broadcast(words[1])};
  }
  template <int v>
  RINGLET_INLINE static Factor lane_factor(const std::uint64_t* words) {
    return {L::template lane_words<v>(words),
            L::template lane_words<v>(words + L::kLaneLayout.words[v])};
  }

 private:
  /// r*s, at most 2^51 in size, rounded to an integer.
  RINGLET_INLINE static Real rounded_product(Real r, Real s) {
    const Real shift = L::broadcast_real(0x1.8p52);
    return L::sub_real(L::mul_add(r, s, shift), shift);
  }
};

}  // namespace ringlet::kernels
