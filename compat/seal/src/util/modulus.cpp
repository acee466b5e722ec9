// SPDX-License-Identifier: Apache-2.0
#include "seal/modulus.h"

#include <bit>
#include <string>

#include "ringlet/arith/modular.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::seal4 {

Modulus::Modulus(std::uint64_t value) : value_(value) {
  if (value == 0) return;
  bit_count_ = std::bit_width(value);
  if (value == 1 || bit_count_ > SEAL_MOD_BIT_COUNT_MAX) {
    throw_invalid_argument({.operation = "Modulus",
                            .offending = "value = " + std::to_string(value),
                            .limit = "0, or a modulus of 2 to 61 bits",
                            .remedy = "choose a modulus within the limit"});
  }
  const uint128_t all_ones = ~uint128_t{0};
  uint128_t quotient = all_ones / value;
  std::uint64_t remainder = static_cast<std::uint64_t>(all_ones % value) + 1;
  if (remainder == value) {
    ++quotient;
    remainder = 0;
  }
  const_ratio_ = {static_cast<std::uint64_t>(quotient), static_cast<std::uint64_t>(quotient >> 64),
                  remainder};
  is_prime_ = ringlet::is_prime(value);
}

Modulus& Modulus::operator=(std::uint64_t value) {
  *this = Modulus(value);
  return *this;
}

std::uint64_t Modulus::reduce(std::uint64_t x) const {
  if (value_ == 0) {
    throw_logic_error({.operation = "Modulus::reduce",
                       .offending = "the modulus is zero",
                       .limit = "a modulus of at least 2",
                       .remedy = "set the modulus first"});
  }
  return barrett_reduce(x, value_, {.low = const_ratio_[0], .high = const_ratio_[1]});
}

}  // namespace ringlet::seal4
