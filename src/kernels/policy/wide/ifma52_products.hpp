// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arith/double_word.hpp"
#include "kernels/policy/ifma52/bundle512_ifma.hpp"
#include "kernels/wide/wide_kernel.hpp"

// Products of limbs of 52 bits, in which IFMA's arithmetics of double words differ. B = 2^52.

namespace ringlet::kernels {

/// How a product by a factor w is reduced.
///   shoup:       by floor(w * B^3 / q), any q
///   special:     as shoup, for q = k * 2^104 + 1, whose multiples take one product
///   montgomery:  by factors w * B^3 mod q, any q: half the words, more products
enum class Ifma52Reduction { shoup, special, montgomery };

/// Three limbs of N vectors of elements, or the words of a factor for each of them.
template <int N>
struct Limbs52 {
  Bundle512<N> limb[3];
};
template <int N, int kWords>
struct Factors52 {
  Bundle512<N> word[kWords];
};

template <Ifma52Reduction kReduction>
struct Ifma52Products {
  using Vec = __m512i;

  static constexpr bool kIsSpecial = kReduction == Ifma52Reduction::special;
  static constexpr bool kIsMontgomery = kReduction == Ifma52Reduction::montgomery;
  /// Products by factors are in [0, kProductRange * q).
  static constexpr int kProductRange = kIsMontgomery ? 2 : 7;
  /// Shifted by 8 bits more than the shift that makes q 124 bits long, a quotient has 8 binary
  /// digits after the point. These absorb the low parts that the sums of high products leave out.
  /// Only special moduli share one shift, so that they keep their form.
  static constexpr LimbFormat kFormat{
      .limb_bits = 52,
      .limb_count = 3,
      .factor = kIsMontgomery ? WideFactor::montgomery : WideFactor::quotient,
      .barrett_bits = 132,
      .barrett_exponent = 268,
      .barrett_shift = kIsSpecial ? 8 : 0,
      .forward_growth = kProductRange,
      .inverse_multiple = 8,
      .inverse_doubles = true};

  template <int N>
  using Factors = Factors52<N, kFormat.factor_words()>;

  /// `negated` is B^3 - q, `shifted` B^3 - q * 2^(shift - 8), for special q B - k in limb 2 of
  /// both; `reciprocal` is floor(2^268 / (q * 2^shift)).
  struct Modulus {
    Vec negated[3];
    Vec shifted[3];
    Vec reciprocal[3];
    Vec inverse;  ///< -q^-1 modulo B.
    Vec q[3];
    Vec mask;     ///< B - 1.
    Vec integer;  ///< Mask of all but the digits after the point.
    Vec shift;
    Vec shift_complement;  ///< 52 - shift.
    Vec shift_top;         ///< 40 - shift.
    Vec shift_low;         ///< 12 + shift.
    Vec shift_high;        ///< 24 + shift.
  };

  /// The digits of a sum of products, base B.
  template <int N>
  struct Sum {
    Bundle512<N> digit[5];
  };

  RINGLET_INLINE static Modulus make_modulus(const WideConstants& c) {
    Modulus m;
    const auto shift = static_cast<std::uint64_t>(c.shift);
    const uint128_t negated = 0 - (join_words(c.words[0], c.words[1]) << (shift - 8));
    // B^3 is beyond 2^128: its bits from there on are ones.
    const std::uint64_t shifted[3] = {
        low_word(negated), low_word(negated >> 52),
        low_word(negated >> 104) | (kMask ^ ((std::uint64_t{1} << 24) - 1))};
    for (int i = 0; i < 3; ++i) {
      m.negated[i] = set(c.negated[i]);
      m.shifted[i] = set(shifted[i] & kMask);
      m.reciprocal[i] = set(c.quotient[i]);
      m.q[i] = set(c.q[i]);
    }
    if constexpr (kIsSpecial) {
      m.negated[2] = set(kMask + 1 - c.q[2]);
      m.shifted[2] = m.negated[2];
    }
    m.inverse = set((0 - c.inverse[0]) & kMask);
    m.mask = set(kMask);
    m.integer = set(~std::uint64_t{255});
    m.shift = set(shift);
    m.shift_complement = set(52 - shift);
    m.shift_top = set(40 - shift);
    m.shift_low = set(12 + shift);
    m.shift_high = set(24 + shift);
    return m;
  }

