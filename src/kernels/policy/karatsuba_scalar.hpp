// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ringlet/export.hpp"

namespace ringlet::kernels {

/// One sum at a time, for the base products of Karatsuba's recursion.
struct KaratsubaScalarLimbs {
  using Vec = std::uint32_t;

  static constexpr std::size_t kWords = 1;
  static constexpr std::size_t kTilePlanes = 1;

  RINGLET_INLINE static Vec load(const std::uint32_t* p) {
    Vec pair;
    __builtin_memcpy(&pair, p, sizeof(pair));
    return pair;
  }
  RINGLET_INLINE static Vec broadcast_pair(const std::uint32_t* p) { return load(p); }
  RINGLET_INLINE static Vec add_pairs(Vec sum, Vec x, Vec y) {
    const std::int32_t low = half(x) * half(y);
    const std::int32_t high = half(x >> 16) * half(y >> 16);
    return sum + static_cast<std::uint32_t>(low) + static_cast<std::uint32_t>(high);
  }
  RINGLET_INLINE static void store_digits(std::uint64_t* to, Vec d0, Vec d1, Vec d2) {
    *to = extended(d0) + (extended(d1) << 16) + (extended(d2) << 32);
  }

 private:
  RINGLET_INLINE static std::uint64_t extended(Vec x) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(x)));
  }
  RINGLET_INLINE static std::int32_t half(std::uint32_t x) {
    return static_cast<std::int16_t>(static_cast<std::uint16_t>(x));
  }
};

/// The same with chunks in one piece. A load is of two words, of which only the first is used.
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
