// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/avx512_harvey64.hpp"
#include "kernels/policy/lazy_policy.hpp"

namespace ringlet::kernels {

/// Lazy arithmetic on eight 52-bit words with the 52-bit multiply-add (AVX512-IFMA), q < 2^50. The
/// instructions multiply the low 52 bits of each lane and add to all 64 bits, so that nothing has
/// to be masked on the way.
struct Avx512Lazy52 : Avx512Lanes {
  using Modulus = LazyModulus<Avx512Lazy52>;
  using Fraction = Twiddle<Avx512Lazy52>;

  /// Stages 0 and 1 exchange groups of four and of two lanes, whose twiddles repeat: stored as
  /// pairs in 128 bits, each takes one instruction to spread.
  static constexpr LaneLayout kLaneLayout{
      3, {4, 4, 8}, {{0, 0, 1, 1}, {0, 2, 1, 3}, {0, 1, 4, 5, 2, 3, 6, 7}}, 0b011};

  RINGLET_INLINE static Modulus make_modulus(const LazyConstants& c) {
    return {constant(c.q),
            constant(0 - c.q / 2),
            constant(kFractionRounding),
            constant(kFractionRounding + kLazyWord / 2),
            constant(c.quotient),
            constant(kLazyWord - c.q),
            constant(c.bias),
            constant(0 - forward_bias_count(c.forward.per_reduction)),
            {constant(c.one.operand), constant(c.one.quotient)}};
  }

  RINGLET_INLINE static Vec product(Vec y, const Fraction& w, const Modulus& m) {
    Vec x[] = {y};
    products(x, {w}, m.rounding, _mm512_setzero_si512(), m);
    return x[0];
  }
  RINGLET_INLINE static Vec product_from(Vec start, Vec y, const Fraction& w, const Modulus& m) {
    Vec x[] = {y};
    products(x, {w}, m.centred_rounding, start, m);
    return x[0];
  }
  template <int n>
  RINGLET_INLINE static void centred_products(Vec (&y)[n], const Fraction (&w)[n],
                                              const Modulus& m) {
    products(y, w, m.centred_rounding, m.negated_half, m);
  }
  /// Barrett's reduction of one word.
  RINGLET_INLINE static Vec reduce(Vec x, const Modulus& m) {
    return reduce_from(m.negated_count, x, m);
  }
  RINGLET_INLINE static Vec reduce_from(Vec negated_count, Vec x, const Modulus& m) {
    const Vec count = _mm512_madd52hi_epu64(negated_count, x, m.quotient);
    return _mm512_madd52lo_epu64(x, count, m.negated);
  }
  RINGLET_INLINE static Vec low_word(Vec x) {
    return _mm512_and_si512(x, broadcast(kLazyWord - 1));
  }

  template <int v>
  RINGLET_INLINE static Fraction lane_twiddle(const std::uint64_t* words) {
    const Vec first = load(words);
    if constexpr (v < 2) {
      return {_mm512_unpacklo_epi64(first, first), _mm512_unpackhi_epi64(first, first)};
    } else {
      return {first, load(words + 8)};
    }
  }

  /// Of the permutations of two vectors only the last one reads three registers: on Zen 4 those
  /// take from the multipliers.
  template <int v>
  RINGLET_INLINE static void to_lane_stage(Vec& a, Vec& b) {
    const Vec x = a;
    if constexpr (v == 0) {
      a = _mm512_shuffle_i64x2(x, b, 0x44);
      b = _mm512_shuffle_i64x2(x, b, 0xee);
    } else if constexpr (v == 1) {
      a = _mm512_shuffle_i64x2(x, b, 0x88);
      b = _mm512_shuffle_i64x2(x, b, 0xdd);
    } else if constexpr (v == 2) {
      a = _mm512_unpacklo_epi64(x, b);
      b = _mm512_unpackhi_epi64(x, b);
    } else {
      a = _mm512_permutex2var_epi64(x, _mm512_setr_epi64(0, 8, 1, 9, 4, 12, 5, 13), b);
      b = _mm512_permutex2var_epi64(x, _mm512_setr_epi64(2, 10, 3, 11, 6, 14, 7, 15), b);
    }
  }

