// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <stddef.h>
#include <stdexcept>
#include <stdint.h>
#include <vector>

#include "hexl/util/check.hpp"
#include "hexl/util/compiler.hpp"
#include "hexl/util/defines.hpp"

// Arithmetic on single words. Functions that generate, test or invert are for public values: their
// time depends on the values.

namespace intel {
namespace hexl {

/// A factor w of products modulo q with its quotient floor(w * 2^bit_shift / q), which avoids a
/// division.
class MultiplyFactor {
 public:
  MultiplyFactor() : operand_(0), barrett_factor_(0) {}

  /// Computes the quotient.
  /// @throws std::invalid_argument unless operand <= modulus, modulus >= 1 and bit_shift is 32, 52
  ///         or 64.
  MultiplyFactor(uint64_t operand, uint64_t bit_shift, uint64_t modulus) : operand_(operand) {
    if (operand > modulus) {
      throw std::invalid_argument("MultiplyFactor: the operand is above the modulus");
    }
    if (bit_shift != 32 && bit_shift != 52 && bit_shift != 64) {
      throw std::invalid_argument("MultiplyFactor: bit_shift must be 32, 52 or 64");
    }
    const uint128_t shifted = static_cast<uint128_t>(operand) << bit_shift;
    barrett_factor_ = DivideUInt128UInt64Lo(static_cast<uint64_t>(shifted >> 64),
                                            static_cast<uint64_t>(shifted), modulus);
  }

  uint64_t BarrettFactor() const { return barrett_factor_; }
  uint64_t Operand() const { return operand_; }

