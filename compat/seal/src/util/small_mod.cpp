// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "ringlet/base/error.hpp"
#include "seal/util/uintarithsmallmod.h"

namespace ringlet::seal4_util {
namespace {

void check_integer(const char* operation, const std::uint64_t* value, std::size_t count) {
  if (value != nullptr && count != 0) return;
  throw_invalid_argument({.operation = operation,
                          .offending = value == nullptr ? "a null pointer" : "no words",
                          .limit = "at least 1 word",
                          .remedy = "pass the words"});
}

}  // namespace

void detail::refuse_operand(std::uint64_t operand, const Modulus& modulus) {
  throw_invalid_argument({.operation = "MultiplyUIntModOperand::set_quotient",
                          .offending = "operand = " + std::to_string(operand),
                          .limit = "below the modulus " + std::to_string(modulus.value()),
                          .remedy = "reduce the operand"});
}

std::uint64_t modulo_uint(const std::uint64_t* value, std::size_t value_uint64_count,
                          const Modulus& modulus) {
  check_integer("modulo_uint", value, value_uint64_count);
  std::uint64_t rest = 0;
  for (std::size_t i = value_uint64_count; i-- > 0;) {
    rest = detail::reduce_wide(static_cast<detail::Word128>(rest) << 64 | value[i], modulus);
  }
  return rest;
}

void modulo_uint_inplace(std::uint64_t* value, std::size_t value_uint64_count,
                         const Modulus& modulus) {
  value[0] = modulo_uint(value, value_uint64_count, modulus);
  std::fill_n(value + 1, value_uint64_count - 1, 0);
}

std::uint64_t exponentiate_uint_mod(std::uint64_t operand, std::uint64_t exponent,
                                    const Modulus& modulus) noexcept {
  std::uint64_t result = 1;
  for (std::uint64_t power = operand; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = multiply_uint_mod(result, power, modulus);
    power = multiply_uint_mod(power, power, modulus);
  }
  return result;
}

void divide_uint_mod_inplace(std::uint64_t* numerator, const Modulus& modulus,
                             std::size_t uint64_count, std::uint64_t* quotient,
                             MemoryPool& /*pool*/) {
  check_integer("divide_uint_mod_inplace", quotient == nullptr ? quotient : numerator,
                uint64_count);
  std::uint64_t rest = 0;
  for (std::size_t i = uint64_count; i-- > 0;) {
    const detail::Word128 part = static_cast<detail::Word128>(rest) << 64 | numerator[i];
    quotient[i] = detail::divide_wide(part, modulus, rest);
    numerator[i] = 0;
  }
  numerator[0] = rest;
}

std::uint64_t dot_product_mod(const std::uint64_t* a, const std::uint64_t* b, std::size_t count,
                              const Modulus& modulus) {
  if (count != 0) check_integer("dot_product_mod", a == nullptr ? a : b, count);
  detail::Word128 sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += static_cast<detail::Word128>(a[i]) * b[i];
    // A reduced sum and 15 more products of 62-bit words fit 128 bits.
    if (i % 15 == 14) sum = detail::reduce_wide(sum, modulus);
  }
  return detail::reduce_wide(sum, modulus);
}

}  // namespace ringlet::seal4_util
