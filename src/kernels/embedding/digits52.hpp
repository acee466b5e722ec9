// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/embedding/digits.hpp"

namespace ringlet::kernels {

/// Digits modulo primes in [2^14, 2^50), over lanes A with products of words of 52 bits:
///   add_product(low, high, x, y), make_sum_divisor(prime), reduce_sum(low, high, divisor)
/// The sums of low and of high words of up to 2^12 products fit their lanes.
template <typename A>
struct Digits52 {
  using Vec = typename A::Vec;

  static constexpr std::size_t kTile = kCombineTile;

  static void compute(std::uint64_t* digits, const CombineArguments& a, std::size_t first,
                      std::size_t) {
    for (std::size_t i = 0; i < a.radix.count; ++i) {
      const std::uint64_t* constants = a.radix.constants52 + i * (i + 1) / 2;
      const std::uint64_t* residues = a.residues + i * a.stride + first;
      Vec low[kVectors];
      Vec high[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v) low[v] = high[v] = A::broadcast(0);
      add_products(low, high, residues, constants[i]);
      for (std::size_t j = 0; j < i; ++j) {
        add_products(low, high, digits + j * kTile, constants[j]);
      }
      const auto divisor = A::make_sum_divisor(a.radix.primes[i]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        A::store(digits + i * kTile + v * A::kLanes, A::reduce_sum(low[v], high[v], divisor));
      }
    }
  }

 private:
  static constexpr std::size_t kVectors = kTile / A::kLanes;

  RINGLET_INLINE static void add_products(Vec (&low)[kVectors], Vec (&high)[kVectors],
                                          const std::uint64_t* x, std::uint64_t constant) {
    const Vec c = A::broadcast(constant);
    for (std::size_t v = 0; v < kVectors; ++v) {
      A::add_product(low[v], high[v], A::load(x + v * A::kLanes), c);
    }
  }
};

/// Digits modulo primes below 2^61, over the same lanes with words of two limbs:
///   split(x), broadcast_limbs(word), add_product(sum, x, y), make_limb_divisor(prime),
///   reduce_sum(sum, divisor)
template <typename A>
struct Digits104 {
  using Vec = typename A::Vec;
  using Sum = typename A::LimbAccumulator;

  static constexpr std::size_t kTile = kCombineTile;

  static void compute(std::uint64_t* digits, const CombineArguments& a, std::size_t first,
                      std::size_t) {
    for (std::size_t i = 0; i < a.radix.count; ++i) {
      const std::uint64_t* constants = a.radix.constants104 + i * (i + 1) / 2;
      Sum sums[kVectors];
      for (Sum& sum : sums) {
        for (Vec& limb : sum.limb) limb = A::broadcast(0);
      }
      add_products(sums, a.residues + i * a.stride + first, constants[i]);
      for (std::size_t j = 0; j < i; ++j) add_products(sums, digits + j * kTile, constants[j]);
      const auto divisor = A::make_limb_divisor(a.radix.primes[i]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        A::store(digits + i * kTile + v * A::kLanes, A::reduce_sum(sums[v], divisor));
      }
    }
  }

  static void combine(const CombineArguments& a) {
    if (a.radix.constants52 != nullptr) {
      EmbeddingDigits<A>::template combine<Digits52<A>>(a, 0);
    } else {
      EmbeddingDigits<A>::template combine<Digits104>(a, 0);
    }
  }

 private:
  static constexpr std::size_t kVectors = kTile / A::kLanes;

  RINGLET_INLINE static void add_products(Sum (&sums)[kVectors], const std::uint64_t* x,
                                          std::uint64_t constant) {
    const auto c = A::broadcast_limbs(constant);
    for (std::size_t v = 0; v < kVectors; ++v) {
      A::add_product(sums[v], A::split(A::load(x + v * A::kLanes)), c);
    }
  }
};

}  // namespace ringlet::kernels