 private:
  uint64_t operand_;
  uint64_t barrett_factor_;
};

inline bool IsPowerOfTwo(uint64_t num) { return num != 0 && (num & (num - 1)) == 0; }

/// Returns floor(log2(x)); 0 for 0.
inline uint64_t Log2(uint64_t x) { return MSB(x); }

inline bool IsPowerOfFour(uint64_t num) { return IsPowerOfTwo(num) && Log2(num) % 2 == 0; }

/// Returns 2^bits - 1.
/// @throws std::invalid_argument if bits > 64.
inline uint64_t MaximumValue(uint64_t bits) {
  if (bits > 64) throw std::invalid_argument("MaximumValue: more than 64 bits");
  return bits == 0 ? 0 : std::numeric_limits<uint64_t>::max() >> (64 - bits);
}

/// Returns the low `bit_width` bits of x in reverse order.
/// @throws std::invalid_argument if bit_width > 64.
HEXL_RINGLET_API uint64_t ReverseBits(uint64_t x, uint64_t bit_width);

/// Returns the inverse of x modulo `modulus`, in [1, modulus); 0 for the modulus 1.
/// @throws std::invalid_argument if x and modulus have a common factor, or unless modulus is in
///         [1, 2^63).
HEXL_RINGLET_API uint64_t InverseMod(uint64_t x, uint64_t modulus);

/// Returns x * y mod modulus, for any words. Uses a division of 128 bits by 64.
/// @throws std::invalid_argument if modulus == 0.
HEXL_RINGLET_API uint64_t MultiplyMod(uint64_t x, uint64_t y, uint64_t modulus);

/// Returns x * y mod modulus, for any x, y < modulus < 2^63 and
/// y_precon = floor(y * 2^64 / modulus).
HEXL_RINGLET_API uint64_t MultiplyMod(uint64_t x, uint64_t y, uint64_t y_precon, uint64_t modulus);

/// Returns x + y mod modulus, for x, y < modulus.
HEXL_RINGLET_API uint64_t AddUIntMod(uint64_t x, uint64_t y, uint64_t modulus);

/// Returns x - y mod modulus, for x, y < modulus.
HEXL_RINGLET_API uint64_t SubUIntMod(uint64_t x, uint64_t y, uint64_t modulus);

/// Returns base^exp mod modulus, for any words.
/// @throws std::invalid_argument if modulus == 0.
HEXL_RINGLET_API uint64_t PowMod(uint64_t base, uint64_t exp, uint64_t modulus);

/// Returns true if root has order exactly `degree` modulo the prime `modulus`.
/// @throws std::invalid_argument unless degree is a power of two, at least 2, and modulus is in
///         [2, 2^63).
HEXL_RINGLET_API bool IsPrimitiveRoot(uint64_t root, uint64_t degree, uint64_t modulus);

/// Returns an element of order `degree` modulo the prime `modulus`, always the same element; 0 if
/// there is none.
/// @throws std::invalid_argument as IsPrimitiveRoot.
HEXL_RINGLET_API uint64_t GeneratePrimitiveRoot(uint64_t degree, uint64_t modulus);

/// Returns the smallest element of order `degree` modulo the prime `modulus`. Costs degree / 2
/// multiplications.
/// @throws std::invalid_argument if modulus is not prime, or degree is not a power of two, at least
///         2, that divides modulus - 1.
HEXL_RINGLET_API uint64_t MinimalPrimitiveRoot(uint64_t degree, uint64_t modulus);

/// Returns a number in [0, 2 * modulus) congruent to x * y_operand, for x < 2^BitShift,
/// y_operand < modulus < 2^(BitShift - 1) and
/// y_barrett_factor = floor(y_operand * 2^BitShift / modulus).
template <int BitShift>
inline uint64_t MultiplyModLazy(uint64_t x, uint64_t y_operand, uint64_t y_barrett_factor,
                                uint64_t modulus) {
  return x * y_operand - MultiplyUInt64Hi<BitShift>(x, y_barrett_factor) * modulus;
}

/// Returns the same as the function above, but computes y_barrett_factor itself, for BitShift 52 or
/// 64. Uses a division of 128 bits by 64.
template <int BitShift>
inline uint64_t MultiplyModLazy(uint64_t x, uint64_t y, uint64_t modulus) {
  static_assert(BitShift == 52 || BitShift == 64, "BitShift must be 52 or 64");
  return MultiplyModLazy<BitShift>(x, y, MultiplyFactor(y, BitShift, modulus).BarrettFactor(),
                                   modulus);
}

/// Computes *result = operand1 + operand2 modulo 2^64 and returns the carry.
inline unsigned char AddUInt64(uint64_t operand1, uint64_t operand2, uint64_t* result) {
  *result = operand1 + operand2;
  return static_cast<unsigned char>(*result < operand1);
}

/// Returns true if n is prime. Exact for every n.
HEXL_RINGLET_API bool IsPrime(uint64_t n);

/// Returns `num_primes` primes q between 2^bit_size and 2^(bit_size + 1), thus of bit_size + 1
/// bits, with q = 1 mod 2 * ntt_size: the smallest in increasing order, or the largest in
/// decreasing order.
/// @throws std::invalid_argument if ntt_size is not a power of two below 2^bit_size, bit_size is
///         outside [1, 62], or there are too few such primes.
HEXL_RINGLET_API std::vector<uint64_t> GeneratePrimes(size_t num_primes, size_t bit_size,
                                                      bool prefer_small_primes,
                                                      size_t ntt_size = 1);

/// Returns input mod modulus, for q_barr = floor(2^64 / modulus) and a modulus below 2^63. With
/// OutputModFactor 2 the result is in [0, 2 * modulus).
template <int OutputModFactor = 1>
uint64_t BarrettReduce64(uint64_t input, uint64_t modulus, uint64_t q_barr) {
  const uint64_t rest = input - MultiplyUInt64Hi<64>(input, q_barr) * modulus;
  return OutputModFactor == 2 || rest < modulus ? rest : rest - modulus;
}

/// Returns x mod modulus, for x in [0, InputModFactor * modulus) and a factor of 1, 2, 4 or 8.
/// `twice_modulus` is read for 4 and 8, `four_times_modulus` for 8.
/// @throws std::invalid_argument if a pointer that is read is null.
template <int InputModFactor>
uint64_t ReduceMod(uint64_t x, uint64_t modulus, const uint64_t* twice_modulus = nullptr,
                   const uint64_t* four_times_modulus = nullptr) {
  static_assert(
      InputModFactor == 1 || InputModFactor == 2 || InputModFactor == 4 || InputModFactor == 8,
      "InputModFactor must be 1, 2, 4 or 8");
  if ((InputModFactor >= 4 && twice_modulus == nullptr) ||
      (InputModFactor == 8 && four_times_modulus == nullptr)) {
    throw std::invalid_argument("ReduceMod: a multiple of the modulus is null");
  }
  if (InputModFactor == 8 && x >= *four_times_modulus) x -= *four_times_modulus;
  if (InputModFactor >= 4 && x >= *twice_modulus) x -= *twice_modulus;
  if (InputModFactor >= 2 && x >= modulus) x -= modulus;
  return x;
}

/// Returns T / 2^r mod q for T = T_hi * 2^BitShift + T_lo < q * 2^r, an odd q < 2^r, r <= 63,
/// mod_R_msk = 2^r - 1 and inv_mod = -1 / q mod 2^r. BitShift is 52 or 64. Montgomery, "Modular
/// multiplication without trial division".
template <int BitShift>
inline uint64_t MontgomeryReduce(uint64_t T_hi, uint64_t T_lo, uint64_t q, int r,
                                 uint64_t mod_R_msk, uint64_t inv_mod) {
  static_assert(BitShift == 52 || BitShift == 64, "BitShift must be 52 or 64");
  const uint128_t t = (static_cast<uint128_t>(T_hi) << BitShift) + T_lo;
  const uint64_t m = ((T_lo & mod_R_msk) * inv_mod) & mod_R_msk;
  const uint64_t sum = static_cast<uint64_t>((t + MultiplyUInt64(m, q)) >> r);
  return sum >= q ? sum - q : sum;
}

/// Returns x in [0, 2^r) with q * x = -1 mod 2^r, for an odd q and r in [1, 64]. Newton's
/// iteration.
/// @throws std::invalid_argument if q is even or r is out of range.
inline uint64_t HenselLemma2adicRoot(uint32_t r, uint64_t q) {
  if (q % 2 == 0 || r < 1 || r > 64) {
    throw std::invalid_argument("HenselLemma2adicRoot: needs an odd q and r from 1 to 64");
  }
  uint64_t inverse = q;  // correct in three bits; a step doubles their number
  for (int bits = 3; bits < 64; bits *= 2) inverse *= 2 - q * inverse;
  return (0 - inverse) & MaximumValue(r);
}

}  // namespace hexl
}  // namespace intel
