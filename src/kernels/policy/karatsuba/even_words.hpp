// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ringlet/base/export.hpp"

namespace ringlet::kernels {

/// Karatsuba's base products, by digits and by whole chunks, on processors that multiply the even
/// 32-bit words of a vector and have no other extension of 32 to 64 bits as quick: SSE4.2 and AVX2.
/// Words W:
///   Vec, kCount                       a vector, and its 32-bit words
///   load(p), fill(x)                  kCount words, any alignment; one word everywhere
///   fill_long(x)                      one 64-bit word everywhere
///   add(x, y), add_long(x, y)         in 32-bit and in 64-bit lanes
///   multiply_add_pairs(x, y)          x_0 y_0 + x_1 y_1 of signed 16-bit halves, per 32-bit lane
///   multiply_even(x, y)               64-bit products of the even words, signed
///   shift_left_word, shift_right_word 64-bit lanes by 32 bits, zeros come in
///   bit_and(x, y)
///   store_alternating(to, even, odd)  even[0], odd[0], even[1], ...: kCount 64-bit words
template <typename W>
struct KaratsubaEvenWords {
  using Vec = typename W::Vec;

  static constexpr std::size_t kWords = W::kCount;
  static constexpr std::size_t kTilePlanes = 1;
  static constexpr int kTileRows = 5;

  RINGLET_INLINE static Vec load(const std::uint32_t* p) { return W::load(p); }
  RINGLET_INLINE static Vec broadcast(const std::uint32_t* p) {
    return W::fill(static_cast<int>(*p));
  }
  RINGLET_INLINE static Vec broadcast_pair(const std::uint32_t* p) {
    // The pair was written as two 16-bit integers.
    int pair;
    __builtin_memcpy(&pair, p, sizeof(pair));
    return W::fill(pair);
  }
  RINGLET_INLINE static Vec add_pairs(Vec sum, Vec x, Vec y) {
    return W::add(sum, W::multiply_add_pairs(x, y));
  }
  RINGLET_INLINE static Vec add_product(Vec sum, Vec x, Vec y) {
    return W::add_long(sum, W::multiply_even(x, y));
  }
  RINGLET_INLINE static void store_alternating(std::uint64_t* to, Vec even, Vec odd) {
    W::store_alternating(to, even, odd);
  }
  /// A multiplication extends the low digits; it reads the even words alone.
  RINGLET_INLINE static void store_digits(std::uint64_t* to, Vec d0, Vec d1, Vec d2) {
    const Vec high_words = W::fill_long(static_cast<long long>(0xffffffff00000000));
    const Vec even = W::add_long(low_digits(d0, d1), W::shift_left_word(d2));
    const Vec odd = W::add_long(low_digits(W::shift_right_word(d0), W::shift_right_word(d1)),
                                W::bit_and(d2, high_words));
    store_alternating(to, even, odd);
  }

 private:
  /// d0 + 2^16 d1 of the even words.
  RINGLET_INLINE static Vec low_digits(Vec d0, Vec d1) {
    return W::add_long(W::multiply_even(d0, W::fill_long(1)),
                       W::multiply_even(d1, W::fill_long(1 << 16)));
  }
};

}  // namespace ringlet::kernels
