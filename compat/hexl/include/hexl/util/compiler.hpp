// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <stdint.h>

#include "hexl/util/defines.hpp"
#include "hexl/util/types.hpp"

namespace intel {
namespace hexl {

/// Returns x * y.
inline uint128_t MultiplyUInt64(uint64_t x, uint64_t y) { return static_cast<uint128_t>(x) * y; }

/// Writes the two words of x * y.
inline void MultiplyUInt64(uint64_t x, uint64_t y, uint64_t* prod_hi, uint64_t* prod_lo) {
  const uint128_t product = MultiplyUInt64(x, y);
  *prod_hi = static_cast<uint64_t>(product >> 64);
  *prod_lo = static_cast<uint64_t>(product);
}

/// Returns floor(x * y / 2^BitShift), modulo 2^64.
template <int BitShift>
inline uint64_t MultiplyUInt64Hi(uint64_t x, uint64_t y) {
  return static_cast<uint64_t>(MultiplyUInt64(x, y) >> BitShift);
}

/// Returns floor((x1 * 2^64 + x0) / y), modulo 2^64. Variable time.
/// @throws std::invalid_argument if y == 0.
inline uint64_t DivideUInt128UInt64Lo(uint64_t x1, uint64_t x0, uint64_t y) {
  if (y == 0) throw std::invalid_argument("DivideUInt128UInt64Lo: y = 0; limit: y at least 1");
  return static_cast<uint64_t>(((static_cast<uint128_t>(x1) << 64) | x0) / y);
}

/// Returns (input_hi * 2^64 + input_lo) mod modulus, for any words. Variable time: divides by
/// `modulus`.
/// @throws std::invalid_argument if modulus == 0.
inline uint64_t BarrettReduce128(uint64_t input_hi, uint64_t input_lo, uint64_t modulus) {
  if (modulus == 0) {
    throw std::invalid_argument("BarrettReduce128: modulus = 0; limit: modulus at least 1");
  }
  return static_cast<uint64_t>(((static_cast<uint128_t>(input_hi) << 64) | input_lo) % modulus);
}

/// Returns the index of the highest set bit of `input`; 0 for 0.
inline uint64_t MSB(uint64_t input) {
  return input == 0 ? 0 : static_cast<uint64_t>(63 - __builtin_clzll(input));
}

}  // namespace hexl
}  // namespace intel

#if defined(__clang__)
#define HEXL_LOOP_UNROLL_4 _Pragma("clang loop unroll_count(4)")
#define HEXL_LOOP_UNROLL_8 _Pragma("clang loop unroll_count(8)")
#else
#define HEXL_LOOP_UNROLL_4 _Pragma("GCC unroll 4")
#define HEXL_LOOP_UNROLL_8 _Pragma("GCC unroll 8")
#endif
