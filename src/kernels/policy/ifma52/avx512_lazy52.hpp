// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/harvey64/avx512_harvey64.hpp"
#include "kernels/policy/ifma52/lazy_policy.hpp"

namespace ringlet::kernels {

/// Lazy arithmetic on eight 52-bit words with the 52-bit multiply-add (AVX512-IFMA), q < 2^50. The
/// instructions multiply the low 52 bits of each lane and add to all 64 bits, so that no
/// intermediate value has to be masked.
struct Avx512Lazy52 : Avx512Lanes {
  using Modulus = LazyModulus<Avx512Lazy52>;
  using Fraction = Twiddle<Avx512Lazy52>;

  RINGLET_INLINE static Modulus make_modulus(const LazyConstants& c) {
    return {constant(c.q),
            constant(0 - c.q / 2),
            constant(kFractionRounding),
            constant(kFractionRounding + kLazyWord / 2),
            constant(c.quotient),
            constant(kLazyWord - c.q),
            {constant(c.one.operand), constant(c.one.quotient)}};
  }

  RINGLET_INLINE static Vec product(Vec y, const Fraction& w, const Modulus& m) {
    return residue(fraction(m.rounding, y, w), m);
  }
  RINGLET_INLINE static Vec product_from(Vec start, Vec y, const Fraction& w, const Modulus& m) {
    return _mm512_madd52hi_epu64(start, fraction(m.centred_rounding, y, w), m.q);
  }
  RINGLET_INLINE static Vec fraction(Vec rounding, Vec y, const Fraction& w) {
    const Vec f = _mm512_madd52hi_epu64(rounding, y, w.operand);
    return _mm512_madd52lo_epu64(f, y, w.quotient);
  }
  RINGLET_INLINE static Vec residue(Vec f, const Modulus& m) {
    return _mm512_madd52hi_epu64(_mm512_setzero_si512(), f, m.q);
  }
  /// Barrett's reduction of one word.
  RINGLET_INLINE static Vec reduce_from(Vec negated_count, Vec x, const Modulus& m) {
    const Vec count = _mm512_madd52hi_epu64(negated_count, x, m.quotient);
    return _mm512_madd52lo_epu64(x, count, m.negated);
  }
  RINGLET_INLINE static Vec add_low(Vec sum, Vec x, Vec y) {
    return _mm512_madd52lo_epu64(sum, x, y);
  }
  RINGLET_INLINE static Vec add_high(Vec sum, Vec x, Vec y) {
    return _mm512_madd52hi_epu64(sum, x, y);
  }
  RINGLET_INLINE static Vec carry(Vec x) { return _mm512_srli_epi64(x, kLazyWordBits); }
  RINGLET_INLINE static Vec permuted(Vec x, const std::uint64_t* places) {
    return _mm512_permutexvar_epi64(load(places), x);
  }
  RINGLET_INLINE static Vec low_word(Vec x) {
    return _mm512_and_si512(x, broadcast(kLazyWord - 1));
  }

