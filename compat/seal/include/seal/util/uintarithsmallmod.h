// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "seal/modulus.h"
#include "seal/util/defines.h"
#include "seal/util/numth.h"
#include "seal/util/pointer.h"
#include "seal/util/uintarith.h"

// Arithmetic on single words modulo a modulus of at most 61 bits. "Reduced" means below the
// modulus. Ranges are a precondition and are not checked; the modulus must not be zero. Constant
// time in the operands unless stated otherwise.

namespace ringlet::seal4_util {

namespace detail {

/// Returns the high word of a*b.
inline std::uint64_t high_word(std::uint64_t a, std::uint64_t b) noexcept {
  return static_cast<std::uint64_t>(static_cast<Word128>(a) * b >> 64);
}

/// Returns all ones if x < bound, else 0, for x and bound below 2^63.
inline std::uint64_t mask_below(std::uint64_t x, std::uint64_t bound) noexcept {
  auto mask = static_cast<std::uint64_t>(static_cast<std::int64_t>(x - bound) >> 63);
  // Hides the mask from the compiler, which may turn its use into a branch.
  asm("" : "+r"(mask));
  return mask;
}

/// Returns x - q if x >= q, else x, for x < 2q.
inline std::uint64_t subtract_once(std::uint64_t x, std::uint64_t q) noexcept {
  return x - q + (q & mask_below(x, q));
}

/// Returns floor(x / modulus) modulo 2^64, or that number less 1, for any x.
inline std::uint64_t near_quotient(Word128 x, const Modulus& modulus) noexcept {
  const auto low = static_cast<std::uint64_t>(x), high = static_cast<std::uint64_t>(x >> 64);
  const std::uint64_t ratio_low = modulus.const_ratio()[0], ratio_high = modulus.const_ratio()[1];
  const Word128 outer = static_cast<Word128>(low) * ratio_high;
  const Word128 inner = static_cast<Word128>(high) * ratio_low + high_word(low, ratio_low) +
                        static_cast<std::uint64_t>(outer);
  return high * ratio_high + static_cast<std::uint64_t>(outer >> 64) +
         static_cast<std::uint64_t>(inner >> 64);
}

/// Returns x modulo the modulus, for any x.
inline std::uint64_t reduce_wide(Word128 x, const Modulus& modulus) noexcept {
  const std::uint64_t q = modulus.value();
  return subtract_once(static_cast<std::uint64_t>(x) - near_quotient(x, modulus) * q, q);
}

/// Returns the low word of floor(x / modulus) and sets `remainder`.
inline std::uint64_t divide_wide(Word128 x, const Modulus& modulus,
                                 std::uint64_t& remainder) noexcept {
  const std::uint64_t q = modulus.value(), quotient = near_quotient(x, modulus);
  remainder = static_cast<std::uint64_t>(x) - quotient * q;
  const std::uint64_t fits = mask_below(remainder, q);
  remainder = remainder - q + (q & fits);
  return quotient + 1 + fits;
}

/// Throws std::invalid_argument for an operand that is not reduced.
[[noreturn]] RINGLET_SEAL_API void refuse_operand(std::uint64_t operand, const Modulus& modulus);

}  // namespace detail

/// Returns operand + 1, reduced, for an operand of at most 2*modulus - 2.
SEAL_NODISCARD inline std::uint64_t increment_uint_mod(std::uint64_t operand,
                                                       const Modulus& modulus) noexcept {
  return detail::subtract_once(operand + 1, modulus.value());
}

/// Returns operand - 1, reduced, for a reduced operand.
SEAL_NODISCARD inline std::uint64_t decrement_uint_mod(std::uint64_t operand,
                                                       const Modulus& modulus) noexcept {
  return detail::subtract_once(operand + modulus.value() - 1, modulus.value());
}

/// Returns -operand, reduced, for an operand of at most the modulus.
SEAL_NODISCARD inline std::uint64_t negate_uint_mod(std::uint64_t operand,
                                                    const Modulus& modulus) noexcept {
  return detail::subtract_once(modulus.value() - operand, modulus.value());
}

/// Returns operand/2, reduced, for a reduced operand and an odd modulus.
SEAL_NODISCARD inline std::uint64_t div2_uint_mod(std::uint64_t operand,
                                                  const Modulus& modulus) noexcept {
  return (operand + (modulus.value() & (0 - (operand & 1)))) >> 1;
}

/// Returns a + b, reduced, if the sum of the words is below 2*modulus.
SEAL_NODISCARD inline std::uint64_t add_uint_mod(std::uint64_t a, std::uint64_t b,
                                                 const Modulus& modulus) noexcept {
  return detail::subtract_once(a + b, modulus.value());
}

/// Returns a - b, reduced, for a reduced and b at most the modulus.
SEAL_NODISCARD inline std::uint64_t sub_uint_mod(std::uint64_t a, std::uint64_t b,
                                                 const Modulus& modulus) noexcept {
  return detail::subtract_once(a + modulus.value() - b, modulus.value());
}

/// Returns input mod modulus, for any input.
SEAL_NODISCARD inline std::uint64_t barrett_reduce_64(std::uint64_t input,
                                                      const Modulus& modulus) noexcept {
  const std::uint64_t q = modulus.value();
  return detail::subtract_once(input - detail::high_word(input, modulus.const_ratio()[1]) * q, q);
}

/// Returns the number in the two 64-bit words at `input`, the lower word first, modulo the modulus.
template <class T, class = detail::IfWords<T>>
SEAL_NODISCARD inline std::uint64_t barrett_reduce_128(const T* input,
                                                       const Modulus& modulus) noexcept {
  return detail::reduce_wide(static_cast<detail::Word128>(input[1]) << 64 | input[0], modulus);
}

/// Returns a*b, reduced, for any words.
SEAL_NODISCARD inline std::uint64_t multiply_uint_mod(std::uint64_t a, std::uint64_t b,
                                                      const Modulus& modulus) noexcept {
  return detail::reduce_wide(static_cast<detail::Word128>(a) * b, modulus);
}

/// A constant factor with Shoup's quotient floor(2^64 * operand / modulus), which makes products by
/// this factor cheap.
struct MultiplyUIntModOperand {
  std::uint64_t operand = 0;
  std::uint64_t quotient = 0;

