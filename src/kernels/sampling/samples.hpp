// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/policy.hpp"
#include "kernels/sampling/sampling_kernel.hpp"

namespace ringlet::kernels {

/// A policy offers these to samples besides VectorPolicy:
///   load_bytes(p):         kLanes words of 8 bytes, the least significant first
///   load_sixes(p):         kLanes words of 6 bytes, the least significant first; reads no more
///   count_ones(x):         the number of ones in every word
///   store_small(p, x):     the low byte of every word
///   append_below(p, x, b): stores the words of x in [0, 2^63) that are below b, in order, and
///                          returns how many; writes kLanes words
///   append_fields(p, b):   stores f - 1 for the fields f of kFieldBytes bytes that are not 3, in
///                          order, and returns how many; writes 4 * kFieldBytes bytes
template <typename A>
concept SamplingPolicy = VectorPolicy<A> && requires(Vec<A> x, const std::uint8_t* bytes,
                                                     std::int8_t* small, std::uint64_t* words) {
  { A::kFieldBytes } -> std::convertible_to<std::size_t>;
  { A::load_bytes(bytes) } -> std::same_as<Vec<A>>;
  { A::load_sixes(bytes) } -> std::same_as<Vec<A>>;
  { A::count_ones(x) } -> std::same_as<Vec<A>>;
  { A::store_small(small, x) } -> std::same_as<void>;
  { A::append_below(words, x, x) } -> std::same_as<std::size_t>;
  { A::append_fields(small, bytes) } -> std::same_as<std::size_t>;
  { A::bit_and(x, x) } -> std::same_as<Vec<A>>;
  { A::bit_xor(x, x) } -> std::same_as<Vec<A>>;
};

template <SamplingPolicy A>
struct Samples {
  static void binomial(std::int8_t* result, std::size_t count, const std::uint8_t* bytes) {
    std::size_t i = 0;
    for (; i + kLanes<A> <= count; i += kLanes<A>) {
      A::store_small(result + i, difference(bytes + kBinomialBytes * i));
    }
    if (i == count) return;
    std::uint8_t last[kBinomialBytes * kLanes<A>] = {};
    std::int8_t samples[kLanes<A>];
    for (std::size_t k = 0; k < kBinomialBytes * (count - i); ++k) {
      last[k] = bytes[kBinomialBytes * i + k];
    }
    A::store_small(samples, difference(last));
    for (std::size_t k = 0; k < count - i; ++k) result[i + k] = samples[k];
  }

  static std::size_t sample_ternary(std::int8_t* result, std::size_t room,
                                    const std::uint8_t* bytes, std::size_t byte_count) {
    std::size_t filled = 0;
    std::size_t i = 0;
    for (; i + A::kFieldBytes <= byte_count && filled + 4 * A::kFieldBytes <= room;
         i += A::kFieldBytes) {
      filled += A::append_fields(result + filled, bytes + i);
    }
    for (; i < byte_count; ++i) {
      for (unsigned shift = 0; shift < 8 && filled < room; shift += 2) {
        const unsigned field = (unsigned{bytes[i]} >> shift) & 3;
        result[filled] = static_cast<std::int8_t>(static_cast<int>(field) - 1);
        filled += static_cast<std::size_t>(field != 3);
      }
    }
    return filled;
  }

  static std::size_t sample_uniform(std::uint64_t* result, std::size_t room,
                                    const std::uint8_t* bytes, std::size_t byte_count,
                                    std::uint64_t mask, std::uint64_t bound) {
    const Vec<A> masks = A::broadcast(mask);
    const Vec<A> bounds = A::broadcast(bound);
    std::size_t filled = 0;
    std::size_t i = 0;
    for (; i + 8 * kLanes<A> <= byte_count && filled + kLanes<A> <= room; i += 8 * kLanes<A>) {
      const Vec<A> words = A::bit_and(A::load_bytes(bytes + i), masks);
      filled += A::append_below(result + filled, words, bounds);
    }
    for (; i + 8 <= byte_count && filled < room; i += 8) {
      std::uint64_t word = 0;
      for (std::size_t k = 0; k < 8; ++k) word |= std::uint64_t{bytes[i + k]} << (8 * k);
      word &= mask;
      result[filled] = word;
      filled += static_cast<std::size_t>(word < bound);
    }
    return filled;
  }

 private:
  // ones(low) - ones(high) = ones(low) + ones(not high) - 21: one count instead of two.
  RINGLET_INLINE static Vec<A> difference(const std::uint8_t* bytes) {
    constexpr std::uint64_t kSide = (std::uint64_t{1} << kBinomialSideBits) - 1;
    const Vec<A> flipped = A::broadcast(kSide << kBinomialSideBits);
    const Vec<A> both = A::broadcast(kSide | (kSide << kBinomialSideBits));
    const Vec<A> word = A::bit_and(A::bit_xor(A::load_sixes(bytes), flipped), both);
    return A::sub(A::count_ones(word), A::broadcast(kBinomialSideBits));
  }
};

}  // namespace ringlet::kernels
