// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "arith/double_word.hpp"
#include "kernels/policy/range_check.hpp"
#include "kernels/policy/wide_policy.hpp"

// Double words in three doubles, written once over the lanes L of an instruction set with fused
// multiply-adds. Such lanes are those of FloatQuotient (float_quotient.hpp) with
//   separate, interleave, lane_words, Words, make_words, add_modulo, subtract_modulo,
//   bit_and(x, y), bit_or(x, y), shift_left_by<n>(x), shift_right_by<n>(x), kMaxWideRowStages
// All of it needs rounding to nearest (float_rounding.hpp). Ranges and proofs:
// docs/notes/wide_float.md.

namespace ringlet::kernels {

/// Limb i is an integer multiple of 2^(46 i) as a double, of either sign and not normalised: an
/// element is the sum of its limbs. A product x*y of limbs is split by adding it to a large number,
/// which rounds it to the multiples of a power of two, and subtracting what was added: both parts
/// are exact. Factors are the low limb of w and w/q to five limbs behind the point, so that
/// quotients have a low limb and a fraction, and remainders are fraction * q with a low limb that
/// is exact.
template <typename L>
struct WideFloat : L {
  using Vec = typename L::Vec;
  using Real = typename L::Real;
  using Element = WideElement<WideFloat>;
  using Factor = WideTwiddle<WideFloat>;
  using Pair = WordPair<WideFloat>;

  static constexpr int kLimbBits = 46;
  static constexpr WideForm kWideForm{.limb_bits = kLimbBits,
                                      .limb_count = 3,
                                      .factor = WideFactor::fraction,
                                      .barrett_bits = 0,
                                      .inverse_multiple = 0};
  /// The quotients of `multiply_words` take 1/q < 2^-93.
  static constexpr int kMinModulusBits = 94;

  struct WideModulus {
    typename L::Words words;
    Real q[3];
    Real low;          ///< q[0] + q[1], rounded.
    Real rounded;      ///< q, rounded.
    Real inverse;      ///< 1/q, rounded.
    Real fraction[4];  ///< 1/q in limbs from 2^-138 on, the last one with all its bits.
    Factor one;
  };

  RINGLET_INLINE static WideModulus make_wide_modulus(const WideConstants& c) {
    const uint128_t q = join_words(c.words[0], c.words[1]);
    const std::int64_t q0 = centred(q);
    const uint128_t rest = (q - static_cast<uint128_t>(q0)) >> kLimbBits;
    const std::int64_t q1 = centred(rest);
    const auto q2 =
        static_cast<std::int64_t>((rest - static_cast<uint128_t>(q1)) >> kLimbBits);
    const double limbs[3] = {static_cast<double>(q0), static_cast<double>(q1) * power(kLimbBits),
                             static_cast<double>(q2) * power(2 * kLimbBits)};
    const double rounded = limbs[2] + (limbs[1] + limbs[0]);
    WideModulus m;
    m.words = L::make_words(c);
    for (int i = 0; i < 3; ++i) m.q[i] = L::broadcast_real(limbs[i]);
    m.low = L::broadcast_real(limbs[0] + limbs[1]);
    m.rounded = L::broadcast_real(rounded);
    m.inverse = L::broadcast_real(1.0 / rounded);
    // The fraction of the factor 1, and of what it leaves: 2^230 - q*fraction, below q.
    uint128_t integer = 0;
    for (int i = 0; i < 3; ++i) {
      const double limb = std::bit_cast<double>(c.one[3 + i]);
      m.fraction[i] = L::broadcast_real(limb);
      integer = (integer << kLimbBits) +
                static_cast<uint128_t>(static_cast<std::int64_t>(limb * power(138 + 46 * i)));
    }
    const auto remainder = static_cast<__int128>(-(q * integer));
    m.fraction[3] =
        L::broadcast_real(static_cast<double>(remainder) * power(-230) / rounded);
    m.one = broadcast_factor<WideFloat>(c.one);
    return m;
  }

