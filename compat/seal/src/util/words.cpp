// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "ringlet/base/wipe.hpp"
#include "seal/util/common.h"
#include "seal/util/polycore.h"
#include "seal/util/uintarith.h"
#include "seal/util/uintarithmod.h"

namespace ringlet::seal4_util {

namespace detail {

void throw_does_not_fit(const char* operation) {
  throw std::logic_error(std::string(operation) + ": the result does not fit in its type");
}

void throw_bad_argument(const char* operation) {
  throw std::invalid_argument(std::string(operation) +
                              ": an argument is null or outside its range");
}

}  // namespace detail

namespace {

std::uint64_t word_at(const std::uint64_t* value, std::size_t count, std::size_t index) {
  return index < count ? value[index] : 0;
}

void check_mod(const char* operation, std::size_t count, const std::uint64_t* modulus,
               const std::uint64_t* result, std::initializer_list<const std::uint64_t*> operands) {
  detail::check_argument(count > 0 && result != modulus, operation);
  detail::check_words(operation, count, {modulus, result});
  detail::check_words(operation, count, operands);
}

/// Divides a numerator below denominator * 2^bits; it becomes the remainder. Each quotient bit
/// costs the same two subtractions, so that the time tells nothing about the words.
void divide_words(std::uint64_t* numerator, const std::uint64_t* denominator, std::size_t count,
                  std::uint64_t* quotient, std::size_t bits, std::uint64_t* remainder) {
  set_zero_uint(count, remainder);
  if (bits < 64 * count) right_shift_uint(numerator, static_cast<int>(bits), count, remainder);
  set_zero_uint(count, quotient);
  for (std::size_t i = bits; i-- > 0;) {
    const std::uint64_t above = remainder[count - 1] >> 63;
    left_shift_uint(remainder, 1, count, remainder);
    remainder[0] |= numerator[i / 64] >> (i % 64) & 1;
    unsigned char is_below = 0;
    for (std::size_t j = 0; j < count; ++j) {
      std::uint64_t difference;
      is_below = detail::sub_words(remainder[j], denominator[j], is_below, &difference);
    }
    const std::uint64_t takes = above | (is_below ^ 1u);
    unsigned char borrow = 0;
    for (std::size_t j = 0; j < count; ++j) {
      borrow = detail::sub_words(remainder[j], denominator[j] & (0 - takes), borrow, &remainder[j]);
    }
    quotient[i / 64] |= takes << (i % 64);
  }
  set_uint(remainder, count, numerator);
}

template <std::size_t kCount>
void divide_by_word(const char* operation, std::uint64_t* numerator, std::uint64_t denominator,
                    std::uint64_t* quotient) {
  detail::check_words(operation, kCount, {numerator, quotient});
  detail::check_argument(denominator != 0 && numerator != quotient, operation);
  std::array<std::uint64_t, kCount> divisor{denominator}, remainder;
  divide_words(numerator, divisor.data(), kCount, quotient, 64 * kCount, remainder.data());
}

/// Adds the modulus times `is_wanted`, 0 or 1.
void add_modulus_if(unsigned char is_wanted, const std::uint64_t* modulus, std::size_t count,
                    std::uint64_t* result) {
  unsigned char carry = 0;
  for (std::size_t i = 0; i < count; ++i) {
    carry = detail::add_words(result[i], modulus[i] & (0 - std::uint64_t{is_wanted}), carry,
                              &result[i]);
  }
}

/// Reduces carry * 2^(64*count) + result, which is below twice the modulus.
void reduce_once(unsigned char carry, const std::uint64_t* modulus, std::size_t count,
                 std::uint64_t* result) {
  const unsigned char borrow = sub_uint(result, modulus, count, result);
  add_modulus_if(static_cast<unsigned char>(borrow & ~carry & 1), modulus, count, result);
}

template <class ToText>
std::string poly_text(const std::uint64_t* value, std::size_t coeff_count,
                      std::size_t coeff_uint64_count, const ToText& to_text) {
  detail::check_words("poly_to_string", mul_safe(coeff_count, coeff_uint64_count), {value});
  std::string text;
  for (std::size_t i = coeff_count; i-- > 0;) {
    const std::uint64_t* coefficient = value + i * coeff_uint64_count;
    if (is_zero_uint(coefficient, coeff_uint64_count)) continue;
    if (!text.empty()) text += " + ";
    text += to_text(coefficient);
    if (i > 0) text += "x^" + std::to_string(i);
  }
  return text.empty() ? "0" : text;
}

}  // namespace

void seal_memzero(void* data, std::size_t size) { secure_wipe(data, size); }

std::string poly_to_hex_string(const std::uint64_t* value, std::size_t coeff_count,
                               std::size_t coeff_uint64_count) {
  return poly_text(value, coeff_count, coeff_uint64_count, [&](const std::uint64_t* coefficient) {
    return uint_to_hex_string(coefficient, coeff_uint64_count);
  });
}

std::string poly_to_dec_string(const std::uint64_t* value, std::size_t coeff_count,
                               std::size_t coeff_uint64_count, MemoryPool&) {
  return poly_text(value, coeff_count, coeff_uint64_count, [&](const std::uint64_t* coefficient) {
    return uint_to_dec_string(coefficient, coeff_uint64_count);
  });
}

unsigned char add_uint(const std::uint64_t* a, std::size_t a_uint64_count, const std::uint64_t* b,
                       std::size_t b_uint64_count, unsigned char carry,
                       std::size_t result_uint64_count, std::uint64_t* result) {
  detail::check_words("add_uint", a_uint64_count, {a});
  detail::check_words("add_uint", b_uint64_count, {b});
  detail::check_words("add_uint", result_uint64_count, {result});
  for (std::size_t i = 0; i < result_uint64_count; ++i) {
    carry = detail::add_words(word_at(a, a_uint64_count, i), word_at(b, b_uint64_count, i), carry,
                              &result[i]);
  }
  return carry;
}

unsigned char sub_uint(const std::uint64_t* a, std::size_t a_uint64_count, const std::uint64_t* b,
                       std::size_t b_uint64_count, unsigned char borrow,
                       std::size_t result_uint64_count, std::uint64_t* result) {
  detail::check_words("sub_uint", a_uint64_count, {a});
  detail::check_words("sub_uint", b_uint64_count, {b});
  detail::check_words("sub_uint", result_uint64_count, {result});
  for (std::size_t i = 0; i < result_uint64_count; ++i) {
    borrow = detail::sub_words(word_at(a, a_uint64_count, i), word_at(b, b_uint64_count, i), borrow,
                               &result[i]);
  }
  return borrow;
}

void left_shift_uint(const std::uint64_t* operand, int shift_amount, std::size_t uint64_count,
                     std::uint64_t* result) {
  detail::check_bits("left_shift_uint", shift_amount, uint64_count);
  detail::check_words("left_shift_uint", uint64_count, {operand, result});
  const auto words = static_cast<std::size_t>(shift_amount / 64);
  const int bits = shift_amount % 64;
  for (std::size_t i = uint64_count; i-- > 0;) {
    const std::uint64_t high = i >= words ? operand[i - words] : 0;
    const std::uint64_t low = i > words ? operand[i - words - 1] : 0;
    result[i] = high << bits | low >> 1 >> (63 - bits);
  }
}

void right_shift_uint(const std::uint64_t* operand, int shift_amount, std::size_t uint64_count,
                      std::uint64_t* result) {
  detail::check_bits("right_shift_uint", shift_amount, uint64_count);
  detail::check_words("right_shift_uint", uint64_count, {operand, result});
  const auto words = static_cast<std::size_t>(shift_amount / 64);
  const int bits = shift_amount % 64;
  for (std::size_t i = 0; i < uint64_count; ++i) {
    const std::uint64_t low = word_at(operand, uint64_count, i + words);
    const std::uint64_t high = word_at(operand, uint64_count, i + words + 1);
    result[i] = low >> bits | high << 1 << (63 - bits);
  }
}

void half_round_up_uint(const std::uint64_t* operand, std::size_t uint64_count,
                        std::uint64_t* result) {
  detail::check_words("half_round_up_uint", uint64_count, {operand, result});
  if (uint64_count == 0) return;
  const std::uint64_t odd = operand[0] & 1;
  right_shift_uint(operand, 1, uint64_count, result);
  add_uint(result, uint64_count, odd, result);
}

void multiply_uint(const std::uint64_t* a, std::size_t a_uint64_count, const std::uint64_t* b,
                   std::size_t b_uint64_count, std::size_t result_uint64_count,
                   std::uint64_t* result) {
  detail::check_words("multiply_uint", a_uint64_count, {a});
  detail::check_words("multiply_uint", b_uint64_count, {b});
  detail::check_argument(result_uint64_count == 0 || (result != a && result != b), "multiply_uint");
  set_zero_uint(result_uint64_count, result);
  for (std::size_t i = 0; i < a_uint64_count; ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; i + j < result_uint64_count; ++j) {
      const detail::Word128 sum =
          static_cast<detail::Word128>(a[i]) * word_at(b, b_uint64_count, j) + result[i + j] +
          carry;
      result[i + j] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
  }
}

void multiply_uint(const std::uint64_t* a, std::size_t a_uint64_count, std::uint64_t b,
                   std::size_t result_uint64_count, std::uint64_t* result) {
  detail::check_words("multiply_uint", a_uint64_count, {a});
  detail::check_words("multiply_uint", result_uint64_count, {result});
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < result_uint64_count; ++i) {
    const detail::Word128 product =
        static_cast<detail::Word128>(word_at(a, a_uint64_count, i)) * b + carry;
    result[i] = static_cast<std::uint64_t>(product);
    carry = static_cast<std::uint64_t>(product >> 64);
  }
}

