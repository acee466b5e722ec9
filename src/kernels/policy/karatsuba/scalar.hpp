// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ringlet/base/export.hpp"

namespace ringlet::kernels {

/// Four 32-bit lanes in the compiler's own vectors, which use what the processor has: NEON on
/// aarch64.
struct KaratsubaPortableLimbs {
  using Vec = std::int32_t __attribute__((vector_size(16)));

  static constexpr std::size_t kWords = 4;
  static constexpr std::size_t kTilePlanes = 1;

  RINGLET_INLINE static Vec load(const std::uint32_t* p) {
    Vec pairs;
    __builtin_memcpy(&pairs, p, sizeof(pairs));
    return pairs;
  }
  RINGLET_INLINE static Vec broadcast_pair(const std::uint32_t* p) {
    std::int32_t pair;
    __builtin_memcpy(&pair, p, sizeof(pair));
    return Vec{} + pair;
  }
  RINGLET_INLINE static Vec add_pairs(Vec sum, Vec x, Vec y) {
    return sum + (x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16);
  }
  RINGLET_INLINE static void store_digits(std::uint64_t* to, Vec d0, Vec d1, Vec d2) {
    for (std::size_t i = 0; i < kWords; ++i) {
      to[i] = extended(d0[i]) + (extended(d1[i]) << 16) + (extended(d2[i]) << 32);
    }
  }

 private:
  RINGLET_INLINE static std::uint64_t extended(std::int32_t x) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
  }
};

/// One sum at a time, of whole chunks. A load reads the first of two words and skips the second.
struct KaratsubaScalarChunks {
  using Vec = std::int64_t;

  static constexpr std::size_t kWords = 2;
  static constexpr int kTileRows = 3;

  RINGLET_INLINE static Vec load(const std::uint32_t* p) { return static_cast<std::int32_t>(*p); }
  RINGLET_INLINE static Vec broadcast(const std::uint32_t* p) { return load(p); }
  RINGLET_INLINE static Vec add_product(Vec sum, Vec x, Vec y) { return sum + x * y; }
  RINGLET_INLINE static void store_alternating(std::uint64_t* to, Vec even, Vec odd) {
    to[0] = static_cast<std::uint64_t>(even);
    to[1] = static_cast<std::uint64_t>(odd);
  }
};

}  // namespace ringlet::kernels