  /// y*w mod q plus up to kProductRange - 1 times q, modulo B^3; y in [0, B^3), carries added.
  template <int N>
  RINGLET_INLINE static Limbs52<N> multiply(const Limbs52<N>& y, const Factors<N>& w,
                                            const Modulus& m) {
    if constexpr (kIsMontgomery) {
      return multiply_montgomery(y, w, m);
    } else {
      const Limbs52<N> quotient = high_product(y, w.word[3], w.word[4], w.word[5]);
      Limbs52<N> r{{zero<N>(), zero<N>(), zero<N>()}};
      add_low_product(r, y, w.word[0], w.word[1], w.word[2]);
      subtract_product(r, quotient, m.negated);
      return r;
    }
  }

  /// r - quotient * q for a quotient of one limb.
  template <int N>
  RINGLET_INLINE static void subtract_multiple(Limbs52<N>& r, const Bundle512<N>& quotient,
                                               const Modulus& m) {
    if constexpr (kIsSpecial) {
      r.limb[0] = r.limb[0] - quotient;
    } else {
      r.limb[0] = low52(r.limb[0], quotient, m.negated[0]);
      r.limb[1] = high52(low52(r.limb[1], quotient, m.negated[1]), quotient, m.negated[0]);
      r.limb[2] = high52(r.limb[2], quotient, m.negated[1]);
    }
    r.limb[2] = low52(r.limb[2], quotient, m.negated[2]);
  }

  /// Limbs of words; products do not read the bits above bit 51.
  template <int N>
  RINGLET_INLINE static Limbs52<N> split(const Bundle512<N>& low, const Bundle512<N>& high) {
    return {{low, funnel_shift<52>(low, high), high >> 40U}};
  }
  /// Limbs of words times 2^shift, likewise.
  template <int N>
  RINGLET_INLINE static Limbs52<N> split_shifted(const Bundle512<N>& low, const Bundle512<N>& high,
                                                 const Modulus& m) {
    return {{low << m.shift, funnel_shift(low, high, m.shift_complement), high >> m.shift_top}};
  }

  template <int N>
  RINGLET_INLINE static Sum<N> no_sum() {
    return {{zero<N>(), zero<N>(), zero<N>(), zero<N>(), zero<N>()}};
  }
  /// The high limbs are below 2^28 and 2^20: their product has no high half.
  template <int N>
  RINGLET_INLINE static void add_product(Sum<N>& sum, const Limbs52<N>& a, const Limbs52<N>& b) {
    const auto& x = a.limb;
    const auto& y = b.limb;
    auto& t = sum.digit;
    t[0] = low52(t[0], x[0], y[0]);
    t[1] = low52(low52(high52(t[1], x[0], y[0]), x[0], y[1]), x[1], y[0]);
    // Two chains for each digit: half the latency.
    t[2] = low52(high52(t[2], x[0], y[1]), x[1], y[1]) +
           low52(low52(high52(zero<N>(), x[1], y[0]), x[0], y[2]), x[2], y[0]);
    t[3] = low52(high52(t[3], x[1], y[1]), x[1], y[2]) +
           low52(high52(high52(zero<N>(), x[0], y[2]), x[2], y[0]), x[2], y[1]);
    t[4] = low52(high52(high52(t[4], x[1], y[2]), x[2], y[1]), x[2], y[2]);
  }

  /// Barrett's reduction of a sum of products of elements and shifted elements, to [0, 2q), as
  /// words.
  template <int N>
  RINGLET_INLINE static void reduce(const Sum<N>& sum, Bundle512<N>& low, Bundle512<N>& high,
                                    const Modulus& m) {
    const auto& t = sum.digit;
    // floor(sum / B^2) without carries from digits 0 and 1, less than 2^-8 of a quotient.
    Limbs52<N> top;
    top.limb[0] = t[2];
    top.limb[1] = t[3] + (t[2] >> 52U);
    top.limb[2] = t[4] + (top.limb[1] >> 52U);
    Limbs52<N> quotient =
        high_product(top, Bundle512<N>::all(m.reciprocal[0]), Bundle512<N>::all(m.reciprocal[1]),
                     Bundle512<N>::all(m.reciprocal[2]));
    quotient.limb[0] = quotient.limb[0] & m.integer;
    Limbs52<N> r{{t[0], t[1], t[2]}};
    subtract_product(r, quotient, m.shifted);
    const Bundle512<N> middle = r.limb[1] + shift_signed(r.limb[0], 52);
    Bundle512<N> last = r.limb[2] + shift_signed(middle, 52);
    if constexpr (!kIsSpecial) last = last & m.mask;  // a shift by 8 pushes it out
    low = funnel_shift(r.limb[0] << 12U, middle, m.shift_low);
    high = funnel_shift(middle << 12U, last, m.shift_high);
  }

