// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "seal/util/common.h"
#include "seal/util/defines.h"
#include "seal/util/pointer.h"
#include "seal/util/uintcore.h"

// Arithmetic on integers of several words, the lowest word first. Constant time in the words.
// Results may be the same buffers as operands unless stated otherwise. Functions of buffers throw
// std::invalid_argument for null where there are words.

namespace ringlet::seal4_util {

namespace detail {

__extension__ using Word128 = unsigned __int128;

/// Computes result = a + b + carry. Returns the carry, 0 or 1.
template <class Result>
unsigned char add_words(std::uint64_t a, std::uint64_t b, unsigned char carry,
                        Result* result) noexcept {
  const Word128 sum = static_cast<Word128>(a) + b + carry;
  *result = static_cast<Result>(sum);
  return static_cast<unsigned char>(sum >> 64);
}
/// Computes result = a - b - borrow. Returns the borrow, 0 or 1.
template <class Result>
unsigned char sub_words(std::uint64_t a, std::uint64_t b, unsigned char borrow,
                        Result* result) noexcept {
  const Word128 difference = static_cast<Word128>(a) - b - borrow;
  *result = static_cast<Result>(difference);
  return static_cast<unsigned char>(difference >> 64 & 1);
}

template <class... T>
using IfWords = std::enable_if_t<is_uint64_v<T...>>;

}  // namespace detail

/// Computes *result = a + b + carry, carry 0 or 1. Returns the carry.
template <class T, class S, class = detail::IfWords<T, S>>
SEAL_NODISCARD unsigned char add_uint64(T a, S b, unsigned char carry,
                                        unsigned long long* result) noexcept {
  return detail::add_words(a, b, carry, result);
}
template <class T, class S, class R, class = detail::IfWords<T, S, R>>
SEAL_NODISCARD unsigned char add_uint64(T a, S b, R* result) noexcept {
  return detail::add_words(a, b, 0, result);
}
/// Computes *result = a - b - borrow, borrow 0 or 1. Returns the borrow.
template <class T, class S, class = detail::IfWords<T, S>>
SEAL_NODISCARD unsigned char sub_uint64(T a, S b, unsigned char borrow,
                                        unsigned long long* result) noexcept {
  return detail::sub_words(a, b, borrow, result);
}
template <class T, class S, class R, class = detail::IfWords<T, S, R>>
SEAL_NODISCARD unsigned char sub_uint64(T a, S b, R* result) noexcept {
  return detail::sub_words(a, b, 0, result);
}
/// Adds two integers of two words. Returns the carry.
template <class T, class S, class = detail::IfWords<T, S>>
unsigned char add_uint128(const T* a, const S* b, unsigned long long* result) noexcept {
  const unsigned char carry = detail::add_words(a[0], b[0], 0, &result[0]);
  return detail::add_words(a[1], b[1], carry, &result[1]);
}

/// Writes the two words of the product.
template <class T, class S, class = detail::IfWords<T, S>>
void multiply_uint64(T a, S b, unsigned long long* result128) noexcept {
  const detail::Word128 product = static_cast<detail::Word128>(a) * b;
  result128[0] = static_cast<unsigned long long>(product);
  result128[1] = static_cast<unsigned long long>(product >> 64);
}
/// Writes the upper word of the product.
template <class T, class S, class = detail::IfWords<T, S>>
void multiply_uint64_hw64(T a, S b, unsigned long long* hw64) noexcept {
  *hw64 = static_cast<unsigned long long>(static_cast<detail::Word128>(a) * b >> 64);
}
/// Adds the products of Count pairs of words to an accumulator of two words, modulo 2^128.
template <std::size_t Count>
void multiply_accumulate_uint64(const std::uint64_t* a, const std::uint64_t* b,
                                unsigned long long* accumulator) noexcept {
  for (std::size_t i = 0; i < Count; ++i) {
    unsigned long long product[2];
    multiply_uint64(a[i], b[i], product);
    add_uint128(product, accumulator, accumulator);
  }
}

/// Computes a + b + carry modulo 2^(64*result_uint64_count). Returns the carry.
RINGLET_SEAL_API unsigned char add_uint(const std::uint64_t* a, std::size_t a_uint64_count,
                                        const std::uint64_t* b, std::size_t b_uint64_count,
                                        unsigned char carry, std::size_t result_uint64_count,
                                        std::uint64_t* result);
/// Computes a - b - borrow modulo 2^(64*result_uint64_count). Returns the borrow.
RINGLET_SEAL_API unsigned char sub_uint(const std::uint64_t* a, std::size_t a_uint64_count,
                                        const std::uint64_t* b, std::size_t b_uint64_count,
                                        unsigned char borrow, std::size_t result_uint64_count,
                                        std::uint64_t* result);
inline unsigned char add_uint(const std::uint64_t* a, const std::uint64_t* b,
                              std::size_t uint64_count, std::uint64_t* result) {
  return add_uint(a, uint64_count, b, uint64_count, 0, uint64_count, result);
}
inline unsigned char sub_uint(const std::uint64_t* a, const std::uint64_t* b,
                              std::size_t uint64_count, std::uint64_t* result) {
  return sub_uint(a, uint64_count, b, uint64_count, 0, uint64_count, result);
}
/// Adds a word. Returns the carry.
inline unsigned char add_uint(const std::uint64_t* a, std::size_t uint64_count, std::uint64_t b,
                              std::uint64_t* result) {
  return add_uint(a, uint64_count, &b, 1, 0, uint64_count, result);
}
/// Subtracts a word. Returns the borrow.
inline unsigned char sub_uint(const std::uint64_t* a, std::size_t uint64_count, std::uint64_t b,
                              std::uint64_t* result) {
  return sub_uint(a, uint64_count, &b, 1, 0, uint64_count, result);
}
inline unsigned char increment_uint(const std::uint64_t* operand, std::size_t uint64_count,
                                    std::uint64_t* result) {
  return add_uint(operand, uint64_count, 1, result);
}
inline unsigned char decrement_uint(const std::uint64_t* operand, std::size_t uint64_count,
                                    std::uint64_t* result) {
  return sub_uint(operand, uint64_count, 1, result);
}
/// Computes -operand modulo 2^(64*uint64_count).
inline void negate_uint(const std::uint64_t* operand, std::size_t uint64_count,
                        std::uint64_t* result) {
  sub_uint(nullptr, 0, operand, uint64_count, 0, uint64_count, result);
}

/// Shifts by 0 to 64*uint64_count - 1 bits; bits above the words get lost.
/// @throws std::invalid_argument for another number of bits.
RINGLET_SEAL_API void left_shift_uint(const std::uint64_t* operand, int shift_amount,
                                      std::size_t uint64_count, std::uint64_t* result);
RINGLET_SEAL_API void right_shift_uint(const std::uint64_t* operand, int shift_amount,
                                       std::size_t uint64_count, std::uint64_t* result);
inline void left_shift_uint128(const std::uint64_t* operand, int shift_amount,
                               std::uint64_t* result) {
  left_shift_uint(operand, shift_amount, 2, result);
}
inline void right_shift_uint128(const std::uint64_t* operand, int shift_amount,
                                std::uint64_t* result) {
  right_shift_uint(operand, shift_amount, 2, result);
}
inline void left_shift_uint192(const std::uint64_t* operand, int shift_amount,
                               std::uint64_t* result) {
  left_shift_uint(operand, shift_amount, 3, result);
}
inline void right_shift_uint192(const std::uint64_t* operand, int shift_amount,
                                std::uint64_t* result) {
  right_shift_uint(operand, shift_amount, 3, result);
}
/// Computes operand / 2, rounded up.
RINGLET_SEAL_API void half_round_up_uint(const std::uint64_t* operand, std::size_t uint64_count,
                                         std::uint64_t* result);

inline void not_uint(const std::uint64_t* operand, std::size_t uint64_count,
                     std::uint64_t* result) {
  detail::check_words("not_uint", uint64_count, {operand, result});
  for (std::size_t i = 0; i < uint64_count; ++i) result[i] = ~operand[i];
}
// Bit operations on pairs of words.
#define RINGLET_SEAL_WORDWISE(name, op)                                                      \
  inline void name(const std::uint64_t* a, const std::uint64_t* b, std::size_t uint64_count, \
                   std::uint64_t* result) {                                                  \
    detail::check_words(#name, uint64_count, {a, b, result});                                \
    for (std::size_t i = 0; i < uint64_count; ++i) result[i] = a[i] op b[i];                 \
  }
RINGLET_SEAL_WORDWISE(and_uint, &)
RINGLET_SEAL_WORDWISE(or_uint, |)
RINGLET_SEAL_WORDWISE(xor_uint, ^)
#undef RINGLET_SEAL_WORDWISE

/// Computes a*b modulo 2^(64*result_uint64_count). The result is another buffer than a and b.
RINGLET_SEAL_API void multiply_uint(const std::uint64_t* a, std::size_t a_uint64_count,
                                    const std::uint64_t* b, std::size_t b_uint64_count,
                                    std::size_t result_uint64_count, std::uint64_t* result);
/// Computes a*b for a word b, modulo 2^(64*result_uint64_count). The result may be the buffer a.
RINGLET_SEAL_API void multiply_uint(const std::uint64_t* a, std::size_t a_uint64_count,
                                    std::uint64_t b, std::size_t result_uint64_count,
                                    std::uint64_t* result);
/// Computes a*b in 2*uint64_count words.
inline void multiply_uint(const std::uint64_t* a, const std::uint64_t* b, std::size_t uint64_count,
                          std::uint64_t* result) {
  multiply_uint(a, uint64_count, b, uint64_count, mul_safe(uint64_count, std::size_t{2}), result);
}
inline void multiply_truncate_uint(const std::uint64_t* a, const std::uint64_t* b,
                                   std::size_t uint64_count, std::uint64_t* result) {
  multiply_uint(a, uint64_count, b, uint64_count, uint64_count, result);
}
/// Computes the product of all words but the one at index `except`, in `count` words.
RINGLET_SEAL_API void multiply_many_uint64_except(const std::uint64_t* operands, std::size_t count,
                                                  std::size_t except, std::uint64_t* result,
                                                  MemoryPool& pool);
/// Computes the product of `count` words, in as many words.
inline void multiply_many_uint64(const std::uint64_t* operands, std::size_t count,
                                 std::uint64_t* result, MemoryPool& pool) {
  multiply_many_uint64_except(operands, count, count, result, pool);
}

/// Divides; the numerator becomes the remainder. The quotient is another buffer than the others.
/// @throws std::invalid_argument if the denominator is zero or shares a buffer.
RINGLET_SEAL_API void divide_uint_inplace(std::uint64_t* numerator,
                                          const std::uint64_t* denominator,
                                          std::size_t uint64_count, std::uint64_t* quotient,
                                          MemoryPool& pool);
inline void divide_uint(const std::uint64_t* numerator, const std::uint64_t* denominator,
                        std::size_t uint64_count, std::uint64_t* quotient, std::uint64_t* remainder,
                        MemoryPool& pool) {
  set_uint(numerator, uint64_count, remainder);
  divide_uint_inplace(remainder, denominator, uint64_count, quotient, pool);
}
/// Divide a numerator of two or three words by a word; the quotient has as many words. Errors as
/// divide_uint_inplace.
RINGLET_SEAL_API void divide_uint128_inplace(std::uint64_t* numerator, std::uint64_t denominator,
                                             std::uint64_t* quotient);
RINGLET_SEAL_API void divide_uint192_inplace(std::uint64_t* numerator, std::uint64_t denominator,
                                             std::uint64_t* quotient);

/// Returns operand^exponent modulo 2^64. Variable time in the exponent.
SEAL_NODISCARD RINGLET_SEAL_API std::uint64_t exponentiate_uint(std::uint64_t operand,
                                                                std::uint64_t exponent) noexcept;
/// Returns operand^exponent. Variable time.
/// @throws std::logic_error if it exceeds 64 bits.
SEAL_NODISCARD RINGLET_SEAL_API std::uint64_t exponentiate_uint_safe(std::uint64_t operand,
                                                                     std::uint64_t exponent);

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
