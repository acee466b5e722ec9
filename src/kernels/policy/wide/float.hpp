// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "arith/double_word.hpp"
#include "kernels/policy/wide/policy.hpp"

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
  /// Rows that `settle` bounds after a pass of the inverse transform: sums of eight and of four.
  static constexpr int kSettledRows = 2;
  static constexpr LimbFormat kLimbFormat{.limb_bits = kLimbBits,
                                          .limb_count = 3,
                                          .factor = WideFactor::fraction,
                                          .barrett_bits = 0,
                                          .inverse_multiple = 0};
  /// The quotients of `multiply` take 1/q < 2^-93, at most 2^45 units of its first limb.
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
    const auto q2 = static_cast<std::int64_t>((rest - static_cast<uint128_t>(q1)) >> kLimbBits);
    const double limbs[3] = {static_cast<double>(q0), static_cast<double>(q1) * power(kLimbBits),
                             static_cast<double>(q2) * power(2 * kLimbBits)};
    const double rounded = limbs[2] + (limbs[1] + limbs[0]);
    WideModulus m;
    m.words = L::make_words(c);
    for (int i = 0; i < 3; ++i) m.q[i] = L::broadcast_real(limbs[i]);
    m.low = L::broadcast_real(limbs[0] + limbs[1]);
    m.rounded = L::broadcast_real(rounded);
    m.inverse = L::broadcast_real(1.0 / rounded);
    // The fraction of the factor 1, and that of its remainder 2^230 - q*fraction, below q.
    uint128_t integer = 0;
    for (int i = 0; i < 3; ++i) {
      double limb = std::bit_cast<double>(c.one[3 + i]);
      // If 1/q is close to 2^-93, its nearest multiple of 2^-92 is not 0.
      if (i == 0) limb += std::bit_cast<double>(c.one[2]);
      m.fraction[i] = L::broadcast_real(limb);
      integer = (integer << kLimbBits) +
                static_cast<uint128_t>(static_cast<std::int64_t>(limb * power(138 + 46 * i)));
    }
    const auto remainder = static_cast<__int128>(-(q * integer));
    m.fraction[3] = L::broadcast_real(static_cast<double>(remainder) * power(-230) / rounded);
    m.one = broadcast_factor<WideFloat>(c.one);
    return m;
  }

  RINGLET_INLINE static Element from_words(Vec low, Vec high) {
    const Vec middle = L::bit_or(L::template shift_right_by<kLimbBits>(low),
                                 L::template shift_left_by<64 - kLimbBits>(high));
    return element(limb_of<0>(low_limb(low)), limb_of<kLimbBits>(low_limb(middle)),
                   limb_of<2 * kLimbBits>(L::template shift_right_by<2 * kLimbBits - 64>(high)));
  }
  /// Limbs of any sign below 2^50 with a sum in [0, 2^128): adding 32 keeps carries positive.
  RINGLET_INLINE static void to_words(const Element& x, Vec& low, Vec& high) {
    const Vec bias = L::broadcast(std::uint64_t{1} << 51);
    const Vec carry = L::broadcast(std::uint64_t{1} << (51 - kLimbBits));
    const Vec first = L::add(integer_of<0>(real(x, 0)), bias);
    const Vec second = L::add(L::add(integer_of<kLimbBits>(real(x, 1)), L::sub(bias, carry)),
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
  /// At most 200q in limbs below 2^51 -> limbs of at most 2^45, whose sum is in [-q/2, q/2] up to
  /// rounding.
  RINGLET_INLINE static Element settle(const Element& x, const WideModulus& m) {
    const Real k = rounded_to<0>(L::mul_add(estimate(x), m.inverse, unit<0>()));
    const Real x0 = L::sub_mul(real(x, 0), k, m.q[0]);
    const Real x1 = L::sub_mul(real(x, 1), k, m.q[1]);
    const Real x2 = L::sub_mul(real(x, 2), k, m.q[2]);
    expect_limbs(x, 0x1p51, 0x1p51, 0x1p41);
    expect_limbs(element(x0, x1, x2), 0x1p53, 0x1p53, 0x1p41);
    const Real c0 = nearest<kLimbBits>(x0);
    const Real y1 = L::add_real(x1, c0);
    const Real c1 = nearest<2 * kLimbBits>(y1);
    return element(L::sub_real(x0, c0), L::sub_real(y1, c1), L::add_real(x2, c1));
  }
  RINGLET_INLINE static Element finish_forward(const Element& x, const WideModulus& m) {
    return positive(settle(x, m), m);
  }
  RINGLET_INLINE static Element finish_inverse(const Element& x, const WideModulus& m) {
    return finish_forward(x, m);
  }

  RINGLET_INLINE static Pair add_words(const Pair& a, const Pair& b, const WideModulus& m) {
    const auto [low, high] = L::add_modulo({a.low, a.high}, {b.low, b.high}, m.words);
    return {low, high};
  }
  RINGLET_INLINE static Pair subtract_words(const Pair& a, const Pair& b, const WideModulus& m) {
    const auto [low, high] = L::subtract_modulo({a.low, a.high}, {b.low, b.high}, m.words);
    return {low, high};
  }
  RINGLET_INLINE static Element multiply(const Element& x, const Element& y, const WideModulus& m) {
    Real z[6];
    multiply_limbs(z, x, y);
    return positive(barrett(z, m), m);
  }
  RINGLET_INLINE static Element multiply_factor(const Element& x, const Factor& w,
                                                const WideModulus& m) {
    return positive(multiply_lazy<true>(x, w, m), m);
  }
  RINGLET_INLINE static Element reduce(const Element& x, const WideModulus& m) {
    return multiply_factor(x, m.one, m);
  }

 private:
  static constexpr double power(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
  }
  /// The limb of least absolute value that is x modulo 2^46.
  RINGLET_INLINE static std::int64_t centred(uint128_t x) {
    return static_cast<std::int64_t>(low_word(x) << (64 - kLimbBits)) >> (64 - kLimbBits);
  }
  /// Sums with this number are rounded to multiples of 2^exponent, up to 2^(51 + exponent).
  template <int exponent>
  RINGLET_INLINE static Real unit() {
    return L::broadcast_real(0x1.8p52 * power(exponent));
  }
  /// The rounded number that was added to a unit.
  template <int exponent>
  RINGLET_INLINE static Real rounded_to(Real x) {
    return L::sub_real(x, unit<exponent>());
  }
  template <int exponent>
  RINGLET_INLINE static Real nearest(Real x) {
    return rounded_to<exponent>(L::add_real(x, unit<exponent>()));
  }
  /// A product in two exact parts.
  struct Parts {
    Real high;  ///< The nearest multiple of a power of two.
    Real low;
  };
  template <int exponent>
  RINGLET_INLINE static Parts split(Real x, Real y) {
    const Real high = rounded_to<exponent>(L::mul_add(x, y, unit<exponent>()));
    return {high, L::mul_sub(x, y, high)};
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
  /// x as one double: the rounding error is small beside q, and the sign is correct.
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
    return L::sub(L::real_bits(L::add_real(x, unit<exponent>())), L::real_bits(unit<exponent>()));
  }

  /// In builds with RINGLET_CHECK_RANGES: every lane of x is n * 2^exponent for an integer n,
  /// |n| <= bound.
  template <int exponent>
  RINGLET_INLINE static void expect_multiple([[maybe_unused]] Real x,
                                             [[maybe_unused]] double bound) {
#ifdef RINGLET_CHECK_RANGES
    trap_unless_multiple(L::real_bits(x), power(exponent), bound);
#endif
  }
  RINGLET_INLINE static void expect_limbs(const Element& x, double bound0, double bound1,
                                          double bound2) {
    expect_multiple<0>(real(x, 0), bound0);
    expect_multiple<kLimbBits>(real(x, 1), bound1);
    expect_multiple<2 * kLimbBits>(real(x, 2), bound2);
  }
  /// In such builds: x and y differ by no more than bound, so that y is x rounded.
  RINGLET_INLINE static void expect_near([[maybe_unused]] Real x, [[maybe_unused]] Real y,
                                         [[maybe_unused]] double bound) {
#ifdef RINGLET_CHECK_RANGES
    trap_unless_near(L::real_bits(L::sub_real(x, y)), bound);
#endif
  }
#ifdef RINGLET_CHECK_RANGES
  __attribute__((noinline)) static void trap_unless_multiple(Vec x, double unit, double bound) {
    std::uint64_t lanes[kWideLanes<WideFloat>];
    L::store(lanes, x);
    for (const std::uint64_t lane : lanes) {
      const double n = std::bit_cast<double>(lane) / unit;
      if (!(n >= -bound && n <= bound) || n != __builtin_nearbyint(n)) __builtin_trap();
    }
  }
  __attribute__((noinline)) static void trap_unless_near(Vec difference, double bound) {
    std::uint64_t lanes[kWideLanes<WideFloat>];
    L::store(lanes, difference);
    for (const std::uint64_t lane : lanes) {
      const auto d = std::bit_cast<double>(lane);
      if (!(d >= -bound && d <= bound)) __builtin_trap();
    }
  }
#endif

  /// w*x minus a multiple of q: in [-q/2, q/2] up to rounding if kReduced, else at most 18q of
  /// either sign. Limb 0 is at most 2^46 (2^48 if kReduced), limb 1 2^45 and a little, limb 2 the
  /// rest.
  template <bool kReduced>
  RINGLET_INLINE static Element multiply_lazy(const Element& x, const Factor& w,
                                              const WideModulus& m) {
    const Real x0 = real(x, 0);
    const Real x1 = real(x, 1);
    const Real x2 = real(x, 2);
    const auto fraction = [&w](int i)
                              __attribute__((always_inline)) { return L::from_bits(w.word[i]); };
    expect_limbs(x, 0x1.5p50, 0x1p50, 0x1p41);
    // The quotient's low limb: products at 1 without their carries, and the carries from 2^-46.
    Real quotient =
        L::add_real(split<kLimbBits>(x1, fraction(1)).low, split<kLimbBits>(x2, fraction(2)).low);
    const Parts a0 = split<0>(x0, fraction(1));
    const Parts a1 = split<0>(x1, fraction(2));
    const Parts a2 = split<0>(x2, fraction(3));
    quotient = L::add_real(L::add_real(a0.high, a1.high), L::add_real(a2.high, quotient));
    // The quotient's fraction is first + second, of which first is a multiple of 2^-46.
    const Parts b0 = split<-kLimbBits>(x0, fraction(2));
    const Parts b1 = split<-kLimbBits>(x1, fraction(3));
    const Parts b2 = split<-kLimbBits>(x2, fraction(4));
    Real first = L::add_real(L::add_real(L::add_real(a0.low, a1.low), L::add_real(a2.low, b2.high)),
                             L::add_real(b0.high, b1.high));
    Real second = L::mul_add(x0, fraction(3), b0.low);
    second = L::mul_add(x1, fraction(4), second);
    second = L::mul_add(x2, fraction(5), second);
    second = L::add_real(second, L::add_real(b1.low, b2.low));
    Real low =
        L::sub_real(split<kLimbBits>(x0, fraction(0)).low, split<kLimbBits>(quotient, m.q[0]).low);
    if constexpr (kReduced) {
      const Real whole = nearest<0>(first);
      low = L::sub_mul(low, whole, m.q[0]);
      first = L::sub_real(first, whole);
    }
    // fraction * q, whose part below 2^46 `low` holds.
    const Real top = rounded_to<2 * kLimbBits>(L::mul_add(first, m.rounded, unit<92>()));
    Real rest = L::mul_sub(first, m.q[2], top);
    rest = L::mul_add(first, m.low, rest);
    rest = L::add_real(rest, L::mul_sub(second, m.rounded, low));
    const Element product = element(low, nearest<kLimbBits>(rest), top);
    expect_multiple<0>(quotient, 0x1p52);
    expect_multiple<-kLimbBits>(first, 0x1p51);
    expect_near(rest, real(product, 1), 0x1p44);
    expect_limbs(product, kReduced ? 0x1p48 : 0x1p46, 0x1.01p45, 0x1.4p36);
    return product;
  }

  /// x*y for reduced x and y: six limbs below 2^48.
  RINGLET_INLINE static void multiply_limbs(Real (&z)[6], const Element& x, const Element& y) {
    const auto part = [&]<int i, int j>() __attribute__((always_inline)) {
      return split<kLimbBits*(i + j + 1)>(real(x, i), real(y, j));
    };
    const Parts z00 = part.template operator()<0, 0>();
    const Parts z01 = part.template operator()<0, 1>();
    const Parts z10 = part.template operator()<1, 0>();
    const Parts z02 = part.template operator()<0, 2>();
    const Parts z11 = part.template operator()<1, 1>();
    const Parts z20 = part.template operator()<2, 0>();
    const Parts z12 = part.template operator()<1, 2>();
    const Parts z21 = part.template operator()<2, 1>();
    const Parts z22 = part.template operator()<2, 2>();
    z[0] = z00.low;
    z[1] = L::add_real(z00.high, L::add_real(z01.low, z10.low));
    z[2] = L::add_real(L::add_real(z01.high, z10.high),
                       L::add_real(z02.low, L::add_real(z11.low, z20.low)));
    z[3] = L::add_real(L::add_real(z12.low, z21.low),
                       L::add_real(z02.high, L::add_real(z11.high, z20.high)));
    z[4] = L::add_real(z22.low, L::add_real(z12.high, z21.high));
    z[5] = z22.high;
  }

  /// The sum of z < q^2 modulo q, in [-q/2, q/2] up to rounding: two limbs of the quotient, its
  /// fraction, two limbs of the remainder, and the third from fraction * q.
  RINGLET_INLINE static Element barrett(const Real (&z)[6], const WideModulus& m) {
    const Parts a0 = split<kLimbBits>(z[3], m.fraction[0]);
    const Parts a1 = split<kLimbBits>(z[4], m.fraction[1]);
    const Parts a2 = split<kLimbBits>(z[5], m.fraction[2]);
    Real quotient1 = L::add_real(split<2 * kLimbBits>(z[4], m.fraction[0]).low,
                                 split<2 * kLimbBits>(z[5], m.fraction[1]).low);
    quotient1 = L::add_real(L::add_real(a0.high, a1.high), L::add_real(a2.high, quotient1));
    const Parts b0 = split<0>(z[2], m.fraction[0]);
    const Parts b1 = split<0>(z[3], m.fraction[1]);
    const Parts b2 = split<0>(z[4], m.fraction[2]);
    const Parts b3 = split<0>(z[5], m.fraction[3]);
    Real fraction = L::mul_real(z[1], m.fraction[0]);
    fraction = L::mul_add(z[2], m.fraction[1], fraction);
    fraction = L::mul_add(z[3], m.fraction[2], fraction);
    fraction = L::mul_add(z[4], m.fraction[3], fraction);
    fraction = L::add_real(fraction,
                           L::add_real(L::add_real(b0.low, b1.low), L::add_real(b2.low, b3.low)));
    const Real quotient0 =
        L::add_real(L::add_real(L::add_real(a0.low, a1.low), L::add_real(a2.low, b3.high)),
                    L::add_real(b0.high, L::add_real(b1.high, b2.high)));
    const Real whole = nearest<0>(fraction);
    fraction = L::sub_real(fraction, whole);
    // z - (quotient + whole) * q modulo 2^92.
    const Parts c00 = split<kLimbBits>(quotient0, m.q[0]);
    const Real c01 = split<2 * kLimbBits>(quotient0, m.q[1]).low;
    const Real c10 = split<2 * kLimbBits>(quotient1, m.q[0]).low;
    const Real x0 = L::sub_mul(L::sub_real(z[0], c00.low), whole, m.q[0]);
    Real x1 = L::sub_real(L::sub_real(z[1], c10), L::add_real(c00.high, c01));
    x1 = L::sub_mul(x1, whole, m.q[1]);
    x1 = L::sub_real(x1, nearest<2 * kLimbBits>(x1));
    const Real rest = L::mul_sub(fraction, m.rounded, x1);
    const Element product = element(x0, x1, nearest<2 * kLimbBits>(rest));
    expect_multiple<0>(quotient0, 0x1p52);
    expect_multiple<kLimbBits>(quotient1, 0x1p52);
    expect_near(rest, real(product, 2), 0x1p90);
    expect_limbs(product, 0x1p48, 0x1p45, 0x1.1p31);
    return product;
  }

  /// x in [-q/2, q/2] -> x mod q.
  RINGLET_INLINE static Element positive(const Element& x, const WideModulus& m) {
    const Real sign = estimate(x);
    const auto limb = [&](int i) __attribute__((always_inline)) {
      return L::add_real(real(x, i), L::where_negative(sign, m.q[i]));
    };
    return element(limb(0), limb(1), limb(2));
  }
};

}  // namespace ringlet::kernels