void multiply_many_uint64_except(const std::uint64_t* operands, std::size_t count,
                                 std::size_t except, std::uint64_t* result, MemoryPool&) {
  detail::check_words("multiply_many_uint64", count, {operands});
  detail::check_argument(count == 0 || operands != result, "multiply_many_uint64");
  if (count == 0) return;
  set_uint(1, count, result);
  for (std::size_t i = 0; i < count; ++i) {
    if (i != except) multiply_uint(result, count, operands[i], count, result);
  }
}

void divide_uint_inplace(std::uint64_t* numerator, const std::uint64_t* denominator,
                         std::size_t uint64_count, std::uint64_t* quotient, MemoryPool& pool) {
  constexpr auto kName = "divide_uint_inplace";
  if (uint64_count == 0) return;
  detail::check_words(kName, uint64_count, {numerator, denominator, quotient});
  detail::check_argument(
      quotient != numerator && quotient != denominator && !is_zero_uint(denominator, uint64_count),
      kName);
  const auto remainder = allocate_uint(uint64_count, pool);
  divide_words(numerator, denominator, uint64_count, quotient, 64 * uint64_count, remainder.get());
}

void divide_uint128_inplace(std::uint64_t* numerator, std::uint64_t denominator,
                            std::uint64_t* quotient) {
  divide_by_word<2>("divide_uint128_inplace", numerator, denominator, quotient);
}