  RINGLET_INLINE static Element from_words(Vec low, Vec high) {
    const Vec middle = L::bit_or(L::template shift_right_by<kLimbBits>(low),
                                 L::template shift_left_by<64 - kLimbBits>(high));
    return element(limb_of<0>(low_limb(low)), limb_of<kLimbBits>(low_limb(middle)),
                   limb_of<2 * kLimbBits>(
                       L::template shift_right_by<2 * kLimbBits - 64>(high)));
  }
  /// Limbs of any sign below 2^50 with a sum in [0, 2^128): 32 keeps what they carry positive.
  RINGLET_INLINE static void to_words(const Element& x, Vec& low, Vec& high) {
    const Vec bias = L::broadcast(std::uint64_t{1} << 51);
    const Vec carry = L::broadcast(std::uint64_t{1} << (51 - kLimbBits));
    const Vec first = L::add(integer_of<0>(real(x, 0)), bias);
    const Vec second =
        L::add(L::add(integer_of<kLimbBits>(real(x, 1)), L::sub(bias, carry)),
               L::template shift_right_by<kLimbBits>(first));
    const Vec third = L::add(L::sub(integer_of<2 * kLimbBits>(real(x, 2)), carry),
                             L::template shift_right_by<kLimbBits>(second));
    const Vec middle = low_limb(second);
    low = L::bit_or(low_limb(first), L::template shift_left_by<kLimbBits>(middle));
    high = L::add(L::template shift_right_by<64 - kLimbBits>(middle),
                  L::template shift_left_by<2 * kLimbBits - 64>(third));
  }

  RINGLET_INLINE static Element start_forward(const Element& x, const Element&) { return x; }
  RINGLET_INLINE static Element start_inverse(const Element& x) { return x; }

  RINGLET_INLINE static void forward_butterfly(Element& u, Element& v, const Factor& w,
                                               const WideModulus& m) {
    const Element product = scale(v, w, m);
    v = subtract(u, product);
    u = sum(u, product);
  }
  RINGLET_INLINE static void inverse_butterfly(Element& u, Element& v, const Factor& w,
                                               const Element&, const WideModulus& m) {
    const Element difference = subtract(u, v);
    u = sum(u, v);
    v = scale(difference, w, m);
  }
  RINGLET_INLINE static Element scale(const Element& x, const Factor& w, const WideModulus& m) {
    return multiply_lazy<false>(x, w, m);
  }
  /// Limbs below 2^45, the sum in [-q/2, q/2] up to what is rounded.
  RINGLET_INLINE static Element settle(const Element& x, const WideModulus& m) {
    const Real k = rounded_to<0>(L::mul_add(estimate(x), m.inverse, unit<0>()));
    const Real x0 = L::sub_mul(real(x, 0), k, m.q[0]);
    const Real x1 = L::sub_mul(real(x, 1), k, m.q[1]);
    const Real x2 = L::sub_mul(real(x, 2), k, m.q[2]);
    const Real c0 = nearest<kLimbBits>(x0);
    const Real y1 = L::add_real(x1, c0);
    const Real c1 = nearest<2 * kLimbBits>(y1);
    return element(L::sub_real(x0, c0), L::sub_real(y1, c1), L::add_real(x2, c1));
  }
  RINGLET_INLINE static Pair finish_words(const Element& x, const WideModulus& m) {
    return reduced_words(settle(x, m), m);
  }

  RINGLET_INLINE static Pair add_words(const Pair& a, const Pair& b, const WideModulus& m) {
    const auto [low, high] = L::add_modulo({a.low, a.high}, {b.low, b.high}, m.words);
    return {low, high};
  }
  RINGLET_INLINE static Pair subtract_words(const Pair& a, const Pair& b, const WideModulus& m) {
    const auto [low, high] = L::subtract_modulo({a.low, a.high}, {b.low, b.high}, m.words);
    return {low, high};
  }
  RINGLET_INLINE static Pair multiply_factor_words(const Pair& a, const Factor& w,
                                                   const WideModulus& m) {
    return reduced_words(multiply_lazy<true>(from_words(a.low, a.high), w, m), m);
  }
  RINGLET_INLINE static Pair reduce_words(const Pair& a, const WideModulus& m) {
    return multiply_factor_words(a, m.one, m);
  }
  RINGLET_INLINE static Pair multiply_words(const Pair& a, const Pair& b, const WideModulus& m) {
    Real z[6];
    multiply_limbs(z, from_words(a.low, a.high), from_words(b.low, b.high));
    return reduced_words(barrett(z, m), m);
  }

 private:
  static constexpr double power(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
  }
  /// The limb of least absolute value that is x modulo 2^46.
  RINGLET_INLINE static std::int64_t centred(uint128_t x) {
    return static_cast<std::int64_t>(low_word(x) << (64 - kLimbBits)) >> (64 - kLimbBits);
  }
  /// Sums with it are rounded to multiples of 2^exponent, up to 2^(51 + exponent).
  template <int exponent>
  RINGLET_INLINE static Real unit() {
    return L::broadcast_real(0x1.8p52 * power(exponent));
  }
  /// What was added to a unit.
  template <int exponent>
  RINGLET_INLINE static Real rounded_to(Real x) {
    return L::sub_real(x, unit<exponent>());
  }
  template <int exponent>
  RINGLET_INLINE static Real nearest(Real x) {
    return rounded_to<exponent>(L::add_real(x, unit<exponent>()));
  }
  /// high = a unit and multiples of its power of two: adds x*y rounded to them, returns the rest.
  RINGLET_INLINE static Real split(Real& high, Real x, Real y) {
    const Real before = high;
    high = L::mul_add(x, y, before);
    return L::mul_sub(x, y, L::sub_real(high, before));
  }