  /// Stores x as row `row` of eight vectors at `to` whose halves are exchanged: the high half of
  /// row r with the low half of row r + 2.
  template <int row>
  RINGLET_INLINE static void store_exchanged(std::uint64_t* to, Vec x) {
    constexpr bool kUpper = (row & 2) != 0;
    std::uint64_t* const low = to + (kUpper ? (row - 2) * 8 + 4 : row * 8);
    std::uint64_t* const high = to + (kUpper ? row * 8 + 4 : (row + 2) * 8);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(low), _mm512_castsi512_si256(x));
    _mm512_mask_storeu_epi64(high - 4, 0xf0, x);
  }
  /// Three steps that together load eight vectors from `from` on, their halves exchanged as
  /// store_exchanged has them or not, and transpose them. What memory can do it does: loads and
  /// stores of half a vector take any unit or none, a permutation of 128-bit blocks one that is a
  /// multiplier too on Zen 4.
  template <int kStep, bool kExchanged>
  RINGLET_INLINE static void transpose_step(Vec (&x)[8], const std::uint64_t* from) {
    Vec y[8];
    unroll<4>([&](auto i) __attribute__((always_inline)) {
      constexpr int kPair = decltype(i)::value;
      if constexpr (kStep == 0 && kExchanged) {
        y[2 * kPair] = load(from + 2 * kPair * 8);
        y[2 * kPair + 1] = load(from + (2 * kPair + 1) * 8);
      } else if constexpr (kStep == 0) {
        constexpr int kFirst = kPair / 2 * 4 + kPair % 2;
        const std::uint64_t* const second = from + (kFirst + 2) * 8;
        y[kFirst] = with_high_half(load(from + kFirst * 8), second - 4);
        y[kFirst + 2] = with_high_half(load_low_half(from + kFirst * 8 + 4), second);
      } else if constexpr (kStep == 1) {
        y[2 * kPair] = _mm512_unpacklo_epi64(x[2 * kPair], x[2 * kPair + 1]);
        y[2 * kPair + 1] = _mm512_unpackhi_epi64(x[2 * kPair], x[2 * kPair + 1]);
      } else {
        constexpr int kColumn = kPair / 2 * 4 + kPair % 2;
        y[kColumn] = _mm512_shuffle_i64x2(x[kPair], x[kPair + 4], 0x88);
        y[kColumn + 2] = _mm512_shuffle_i64x2(x[kPair], x[kPair + 4], 0xdd);
      }
    });
    unroll<8>([&](auto i) __attribute__((always_inline)) { x[i] = y[i]; });
  }
  /// Makes the compiler have all of these at this place.
  RINGLET_INLINE static void keep_order(Vec (&x)[8], Vec& a, Vec& b, Vec& c, Vec& d) {
    asm volatile(""
                 : "+v"(x[0]), "+v"(x[1]), "+v"(x[2]), "+v"(x[3]), "+v"(x[4]), "+v"(x[5]),
                   "+v"(x[6]), "+v"(x[7]), "+v"(a), "+v"(b), "+v"(c), "+v"(d));
  }
  /// `w`, hidden from the compiler like the constants of the modulus.
  RINGLET_INLINE static Fraction hidden(Fraction w) {
    asm("" : "+v"(w.operand), "+v"(w.quotient));
    return w;
  }

 private:
  RINGLET_INLINE static Vec load_low_half(const std::uint64_t* p) {
    return _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  /// The upper four lanes replaced by the words 4 to 7 from p on; the others are not read.
  RINGLET_INLINE static Vec with_high_half(Vec x, const std::uint64_t* p) {
    return _mm512_mask_loadu_epi64(x, 0xf0, p);
  }
  /// y[i] <- start + floor(f*q / 2^52), f = rounding + y[i]*w[i] in units of 2^-52 and modulo 1.
  template <int n>
  RINGLET_INLINE static void products(Vec (&y)[n], const Fraction (&w)[n], Vec rounding, Vec start,
                                      const Modulus& m) {
    Vec f[n];
    for (int i = 0; i < n; ++i) f[i] = _mm512_madd52hi_epu64(rounding, y[i], w[i].operand);
    for (int i = 0; i < n; ++i) f[i] = _mm512_madd52lo_epu64(f[i], y[i], w[i].quotient);
    for (int i = 0; i < n; ++i) y[i] = _mm512_madd52hi_epu64(start, f[i], m.q);
  }
  /// `word` in all lanes, hidden from the compiler, which would compute it anew at every use.
  RINGLET_INLINE static Vec constant(std::uint64_t word) {
    Vec x = broadcast(word);
    asm("" : "+v"(x));
    return x;
  }
};

}  // namespace ringlet::kernels
