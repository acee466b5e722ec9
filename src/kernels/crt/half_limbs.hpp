// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/crt/residue_kernel.hpp"
#include "kernels/policy/policy.hpp"

// Residues modulo a wide q in limbs of 28 bits, for processors that multiply 32-bit halves: the
// quotient, the remainder and its words. docs/notes/wide_product.md derives the ranges.

namespace ringlet::kernels {

inline constexpr int kHalfLimbBits = 28;
inline constexpr std::uint64_t kHalfLimbMask = (std::uint64_t{1} << kHalfLimbBits) - 1;
inline constexpr int kMaxHalfLimbs = 5;
/// Bits of each of the two parts in which Barrett's quotient is multiplied.
inline constexpr int kQuotientPartBits = 26;
inline constexpr std::uint64_t kQuotientPartMask = (std::uint64_t{1} << kQuotientPartBits) - 1;

/// Returns limb k of an integer of words.
RINGLET_INLINE std::uint64_t half_limb(const std::uint64_t (&words)[kResidueWords], int k) {
  const int bit = k * kHalfLimbBits;
  const int word = bit / 64;
  const int shift = bit % 64;
  if (word >= static_cast<int>(kResidueWords)) return 0;
  std::uint64_t limb = words[word] >> shift;
  if (shift != 0 && word + 1 < static_cast<int>(kResidueWords)) {
    limb |= words[word + 1] << (64 - shift);
  }
  return limb & kHalfLimbMask;
}

/// What a policy offers besides HalfWords:
///   load_signed(p), load_signed_partial(p, n): signed integers of 32 bits as words
///   left(x, n), right(x, n), right_signed(x, n): shifts of words by 0 <= n < 64
///   both(x, y): bitwise and
///   unless_negative(t, x, y): x where the signed word t is negative, else y
template <typename A, int kLimbs>
struct HalfLimbReduction {
  using V = Vec<A>;

  /// An integer below 2^(shift + 52), as signed limbs of less than 2^62.
  struct Limbs {
    V limb[kLimbs + 2];
  };

  /// Constants of a call.
  struct Constants {
    std::uint64_t q[kLimbs];
    std::uint64_t quotient_high;
    std::uint64_t quotient_low;
    int shift;  ///< MixedRadixDigits::shift inside the highest limb.
    std::size_t word_count;
  };

  RINGLET_INLINE static Constants constants(const MixedRadixDigits& d) {
    Constants c;
    for (int k = 0; k < kLimbs; ++k) c.q[k] = half_limb(d.q, k);
    c.quotient_high = d.quotient >> (12 + kQuotientPartBits);
    c.quotient_low = d.quotient >> 12 & kQuotientPartMask;
    c.shift = d.shift - kHalfLimbBits * (kLimbs - 1);
    c.word_count = d.word_count;
    return c;
  }

  RINGLET_INLINE static V low_limb(V x) { return A::both(x, A::broadcast(kHalfLimbMask)); }

  /// Carries from each limb below `count` - 1 into the limb above it.
  template <int count, typename L>
  RINGLET_INLINE static void propagate(L& s) {
    unroll<count - 1>([&](auto k) __attribute__((always_inline)) {
      s.limb[k + 1] = A::add(s.limb[k + 1], A::right_signed(s.limb[k], kHalfLimbBits));
      s.limb[k] = low_limb(s.limb[k]);
    });
  }

  /// Returns floor(s / 2^shift) times the constant, without its low 52 bits: s / q less at most 2.
  RINGLET_INLINE static V quotient(const Limbs& s, const Constants& c) {
    V top = A::right(s.limb[kLimbs - 1], c.shift);
    top = A::add(top, A::left(s.limb[kLimbs], kHalfLimbBits - c.shift));
    top = A::add(top, A::left(s.limb[kLimbs + 1], 2 * kHalfLimbBits - c.shift));
    const V high = A::right(top, kQuotientPartBits);
    const V low = A::both(top, A::broadcast(kQuotientPartMask));
    const V m1 = A::broadcast(c.quotient_high);
    const V m0 = A::broadcast(c.quotient_low);
    V middle = A::right(A::mul_half(low, m0), kQuotientPartBits);
    middle = A::add(middle, A::add(A::mul_half(high, m0), A::mul_half(low, m1)));
    return A::add(A::mul_half(high, m1), A::right(middle, kQuotientPartBits));
  }

