// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "kernels/policy/harvey64/scalar64.hpp"

namespace ringlet::kernels {

/// One word at a time, for Samples and SignedResidues.
struct SamplingScalar64 : Scalar64 {
  struct Scale {
    std::uint64_t factor;
    std::uint64_t quotient;
    std::uint64_t q;
  };
  static constexpr std::size_t kFieldBytes = 1;
  static constexpr int kScaleBits = 64;
  static constexpr int kScaleModulusBits = 62;

  RINGLET_INLINE static Vec bit_and(Vec x, Vec y) { return x & y; }
  RINGLET_INLINE static Vec bit_xor(Vec x, Vec y) { return x ^ y; }
  RINGLET_INLINE static Vec load_bytes(const std::uint8_t* p) { return load_little_endian<8>(p); }
  RINGLET_INLINE static Vec load_sixes(const std::uint8_t* p) { return load_little_endian<6>(p); }
  /// Branch- and table-free, unlike what __builtin_popcountll may call on a baseline processor.
  RINGLET_INLINE static Vec count_ones(Vec x) {
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (x * 0x0101010101010101u) >> 56;
  }
  RINGLET_INLINE static void store_small(std::int8_t* p, Vec x) {
    *p = static_cast<std::int8_t>(static_cast<std::int64_t>(x));
  }
  RINGLET_INLINE static std::size_t append_below(std::uint64_t* p, Vec x, Vec bound) {
    *p = x;
    return static_cast<std::size_t>(x < bound);
  }
  RINGLET_INLINE static std::size_t append_fields(std::int8_t* p, const std::uint8_t* bytes) {
    std::size_t filled = 0;
    for (unsigned shift = 0; shift < 8; shift += 2) {
      const unsigned field = (unsigned{*bytes} >> shift) & 3;
      p[filled] = static_cast<std::int8_t>(static_cast<int>(field) - 1);
      filled += static_cast<std::size_t>(field != 3);
    }
    return filled;
  }

  template <typename Integer>
  RINGLET_INLINE static Vec load_signed(const Integer* p) {
    return static_cast<Vec>(static_cast<std::int64_t>(*p));
  }
  RINGLET_INLINE static Scale make_scale(std::uint64_t q, std::uint64_t w, std::uint64_t v) {
    return {w, v, q};
  }
  RINGLET_INLINE static Vec scale(Vec x, const Scale& s) {
    return reduce_once(mul_mod_lazy(x, s.factor, s.quotient, s.q), s.q);
  }

 private:
  template <std::size_t kBytes>
  RINGLET_INLINE static Vec load_little_endian(const std::uint8_t* p) {
    std::uint64_t word = 0;
    __builtin_memcpy(&word, p, kBytes);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word;
  }
};

}  // namespace ringlet::kernels