  RINGLET_INLINE static Vec load_halves(const std::uint32_t* p) {
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  RINGLET_INLINE static void store_halves(std::uint32_t* p, Vec x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi64_epi32(x));
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
  /// Three steps that together load eight vectors from `from` on and transpose them. With
  /// kExchanged their halves are exchanged, as store_exchanged leaves them. Loads and stores of
  /// half a vector take any unit or none; on Zen 4 a permutation of 128-bit blocks takes a unit
  /// that also multiplies.
  template <int kStep, bool kExchanged, typename Word>
  RINGLET_INLINE static void transpose_step(Vec (&x)[8], const Word* from) {
    Vec y[8];
    unroll<4>([&](auto i) __attribute__((always_inline)) {
      constexpr int kPair = decltype(i)::value;
      if constexpr (kStep == 0 && kExchanged) {
        y[2 * kPair] = load(from + 2 * kPair * 8);
        y[2 * kPair + 1] = load(from + (2 * kPair + 1) * 8);
      } else if constexpr (kStep == 0) {
        constexpr int kFirst = kPair / 2 * 4 + kPair % 2;
        const Word* const first = from + kFirst * 8;
        const Word* const second = first + 2 * 8;
        y[kFirst] = load_two_halves(first, second);
        y[kFirst + 2] = load_two_halves(first + 4, second + 4);
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
  /// Three steps that together transpose x and store it at `to`.
  template <int kStep, typename Word>
  RINGLET_INLINE static void transposed_store_step(Vec (&x)[8], Word* to) {
    unroll<4>([&](auto i) __attribute__((always_inline)) {
      constexpr int kPair = decltype(i)::value;
      constexpr int kFirst = kStep == 0 ? 2 * kPair : kPair / 2 * 4 + kPair % 2;
      constexpr int kSecond = kFirst + kStep + 1;
      if constexpr (kStep == 0) {
        const Vec low = _mm512_unpacklo_epi64(x[kFirst], x[kSecond]);
        x[kSecond] = _mm512_unpackhi_epi64(x[kFirst], x[kSecond]);
        x[kFirst] = low;
      } else if constexpr (kStep == 1) {
        const Vec even = _mm512_shuffle_i64x2(x[kFirst], x[kSecond], 0x88);
        x[kSecond] = _mm512_shuffle_i64x2(x[kFirst], x[kSecond], 0xdd);
        x[kFirst] = even;
      } else {
        store_two(to + kPair * 8, to + (kPair + 4) * 8, x[kPair], x[kPair + 4]);
      }
    });
  }
  /// Makes the compiler have computed all of these at this place.
  RINGLET_INLINE static void keep_order(Vec (&x)[8], Vec& a, Vec& b, Vec& c, Vec& d) {
    asm volatile(""
                 : "+v"(x[0]), "+v"(x[1]), "+v"(x[2]), "+v"(x[3]), "+v"(x[4]), "+v"(x[5]),
                   "+v"(x[6]), "+v"(x[7]), "+v"(a), "+v"(b), "+v"(c), "+v"(d));
  }
  /// Aligns the frame of the calling function, so that registers that it keeps there do not cross
  /// cache lines: compilers align the frame only as far as the stack.
  RINGLET_INLINE static void align_frame() {
    alignas(64) std::uint64_t word;
    asm volatile("" : "=m"(word));
  }
  /// `w`, hidden from the compiler like the constants of the modulus.
  RINGLET_INLINE static Fraction hidden(Fraction w) {
    asm("" : "+v"(w.operand), "+v"(w.quotient));
    return w;
  }

 private:
  /// Four words at `low` in the lower lanes and four at `high` in the upper ones.
  RINGLET_INLINE static Vec load_two_halves(const std::uint64_t* low, const std::uint64_t* high) {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(low));
    return _mm512_mask_loadu_epi64(_mm512_castsi256_si512(words), 0xf0, high - 4);
  }
  RINGLET_INLINE static Vec load_two_halves(const std::uint32_t* low, const std::uint32_t* high) {
    const auto four = [](const std::uint32_t* p) __attribute__((always_inline)) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    };
    return _mm512_cvtepu32_epi64(_mm256_set_m128i(four(high), four(low)));
  }
  /// Stores the even 128-bit blocks of a and b at `even` and the odd ones at `odd`.
  RINGLET_INLINE static void store_two(std::uint64_t* even, std::uint64_t* odd, Vec a, Vec b) {
    store(even, _mm512_shuffle_i64x2(a, b, 0x88));
    store(odd, _mm512_shuffle_i64x2(a, b, 0xdd));
  }
  RINGLET_INLINE static void store_two(std::uint32_t* even, std::uint32_t* odd, Vec a, Vec b) {
    const Vec order = _mm512_setr_epi32(0, 2, 8, 10, 16, 18, 24, 26, 4, 6, 12, 14, 20, 22, 28, 30);
    const Vec words = _mm512_permutex2var_epi32(a, order, b);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(even), _mm512_castsi512_si256(words));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(odd), _mm512_extracti64x4_epi64(words, 1));
  }
  /// `word` in all lanes, hidden from the compiler, which would compute it again at every use.
  RINGLET_INLINE static Vec constant(std::uint64_t word) {
    Vec x = broadcast(word);
    asm("" : "+v"(x));
    return x;
  }
};

}  // namespace ringlet::kernels
