// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/embedding/embedding_kernel.hpp"
#include "kernels/embedding/words.hpp"

// Integers from their residues to real numbers, over lanes A:
//   Flags:                        a truth value per lane
//   no_flags()
//   above(x, half, flags):        x > half, or x = half and the flag; x, half < 2^63
//   complement_where(x, top, f):  top - x where the flag is set
//   to_real(x):                   words below 2^63 -> the nearest doubles
//   real_where(f, r):             r where the flag is set, else 0
//   negate_where(r, f):           -r where the flag is set
// A class Digits writes the digits of kTile integers from residues[i * stride] on, limb by limb.

namespace ringlet::kernels {

/// Word arithmetic: sums of products in two words, and one Montgomery reduction per digit.
template <typename A>
struct WordDigits {
  static constexpr std::size_t kTile = 8;

  static void compute(std::uint64_t* digits, const CombineArguments& a, std::size_t first,
                      std::size_t used) {
    for (std::size_t t = 0; t < kTile; t += kGroup) compute_group(digits + t, a, first, used, t);
  }

 private:
  /// The number of integers whose sums stay in registers.
  static constexpr std::size_t kGroup = 4;
  /// The sum of this many products of a word below 2^61 and a word below q is below q * 2^64.
  static constexpr std::size_t kRun = 8;

  RINGLET_INLINE static void compute_group(std::uint64_t* digits, const CombineArguments& a,
                                           std::size_t first, std::size_t used, std::size_t start) {
    for (std::size_t i = 0; i < a.radix.count; ++i) {
      const std::uint64_t* constants = a.radix.constants64 + i * (i + 1) / 2;
      const std::uint64_t* residues = a.residues + i * a.stride + first;
      const std::uint64_t q = a.radix.primes[i].q;
      const std::uint64_t inverse = a.radix.primes[i].inverse;
      uint128_t sums[kGroup];
      for (std::size_t t = 0; t < kGroup; ++t) {
        const std::size_t place = start + t < used ? start + t : 0;
        sums[t] = static_cast<uint128_t>(residues[place]) * constants[i];
      }
      for (std::size_t j = 0; j < i;) {
        const std::size_t end = j + kRun < i ? j + kRun : i;
        for (; j < end; ++j) {
          for (std::size_t t = 0; t < kGroup; ++t) {
            sums[t] += static_cast<uint128_t>(digits[j * kTile + t]) * constants[j];
          }
        }
        for (uint128_t& sum : sums) sum = reduce_upper(sum, q);
      }
      for (std::size_t t = 0; t < kGroup; ++t) digits[i * kTile + t] = reduce(sums[t], q, inverse);
    }
  }

  /// Reduces a sum below 2q * 2^64 modulo q * 2^64.
  RINGLET_INLINE static uint128_t reduce_upper(uint128_t sum, std::uint64_t q) {
    const std::uint64_t upper = subtract_if_at_least(static_cast<std::uint64_t>(sum >> 64), q);
    return (static_cast<uint128_t>(upper) << 64) | static_cast<std::uint64_t>(sum);
  }
  /// Returns sum / 2^64 modulo q in [0, q), for a sum below q * 2^64, after a subtraction of the
  /// multiple of q with the same lower word.
  RINGLET_INLINE static std::uint64_t reduce(uint128_t sum, std::uint64_t q,
                                             std::uint64_t inverse) {
    const std::uint64_t multiple = static_cast<std::uint64_t>(sum) * inverse;
    const std::uint64_t rest =
        opaque(static_cast<std::uint64_t>(sum >> 64) - mul_high(multiple, q));
    return rest + (q & opaque(std::uint64_t{0} - (rest >> 63)));
  }
};

/// What follows the digits: the sign and the weighted sum.
template <typename A>
struct EmbeddingDigits {
  using Real = typename A::Real;
  using Vec = typename A::Vec;
  using Flags = typename A::Flags;

  static void combine_words(const CombineArguments& a) { combine<WordDigits<A>>(a, 0); }

  /// Computes tiles by Digits, then the rest by WordDigits.
  template <typename Digits>
  static void combine(const CombineArguments& a, std::size_t first) {
    constexpr std::size_t kTile = Digits::kTile;
    for (; first + kTile <= a.count; first += kTile) {
      Digits::compute(a.scratch, a, first, kTile);
      sum<kTile>(a.values + first, a.scratch, a);
    }
    if (first == a.count) return;
    if constexpr (kTile > WordDigits<A>::kTile) {
      combine<WordDigits<A>>(a, first);
    } else {
      double values[kTile];
      Digits::compute(a.scratch, a, first, a.count - first);
      sum<kTile>(values, a.scratch, a);
      __builtin_memcpy(a.values + first, values, (a.count - first) * sizeof *values);
    }
  }

 private:
  /// Digit i of (Q - 1)/2 is (q_i - 1)/2: a later digit overrules earlier ones unless it is equal.
  /// The magnitude of a negative integer is the number with the complements as digits, plus 1.
  template <std::size_t kTile>
  RINGLET_INLINE static void sum(double* values, const std::uint64_t* digits,
                                 const CombineArguments& a) {
    constexpr std::size_t kVectors = kTile / A::kLanes;
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::uint64_t* column = digits + v * A::kLanes;
      Flags negative = A::no_flags();
      for (std::size_t i = 0; i < a.radix.count; ++i) {
        const Vec half = A::broadcast(a.radix.primes[i].q / 2);
        negative = A::above(A::load(column + i * kTile), half, negative);
      }
      Real total = A::real_where(negative, A::broadcast_real(a.weights[0]));
      for (std::size_t i = 0; i < a.radix.count; ++i) {
        const Vec top = A::broadcast(a.radix.primes[i].q - 1);
        const Vec digit = A::complement_where(A::load(column + i * kTile), top, negative);
        const Real weight = A::broadcast_real(a.weights[i]);
        total = A::add_real(total, A::mul_real(A::to_real(digit), weight));
      }
      A::store_real(values + v * A::kLanes, A::negate_where(total, negative));
    }
  }
};

}  // namespace ringlet::kernels