  RINGLET_INLINE static Real real(const Element& x, int i) { return L::from_bits(x.limb[i]); }
  RINGLET_INLINE static Element element(Real x0, Real x1, Real x2) {
    return {{L::real_bits(x0), L::real_bits(x1), L::real_bits(x2)}};
  }
  RINGLET_INLINE static Element sum(const Element& x, const Element& y) {
    return element(L::add_real(real(x, 0), real(y, 0)), L::add_real(real(x, 1), real(y, 1)),
                   L::add_real(real(x, 2), real(y, 2)));
  }
  RINGLET_INLINE static Element subtract(const Element& x, const Element& y) {
    return element(L::sub_real(real(x, 0), real(y, 0)), L::sub_real(real(x, 1), real(y, 1)),
                   L::sub_real(real(x, 2), real(y, 2)));
  }
  /// x as one double: what is rounded is small beside q, and the sign is right.
  RINGLET_INLINE static Real estimate(const Element& x) {
    return L::add_real(L::add_real(real(x, 2), real(x, 1)), real(x, 0));
  }

  RINGLET_INLINE static Vec low_limb(Vec x) {
    return L::bit_and(x, L::broadcast((std::uint64_t{1} << kLimbBits) - 1));
  }
  /// x < 2^52 -> x * 2^exponent.
  template <int exponent>
  RINGLET_INLINE static Real limb_of(Vec x) {
    const Real one = L::broadcast_real(power(52 + exponent));
    return L::sub_real(L::from_bits(L::bit_or(x, L::real_bits(one))), one);
  }
  /// x = n * 2^exponent, -2^51 < n < 2^51 -> n modulo 2^64.
  template <int exponent>
  RINGLET_INLINE static Vec integer_of(Real x) {
    return L::sub(L::real_bits(L::add_real(x, unit<exponent>())),
                  L::real_bits(unit<exponent>()));
  }

  /// w*x less a multiple of q: in [-q/2, q/2] up to what is rounded if kReduced, else a few q of
  /// either sign. Limbs below 2^46.
  template <bool kReduced>
  RINGLET_INLINE static Element multiply_lazy(const Element& x, const Factor& w,
                                              const WideModulus& m) {
    const Real x0 = real(x, 0);
    const Real x1 = real(x, 1);
    const Real x2 = real(x, 2);
    const auto fraction = [&w](int i)
                              __attribute__((always_inline)) { return L::from_bits(w.word[i]); };
    // The quotient's low limb: products at 1 without what they carry, and what those at 2^-46 do.
    Real carry1 = unit<46>();
    Real carry2 = unit<46>();
    Real high = unit<0>();
    Real quotient = L::add_real(split(carry1, x1, fraction(1)), split(carry2, x2, fraction(2)));
    Real first = split(high, x0, fraction(1));
    first = L::add_real(first, split(high, x1, fraction(2)));
    first = L::add_real(first, split(high, x2, fraction(3)));
    quotient = L::add_real(quotient, rounded_to<0>(high));
    // The fraction is first + second, of which first is a multiple of 2^-46.
    high = unit<-46>();
    Real second = split(high, x0, fraction(2));
    const Real second1 = split(high, x1, fraction(3));
    const Real second2 = split(high, x2, fraction(4));
    first = L::add_real(first, rounded_to<-46>(high));
    second = L::mul_add(x0, fraction(3), second);
    second = L::mul_add(x1, fraction(4), second);
    second = L::mul_add(x2, fraction(5), second);
    second = L::add_real(second, L::add_real(second1, second2));
    if constexpr (kReduced) {
      const Real whole = nearest<0>(first);
      quotient = L::add_real(quotient, whole);
      first = L::sub_real(first, whole);
    }
    carry1 = unit<46>();
    carry2 = unit<46>();
    const Real low = L::sub_real(split(carry1, x0, fraction(0)), split(carry2, quotient, m.q[0]));
    // fraction * q, of which `low` says what is below 2^46.
    const Real top = rounded_to<92>(L::mul_add(first, m.rounded, unit<92>()));
    Real rest = L::mul_sub(first, m.q[2], top);
    rest = L::mul_add(first, m.low, rest);
    rest = L::mul_add(second, m.rounded, rest);
    return element(low, nearest<46>(L::sub_real(rest, low)), top);
  }