  /// Computes the quotient for the present operand.
  /// @throws std::invalid_argument if operand >= modulus.
  void set_quotient(const Modulus& modulus) {
    if (operand >= modulus.value()) detail::refuse_operand(operand, modulus);
    std::uint64_t remainder = 0;
    quotient = detail::divide_wide(static_cast<detail::Word128>(operand) << 64, modulus, remainder);
  }

  /// Sets the operand and its quotient.
  /// @throws std::invalid_argument if new_operand >= modulus; nothing is changed then.
  void set(std::uint64_t new_operand, const Modulus& modulus) {
    MultiplyUIntModOperand next{new_operand, 0};
    next.set_quotient(modulus);
    *this = next;
  }
};

/// Returns a number in [0, 2*modulus) that is x * y.operand modulo the modulus, for any word x.
SEAL_NODISCARD inline std::uint64_t multiply_uint_mod_lazy(std::uint64_t x,
                                                           MultiplyUIntModOperand y,
                                                           const Modulus& modulus) noexcept {
  return x * y.operand - detail::high_word(x, y.quotient) * modulus.value();
}

/// Returns x * y.operand, reduced, for any word x.
SEAL_NODISCARD inline std::uint64_t multiply_uint_mod(std::uint64_t x, MultiplyUIntModOperand y,
                                                      const Modulus& modulus) noexcept {
  return detail::subtract_once(multiply_uint_mod_lazy(x, y, modulus), modulus.value());
}

/// Returns a*b + c, reduced, for any words.
SEAL_NODISCARD inline std::uint64_t multiply_add_uint_mod(std::uint64_t a, std::uint64_t b,
                                                          std::uint64_t c,
                                                          const Modulus& modulus) noexcept {
  return detail::reduce_wide(static_cast<detail::Word128>(a) * b + c, modulus);
}
SEAL_NODISCARD inline std::uint64_t multiply_add_uint_mod(std::uint64_t a, MultiplyUIntModOperand b,
                                                          std::uint64_t c,
                                                          const Modulus& modulus) noexcept {
  return add_uint_mod(multiply_uint_mod(a, b, modulus), barrett_reduce_64(c, modulus), modulus);
}

/// Returns the integer of value_uint64_count words, the lowest first, modulo the modulus.
/// @throws std::invalid_argument if value is null or there are no words.
SEAL_NODISCARD RINGLET_SEAL_API std::uint64_t modulo_uint(const std::uint64_t* value,
                                                          std::size_t value_uint64_count,
                                                          const Modulus& modulus);
/// Replaces the integer by its remainder; all words above the first become zero.
/// @throws std::invalid_argument as modulo_uint.
RINGLET_SEAL_API void modulo_uint_inplace(std::uint64_t* value, std::size_t value_uint64_count,
                                          const Modulus& modulus);

/// Computes result = 1/operand modulo the modulus. Returns false and writes no result if there is
/// no inverse. Variable time.
inline bool try_invert_uint_mod(std::uint64_t operand, const Modulus& modulus,
                                std::uint64_t& result) {
  return try_invert_uint_mod(operand, modulus.value(), result);
}

/// Returns operand^exponent, reduced, for any operand; 1 for exponent 0. Variable time in the
/// exponent.
SEAL_NODISCARD RINGLET_SEAL_API std::uint64_t exponentiate_uint_mod(
    std::uint64_t operand, std::uint64_t exponent, const Modulus& modulus) noexcept;

/// Divides the integer of uint64_count words at `numerator`, the lowest first: writes as many words
/// to `quotient` and replaces the numerator by the remainder. The pool has no effect.
/// @throws std::invalid_argument if numerator or quotient is null or there are no words.
RINGLET_SEAL_API void divide_uint_mod_inplace(std::uint64_t* numerator, const Modulus& modulus,
                                              std::size_t uint64_count, std::uint64_t* quotient,
                                              MemoryPool& pool);

/// Returns the sum of a[i] * b[i], reduced, for words below 2^62; 0 if `count` is 0.
/// @throws std::invalid_argument if a or b is null and count is not 0.
SEAL_NODISCARD RINGLET_SEAL_API std::uint64_t dot_product_mod(const std::uint64_t* a,
                                                              const std::uint64_t* b,
                                                              std::size_t count,
                                                              const Modulus& modulus);

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