void divide_uint192_inplace(std::uint64_t* numerator, std::uint64_t denominator,
                            std::uint64_t* quotient) {
  divide_by_word<3>("divide_uint192_inplace", numerator, denominator, quotient);
}

std::uint64_t exponentiate_uint(std::uint64_t operand, std::uint64_t exponent) noexcept {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, operand *= operand) {
    if ((exponent & 1) != 0) result *= operand;
  }
  return result;
}

std::uint64_t exponentiate_uint_safe(std::uint64_t operand, std::uint64_t exponent) {
  std::uint64_t result = 1;
  while (exponent != 0) {
    if ((exponent & 1) != 0) result = mul_safe(result, operand);
    exponent >>= 1;
    if (exponent != 0) operand = mul_safe(operand, operand);
  }
  return result;
}

void add_uint_uint_mod(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* modulus,
                       std::size_t uint64_count, std::uint64_t* result) {
  check_mod("add_uint_uint_mod", uint64_count, modulus, result, {a, b});
  reduce_once(add_uint(a, b, uint64_count, result), modulus, uint64_count, result);
}

void sub_uint_uint_mod(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* modulus,
                       std::size_t uint64_count, std::uint64_t* result) {
  check_mod("sub_uint_uint_mod", uint64_count, modulus, result, {a, b});
  add_modulus_if(sub_uint(a, b, uint64_count, result), modulus, uint64_count, result);
}