  /// Reduces s modulo q to canonical limbs.
  RINGLET_INLINE static void reduce(Limbs& s, const Constants& c) {
    propagate<kLimbs + 2>(s);
    s.limb[kLimbs + 1] = low_limb(s.limb[kLimbs + 1]);
    const V multiple = quotient(s, c);
    const V low = low_limb(multiple);
    const V high = A::right(multiple, kHalfLimbBits);
    unroll<kLimbs>([&](auto k) __attribute__((always_inline)) {
      const V q = A::broadcast(c.q[k]);
      s.limb[k] = A::sub(s.limb[k], A::mul_half(low, q));
      s.limb[k + 1] = A::sub(s.limb[k + 1], A::mul_half(high, q));
    });
    // The rest is below 3q: in the limbs above, all except two bits cancel.
    const V top = A::add(s.limb[kLimbs], A::left(s.limb[kLimbs + 1], kHalfLimbBits));
    s.limb[kLimbs - 1] = A::add(s.limb[kLimbs - 1], A::left(top, kHalfLimbBits));
    propagate<kLimbs>(s);
    subtract_once(s, c);
    subtract_once(s, c);
  }
  RINGLET_INLINE static void subtract_once(Limbs& s, const Constants& c) {
    Limbs t;
    unroll<kLimbs>([&](auto k) __attribute__((always_inline)) {
      t.limb[k] = A::sub(s.limb[k], A::broadcast(c.q[k]));
    });
    propagate<kLimbs>(t);
    unroll<kLimbs>([&](auto k) __attribute__((always_inline)) {
      s.limb[k] = A::unless_negative(t.limb[kLimbs - 1], s.limb[k], t.limb[k]);
    });
  }

  /// Stores the words of canonical limbs.
  template <typename Memory>
  RINGLET_INLINE static void store(const Limbs& s, std::uint64_t* const (&results)[kResidueWords],
                                   std::size_t i, const Constants& c, const Memory& memory) {
    V word = s.limb[0];
    if constexpr (kLimbs > 1) word = A::add(word, A::left(s.limb[1], 28));
    if constexpr (kLimbs > 2) word = A::add(word, A::left(s.limb[2], 56));
    memory.store(results[0] + i, word);
    if constexpr (kLimbs > 2) {
      if (c.word_count < 2) return;
      word = A::right(s.limb[2], 8);
      if constexpr (kLimbs > 3) word = A::add(word, A::left(s.limb[3], 20));
      if constexpr (kLimbs > 4) word = A::add(word, A::left(s.limb[4], 48));
      memory.store(results[1] + i, word);
    }
    if constexpr (kLimbs > 4) {
      if (c.word_count > 2) memory.store(results[2] + i, A::right(s.limb[4], 16));
    }
  }
};

/// Vectors of words.
template <typename A>
struct WholeVectors {
  RINGLET_INLINE Vec<A> load(const std::uint64_t* from) const { return A::load(from); }
  RINGLET_INLINE void store(std::uint64_t* to, Vec<A> x) const { A::store(to, x); }
};

/// Vectors of which only the first `count` words exist.
template <typename A>
struct PartialVectors {
  std::size_t count;
  RINGLET_INLINE Vec<A> load(const std::uint64_t* from) const {
    return A::load_partial(from, count);
  }
  RINGLET_INLINE void store(std::uint64_t* to, Vec<A> x) const { A::store_partial(to, x, count); }
};

/// Calls step(i, summand, memory) for all vectors of `count` coefficients, the last one in part.
template <typename A, typename Step>
RINGLET_INLINE void for_each_sum(std::size_t count, const std::int32_t* e, const Step& step) {
  std::size_t i = 0;
  for (; i + kLanes<A> <= count; i += kLanes<A>) {
    step(i, e == nullptr ? A::broadcast(0) : A::load_signed(e + i), WholeVectors<A>{});
  }
  if (i == count) return;
  const std::size_t rest = count - i;
  step(i, e == nullptr ? A::broadcast(0) : A::load_signed_partial(e + i, rest),
       PartialVectors<A>{rest});
}

/// Calls `Kernel<limbs>::run(arguments)` for as many limbs as q has.
template <template <int> typename Kernel, typename Arguments>
RINGLET_INLINE void with_half_limbs(const Arguments& arguments) {
  switch (arguments.digits->shift / kHalfLimbBits) {
    case 0:
      return Kernel<1>::run(arguments);
    case 1:
      return Kernel<2>::run(arguments);
    case 2:
      return Kernel<3>::run(arguments);
    case 3:
      return Kernel<4>::run(arguments);
    default:
      return Kernel<5>::run(arguments);
  }
}

}  // namespace ringlet::kernels