  /// x*y for limbs in [0, 2^46): six limbs below 2^48.
  RINGLET_INLINE static void multiply_limbs(Real (&z)[6], const Element& x, const Element& y) {
    Real high[5] = {unit<46>(), unit<92>(), unit<138>(), unit<184>(), unit<230>()};
    z[0] = split(high[0], real(x, 0), real(y, 0));
    z[1] = rounded_to<46>(high[0]);
    z[1] = L::add_real(z[1], L::add_real(split(high[1], real(x, 0), real(y, 1)),
                                         split(high[1], real(x, 1), real(y, 0))));
    z[2] = L::add_real(rounded_to<92>(high[1]), split(high[2], real(x, 0), real(y, 2)));
    z[2] = L::add_real(z[2], L::add_real(split(high[2], real(x, 1), real(y, 1)),
                                         split(high[2], real(x, 2), real(y, 0))));
    z[3] = rounded_to<138>(high[2]);
    z[3] = L::add_real(z[3], L::add_real(split(high[3], real(x, 1), real(y, 2)),
                                         split(high[3], real(x, 2), real(y, 1))));
    z[4] = L::add_real(rounded_to<184>(high[3]), split(high[4], real(x, 2), real(y, 2)));
    z[5] = rounded_to<230>(high[4]);
  }

  /// The sum of z < q^2 modulo q, in [-q/2, q/2] up to what is rounded: two limbs of the quotient,
  /// its fraction, two limbs of the remainder, and the third from fraction * q.
  RINGLET_INLINE static Element barrett(const Real (&z)[6], const WideModulus& m) {
    Real carry1 = unit<92>();
    Real carry2 = unit<92>();
    Real high = unit<46>();
    Real quotient1 =
        L::add_real(split(carry1, z[4], m.fraction[0]), split(carry2, z[5], m.fraction[1]));
    Real quotient0 = split(high, z[3], m.fraction[0]);
    quotient0 = L::add_real(quotient0, split(high, z[4], m.fraction[1]));
    quotient0 = L::add_real(quotient0, split(high, z[5], m.fraction[2]));
    quotient1 = L::add_real(quotient1, rounded_to<46>(high));
    high = unit<0>();
    Real fraction = split(high, z[2], m.fraction[0]);
    const Real fraction1 = split(high, z[3], m.fraction[1]);
    const Real fraction2 = split(high, z[4], m.fraction[2]);
    const Real fraction3 = split(high, z[5], m.fraction[3]);
    fraction = L::mul_add(z[1], m.fraction[0], fraction);
    fraction = L::mul_add(z[2], m.fraction[1], fraction);
    fraction = L::mul_add(z[3], m.fraction[2], fraction);
    fraction = L::mul_add(z[4], m.fraction[3], fraction);
    fraction = L::add_real(L::add_real(fraction, fraction1), L::add_real(fraction2, fraction3));
    const Real whole = nearest<0>(fraction);
    fraction = L::sub_real(fraction, whole);
    quotient0 = L::add_real(L::add_real(quotient0, whole), rounded_to<0>(high));
    // z - quotient*q modulo 2^92.
    carry1 = unit<46>();
    const Real x0 = L::sub_real(z[0], split(carry1, quotient0, m.q[0]));
    Real x1 = L::sub_real(z[1], rounded_to<46>(carry1));
    carry1 = unit<92>();
    x1 = L::sub_real(x1, split(carry1, quotient0, m.q[1]));
    carry1 = unit<92>();
    x1 = L::sub_real(x1, split(carry1, quotient1, m.q[0]));
    x1 = L::sub_real(x1, nearest<92>(x1));
    return element(x0, x1, nearest<92>(L::mul_sub(fraction, m.rounded, x1)));
  }

  /// x in [-q/2, q/2] -> x mod q.
  RINGLET_INLINE static Pair reduced_words(const Element& x, const WideModulus& m) {
    const Real sign = estimate(x);
    Element y;
    unroll<3>([&](auto i) __attribute__((always_inline)) {
      y.limb[i] = L::real_bits(L::add_real(real(x, i), L::where_negative(sign, m.q[i])));
    });
    Pair words;
    to_words(y, words.low, words.high);
    return words;
  }
};

}  // namespace ringlet::kernels
