// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/crt/residue_kernel.hpp"
#include "kernels/policy/policy.hpp"

// Integers from their residues (Garner's mixed-radix digits), reduced modulo a wide q, in limbs of
// 52 bits. docs/notes/wide_product.md derives the ranges.

namespace ringlet::kernels {

/// What a policy offers besides the products of Ifma52:
///   madd_low(s, x, y), madd_high(s, x, y): s + the low or the high 52 bits of x*y, x, y < 2^52
///   load_signed(p), load_signed_partial(p, n): signed integers of 32 bits as words
///   carry(x): x / 2^52, rounded down, of a signed word;  low_limb(x): the rest
///   shift_right(x, n), shift_left(x, n)
///   unless_negative(t, x, y): x where the signed word t is negative, else y
template <typename A, int kDigits, int kLimbs>
struct MixedRadixLoop {
  using V = Vec<A>;

  /// Limbs of an integer below 2^(52 * kLimbs + 52). The last one holds the carry.
  struct Limbs {
    V limb[kLimbs + 1];
  };

  const MixedRadixDigits d;

  RINGLET_INLINE static V constant(const std::uint64_t& word) { return A::broadcast(word); }

  /// Returns digit j, canonical, from x, its positive residue.
  template <int j>
  RINGLET_INLINE V digit(V x, const V (&before)[kDigits]) const {
    const MixedRadixDigit& m = d.digit[j];
    const V p = constant(m.p);
    const V two_p = constant(2 * m.p);
    V y = A::reduce_word(x, A::make_word_barrett(m.p, m.ratio));
    unroll<j>([&](auto i) __attribute__((always_inline)) {
      // In (0, 4p), as the primes are of one size.
      const V z = A::add(y, A::sub(two_p, before[i]));
      y = A::mul_factor52(z, constant(m.inverse[i]), constant(m.inverse_quotient[i] >> 12),
                          constant(A::negated(m.p)));
    });
    return A::reduce_once(y, p);
  }

  /// Returns the sum of the digits times their weights, plus `summand`, in canonical limbs.
  RINGLET_INLINE Limbs sum(const V (&digits)[kDigits], V summand) const {
    Limbs s;
    unroll<kLimbs>([&](auto k)
                       __attribute__((always_inline)) { s.limb[k] = constant(d.offset52[k]); });
    s.limb[kLimbs] = A::broadcast(0);
    s.limb[0] = A::add(s.limb[0], A::add(summand, digits[0]));
    unroll<kDigits - 1>([&](auto i) __attribute__((always_inline)) {
      constexpr int j = i + 1;
      unroll<kLimbs>([&](auto k) __attribute__((always_inline)) {
        const V weight = constant(d.digit[j].weight52[k]);
        s.limb[k] = A::madd_low(s.limb[k], digits[j], weight);
        s.limb[k + 1] = A::madd_high(s.limb[k + 1], digits[j], weight);
      });
    });
    unroll<kLimbs>([&](auto k) __attribute__((always_inline)) {
      s.limb[k + 1] = A::add(s.limb[k + 1], A::carry(s.limb[k]));
      s.limb[k] = A::low_limb(s.limb[k]);
    });
    return s;
  }