 private:
  static constexpr std::uint64_t kMask = (std::uint64_t{1} << 52) - 1;

  RINGLET_INLINE static Vec set(std::uint64_t x) {
    return _mm512_set1_epi64(static_cast<long long>(x));
  }
  template <int N>
  RINGLET_INLINE static Bundle512<N> zero() {
    return Bundle512<N>::zero();
  }

  /// floor(x*y / B^3) or up to 5 less, carries not added; those from limbs 0 to 2 are left out.
  template <int N>
  RINGLET_INLINE static Limbs52<N> high_product(const Limbs52<N>& a, const Bundle512<N>& y0,
                                                const Bundle512<N>& y1, const Bundle512<N>& y2) {
    const auto& x = a.limb;
    const Bundle512<N> first = low52(high52(high52(zero<N>(), x[0], y2), x[2], y0), x[2], y1);
    const Bundle512<N> second = low52(high52(zero<N>(), x[1], y1), x[1], y2);
    return {{first + second, low52(high52(high52(zero<N>(), x[1], y2), x[2], y1), x[2], y2),
             high52(zero<N>(), x[2], y2)}};
  }
  /// r + x*y modulo B^3.
  template <int N>
  RINGLET_INLINE static void add_low_product(Limbs52<N>& r, const Limbs52<N>& a,
                                             const Bundle512<N>& y0, const Bundle512<N>& y1,
                                             const Bundle512<N>& y2) {
    const auto& x = a.limb;
    auto& z = r.limb;
    z[0] = low52(z[0], x[0], y0);
    z[1] = low52(low52(high52(z[1], x[0], y0), x[0], y1), x[1], y0);
    z[2] = low52(high52(z[2], x[0], y1), x[1], y1) +
           low52(low52(high52(zero<N>(), x[1], y0), x[0], y2), x[2], y0);
  }
  /// r - z*q modulo B^3 for a z whose carries are not added. A multiple of k * B^2 + 1 is z itself
  /// and z*k in limb 2.
  template <int N>
  RINGLET_INLINE static void subtract_product(Limbs52<N>& r, const Limbs52<N>& z,
                                              const Vec (&negated)[3]) {
    if constexpr (kIsSpecial) {
      r.limb[2] = low52(r.limb[2], z.limb[0], negated[2]);
      for (int i = 0; i < 3; ++i) r.limb[i] = r.limb[i] - z.limb[i];
    } else {
      const Bundle512<N> middle = z.limb[1] + (z.limb[0] >> 52U);
      const Limbs52<N> carried{{z.limb[0], middle, z.limb[2] + (middle >> 52U)}};
      add_low_product(r, carried, Bundle512<N>::all(negated[0]), Bundle512<N>::all(negated[1]),
                      Bundle512<N>::all(negated[2]));
    }
  }

  /// Limb by limb: each step makes one more limb of the product zero by a multiple of q.
  template <int N>
  RINGLET_INLINE static Limbs52<N> multiply_montgomery(const Limbs52<N>& y, const Factors<N>& w,
                                                       const Modulus& m) {
    // Low halves and high halves have a sum each: half the latency.
    Bundle512<N> t[6];
    Bundle512<N> s[6];
    for (int i = 0; i < 6; ++i) t[i] = s[i] = zero<N>();
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        t[i + j] = low52(t[i + j], y.limb[i], w.word[j]);
        s[i + j + 1] = high52(s[i + j + 1], y.limb[i], w.word[j]);
      }
    }
    for (int i = 0; i < 3; ++i) {
      const Bundle512<N> digit = t[i] + s[i];
      const Bundle512<N> factor = low52(zero<N>(), digit, m.inverse);
      // The low 52 bits become zero, and the rest of the digit is carried.
      const Bundle512<N> rest = low52(digit, factor, m.q[0]) >> 52U;
      t[i + 1] = low52(t[i + 1] + rest, factor, m.q[1]);
      s[i + 1] = high52(s[i + 1], factor, m.q[0]);
      t[i + 2] = low52(t[i + 2], factor, m.q[2]);
      s[i + 2] = high52(s[i + 2], factor, m.q[1]);
      s[i + 3] = high52(s[i + 3], factor, m.q[2]);
    }
    return {{t[3] + s[3], t[4] + s[4], t[5] + s[5]}};
  }
};

}  // namespace ringlet::kernels
