// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/embedding/words.hpp"

// Real numbers to integers and to residues, over lanes A:
//   Vec:                          kLanes words
//   load, store, broadcast, add, sub
//   real_bits(r), magnitude(x), larger(x, y):  words of doubles, without the sign, as integers
//   round(x, offset):             bits of doubles -> integers, offset = shift - 1075
//   kMinReduced, kMaxReduced, make_divisor(q), reduce(x, d):  signed words of at most 2^62 in
//                                 magnitude -> residues, for kMinReduced <= q < kMaxReduced

namespace ringlet::kernels {

template <typename A>
struct EmbeddingIntegers {
  using Vec = typename A::Vec;

  static std::uint64_t largest(const double* values, std::size_t count) {
    constexpr std::size_t kStep = 4 * A::kLanes;
    Vec found[4];
    for (Vec& one : found) one = A::broadcast(0);
    std::size_t i = 0;
    for (; i + kStep <= count; i += kStep) {
      for (std::size_t k = 0; k < 4; ++k) {
        const Vec x = A::magnitude(A::real_bits(A::load_real(values + i + k * A::kLanes)));
        found[k] = A::larger(found[k], x);
      }
    }
    std::uint64_t words[A::kLanes];
    A::store(words, A::larger(A::larger(found[0], found[1]), A::larger(found[2], found[3])));
    std::uint64_t result = 0;
    for (const std::uint64_t word : words) result = larger_word(result, word);
    for (; i < count; ++i) result = larger_word(result, bits_of(values[i]) & kMagnitudeBits);
    return result;
  }

  static void round(std::uint64_t* result, const double* values, std::size_t count, int shift) {
    const std::int64_t offset = shift - kExponentBias;
    const Vec offsets = A::broadcast(static_cast<std::uint64_t>(offset));
    std::size_t i = 0;
    for (; i + A::kLanes <= count; i += A::kLanes) {
      A::store(result + i, A::round(A::real_bits(A::load_real(values + i)), offsets));
    }
    for (; i < count; ++i) result[i] = round_word(bits_of(values[i]), offset);
  }

  static void reduce(std::uint64_t* result, const std::uint64_t* values, std::size_t count,
                     std::uint64_t q, BarrettRatio ratio) {
    std::size_t i = 0;
    if (q >= A::kMinReduced && q < A::kMaxReduced) {
      const auto divisor = A::make_divisor(q);
      for (; i + A::kLanes <= count; i += A::kLanes) {
        A::store(result + i, A::reduce(A::load(values + i), divisor));
      }
    }
    for (; i < count; ++i) result[i] = reduce_signed(values[i], q, ratio);
  }
};

}  // namespace ringlet::kernels
