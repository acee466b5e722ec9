// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <string>
#include <vector>

#include "ringlet/arith/modular.hpp"
#include "ringlet/base/error.hpp"
#include "seal/util/uintarithsmallmod.h"
#include "seal/util/uintcore.h"

namespace ringlet::seal4_util {
namespace {

void check_words(const char* operation, const std::uint64_t* value, std::size_t count) {
  if (value != nullptr || count == 0) return;
  throw_invalid_argument({.operation = operation,
                          .offending = "value is null",
                          .limit = "a buffer of " + std::to_string(count) + " words",
                          .remedy = "pass the words"});
}

/// Returns the number of words without the zeros above.
std::size_t significant_words(const std::uint64_t* value, std::size_t count) {
  while (count > 0 && value[count - 1] == 0) --count;
  return count;
}

BarrettRatio ratio_of(const Modulus& modulus) {
  return {.low = modulus.const_ratio()[0], .high = modulus.const_ratio()[1]};
}

}  // namespace

std::string uint_to_hex_string(const std::uint64_t* value, std::size_t uint64_count) {
  check_words("uint_to_hex_string", value, uint64_count);
  std::string text;
  for (std::size_t i = significant_words(value, uint64_count); i-- > 0;) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      const std::uint64_t digit = value[i] >> shift & 15;
      if (digit != 0 || !text.empty()) text += "0123456789ABCDEF"[digit];
    }
  }
  return text.empty() ? "0" : text;
}

std::string uint_to_dec_string(const std::uint64_t* value, std::size_t uint64_count) {
  check_words("uint_to_dec_string", value, uint64_count);
  constexpr std::uint64_t kChunk = 10'000'000'000'000'000'000u;  // 10^19, the most that fits
  std::vector<std::uint64_t> rest(value, value + significant_words(value, uint64_count));
  std::string text;
  while (!rest.empty()) {
    uint128_t remainder = 0;
    for (std::size_t i = rest.size(); i-- > 0;) {
      remainder = remainder << 64 | rest[i];
      rest[i] = static_cast<std::uint64_t>(remainder / kChunk);
      remainder %= kChunk;
    }
    if (rest.back() == 0) rest.pop_back();
    std::string digits = std::to_string(static_cast<std::uint64_t>(remainder));
    if (!rest.empty()) digits.insert(0, 19 - digits.size(), '0');
    text.insert(0, digits);
  }
  return text.empty() ? "0" : text;
}

int get_significant_bit_count_uint(const std::uint64_t* value, std::size_t uint64_count) noexcept {
  const std::size_t words = significant_words(value, uint64_count);
  return words == 0 ? 0 : static_cast<int>(64 * words) - std::countl_zero(value[words - 1]);
}

std::uint64_t barrett_reduce_64(std::uint64_t input, const Modulus& modulus) noexcept {
  return barrett_reduce(input, modulus.value(), ratio_of(modulus));
}

std::uint64_t barrett_reduce_128(const std::uint64_t* input, const Modulus& modulus) noexcept {
  // The wide reduction takes values below modulus * 2^64.
  const uint128_t high = barrett_reduce_64(input[1], modulus);
  return barrett_reduce_wide(high << 64 | input[0], modulus.value(), ratio_of(modulus));
}

std::uint64_t add_uint_mod(std::uint64_t a, std::uint64_t b, const Modulus& modulus) noexcept {
  return add_mod(a, b, modulus.value());
}

std::uint64_t sub_uint_mod(std::uint64_t a, std::uint64_t b, const Modulus& modulus) noexcept {
  return sub_mod(a, b, modulus.value());
}

std::uint64_t negate_uint_mod(std::uint64_t a, const Modulus& modulus) noexcept {
  return negate_mod(a, modulus.value());
}

std::uint64_t multiply_uint_mod(std::uint64_t a, std::uint64_t b, const Modulus& modulus) noexcept {
  return mul_mod(barrett_reduce_64(a, modulus), b, modulus.value(), ratio_of(modulus));
}

std::uint64_t exponentiate_uint_mod(std::uint64_t base, std::uint64_t exponent,
                                    const Modulus& modulus) noexcept {
  std::uint64_t result = 1;
  for (std::uint64_t power = base; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = multiply_uint_mod(result, power, modulus);
    power = multiply_uint_mod(power, power, modulus);
  }
  return result;
}

void MultiplyUIntModOperand::set_quotient(const Modulus& modulus) {
  if (operand >= modulus.value()) {
    throw_invalid_argument({.operation = "MultiplyUIntModOperand::set_quotient",
                            .offending = "operand = " + std::to_string(operand),
                            .limit = "below the modulus " + std::to_string(modulus.value()),
                            .remedy = "reduce the operand"});
  }
  quotient = shoup_quotient(operand, modulus.value());
}

void MultiplyUIntModOperand::set(std::uint64_t new_operand, const Modulus& modulus) {
  MultiplyUIntModOperand next{new_operand, 0};
  next.set_quotient(modulus);
  *this = next;
}

std::uint64_t multiply_uint_mod(std::uint64_t x, MultiplyUIntModOperand y,
                                const Modulus& modulus) noexcept {
  return mul_mod_shoup(x, y.operand, y.quotient, modulus.value());
}

}  // namespace ringlet::seal4_util