  /// Leaves less than 3q: Barrett's quotient is at most two too small.
  RINGLET_INLINE void subtract_quotient(Limbs& s) const {
    const int shift = d.shift - 52 * (kLimbs - 1);
    const V top = A::add(A::shift_right(s.limb[kLimbs - 1], shift),
                         A::shift_left(s.limb[kLimbs], 52 - shift));
    const V zero = A::broadcast(0);
    const V quotient = A::madd_high(zero, top, constant(d.quotient >> 12));
    V product[kLimbs + 1];
    unroll<kLimbs + 1>([&](auto k) __attribute__((always_inline)) { product[k] = zero; });
    unroll<kLimbs>([&](auto k) __attribute__((always_inline)) {
      const V q = constant(d.q52[k]);
      product[k] = A::madd_low(product[k], quotient, q);
      product[k + 1] = A::madd_high(product[k + 1], quotient, q);
    });
    unroll<kLimbs + 1>(
        [&](auto k) __attribute__((always_inline)) { s.limb[k] = A::sub(s.limb[k], product[k]); });
    s.limb[kLimbs - 1] = A::add(s.limb[kLimbs - 1], A::shift_left(s.limb[kLimbs], 52));
    propagate(s);
  }
  RINGLET_INLINE void subtract_modulus_once(Limbs& s) const {
    Limbs t;
    unroll<kLimbs>([&](auto k) __attribute__((always_inline)) {
      t.limb[k] = A::sub(s.limb[k], constant(d.q52[k]));
    });
    propagate(t);
    unroll<kLimbs>([&](auto k) __attribute__((always_inline)) {
      s.limb[k] = A::unless_negative(t.limb[kLimbs - 1], s.limb[k], t.limb[k]);
    });
  }
  /// Carries limbs to [0, 2^52), except the highest one, which keeps the sign.
  RINGLET_INLINE static void propagate(Limbs& s) {
    unroll<kLimbs - 1>([&](auto k) __attribute__((always_inline)) {
      s.limb[k + 1] = A::add(s.limb[k + 1], A::carry(s.limb[k]));
      s.limb[k] = A::low_limb(s.limb[k]);
    });
  }

  template <typename Store>
  RINGLET_INLINE void store(const Limbs& s, std::size_t i, const ReconstructArguments& r,
                            const Store& put) const {
    V word = s.limb[0];
    if constexpr (kLimbs > 1) word = A::add(word, A::shift_left(s.limb[1], 52));
    put(r.results[0] + i, word);
    if constexpr (kLimbs > 1) {
      if (d.word_count < 2) return;
      word = A::shift_right(s.limb[1], 12);
      if constexpr (kLimbs > 2) word = A::add(word, A::shift_left(s.limb[2], 40));
      put(r.results[1] + i, word);
    }
    if constexpr (kLimbs > 2) {
      if (d.word_count > 2) put(r.results[2] + i, A::shift_right(s.limb[2], 24));
    }
  }

  template <typename Store>
  RINGLET_INLINE void step(const ReconstructArguments& r, std::size_t i, V summand,
                           const Store& put) const {
    V digits[kDigits];
    unroll<kDigits>([&](auto j) __attribute__((always_inline)) {
      const V x = A::load(r.residues + static_cast<std::size_t>(j) * r.stride + i);
      digits[j] = digit<j>(A::add(x, constant(d.digit[j].shift)), digits);
    });
    Limbs s = sum(digits, summand);
    subtract_quotient(s);
    subtract_modulus_once(s);
    subtract_modulus_once(s);
    store(s, i, r, put);
  }

  RINGLET_INLINE void run(const ReconstructArguments& r) const {
    std::size_t i = 0;
    for (; i + kLanes<A> <= r.count; i += kLanes<A>) {
      const V summand = r.e == nullptr ? A::broadcast(0) : A::load_signed(r.e + i);
      step(r, i, summand,
           [](std::uint64_t* to, V x) __attribute__((always_inline)) { A::store(to, x); });
    }
    if (i == r.count) return;
    const std::size_t rest = r.count - i;
    const V summand = r.e == nullptr ? A::broadcast(0) : A::load_signed_partial(r.e + i, rest);
    step(r, i, summand, [rest](std::uint64_t* to, V x) __attribute__((always_inline)) {
      A::store_partial(to, x, rest);
    });
  }
};

template <typename A>
struct MixedRadixKernel {
  static void reconstruct(const ReconstructArguments& r) {
    with_count<kMaxResiduePrimes>(
        r.digits->count, [&](auto count) __attribute__((always_inline)) { with_digits<count>(r); });
  }

 private:
  /// Limbs of 52 bits of a q of at most 135 bits.
  static constexpr std::size_t kMaxLimbs = 3;

  template <int kDigits>
  static void with_digits(const ReconstructArguments& r) {
    with_count<kMaxLimbs>(r.digits->limb_count, [&](auto count) __attribute__((always_inline)) {
      MixedRadixLoop<A, kDigits, count>{*r.digits}.run(r);
    });
  }
};

}  // namespace ringlet::kernels