void increment_uint_mod(const std::uint64_t* operand, const std::uint64_t* modulus,
                        std::size_t uint64_count, std::uint64_t* result) {
  check_mod("increment_uint_mod", uint64_count, modulus, result, {operand});
  reduce_once(increment_uint(operand, uint64_count, result), modulus, uint64_count, result);
}

void decrement_uint_mod(const std::uint64_t* operand, const std::uint64_t* modulus,
                        std::size_t uint64_count, std::uint64_t* result) {
  check_mod("decrement_uint_mod", uint64_count, modulus, result, {operand});
  add_modulus_if(decrement_uint(operand, uint64_count, result), modulus, uint64_count, result);
}

void negate_uint_mod(const std::uint64_t* operand, const std::uint64_t* modulus,
                     std::size_t uint64_count, std::uint64_t* result) {
  check_mod("negate_uint_mod", uint64_count, modulus, result, {operand});
  negate_uint(operand, uint64_count, result);
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < uint64_count; ++i) any |= result[i];
  add_modulus_if(static_cast<unsigned char>((any | (0 - any)) >> 63), modulus, uint64_count,
                 result);
}

void div2_uint_mod(const std::uint64_t* operand, const std::uint64_t* modulus,
                   std::size_t uint64_count, std::uint64_t* result) {
  check_mod("div2_uint_mod", uint64_count, modulus, result, {operand});
  detail::check_argument((modulus[0] & 1) != 0, "div2_uint_mod");
  const std::uint64_t mask = 0 - (operand[0] & 1);
  unsigned char carry = 0;
  for (std::size_t i = 0; i < uint64_count; ++i) {
    carry = detail::add_words(operand[i], modulus[i] & mask, carry, &result[i]);
  }
  right_shift_uint(result, 1, uint64_count, result);
  result[uint64_count - 1] |= static_cast<std::uint64_t>(carry) << 63;
}

bool try_invert_uint_mod(const std::uint64_t* operand, const std::uint64_t* modulus,
                         std::size_t uint64_count, std::uint64_t* result, MemoryPool& pool) {
  const std::size_t n = uint64_count;
  check_mod("try_invert_uint_mod", n, modulus, result, {operand});
  detail::check_argument(!is_zero_uint(modulus, n), "try_invert_uint_mod");
  const auto memory = allocate_zero_poly(7, n, pool);
  std::uint64_t *dividend = memory.get(), *divisor = dividend + n, *last = divisor + n;
  std::uint64_t *factor = last + n, *quotient = factor + n, *product = quotient + n;
  set_uint(modulus, n, dividend);
  set_uint(operand, n, divisor);
  factor[0] = 1;
  // Euclid's algorithm. Up to its sign, which alternates, divisor = factor * operand modulo the
  // modulus, and dividend = last * operand.
  bool is_negative = true;
  while (!is_zero_uint(divisor, n)) {
    const int bits = 1 + get_significant_bit_count_uint(dividend, n) -
                     get_significant_bit_count_uint(divisor, n);
    divide_words(dividend, divisor, n, quotient, static_cast<std::size_t>(bits < 0 ? 0 : bits),
                 product + n);
    multiply_truncate_uint(quotient, factor, n, product);
    add_uint(last, product, n, last);
    std::swap(dividend, divisor);
    std::swap(last, factor);
    is_negative = !is_negative;
  }
  if (!is_equal_uint(dividend, n, 1)) return false;
  if (is_negative) {
    negate_uint_mod(last, modulus, n, result);
  } else {
    set_uint(last, n, result);
  }
  return true;
}

}  // namespace ringlet::seal4_util
