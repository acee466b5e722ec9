// SPDX-License-Identifier: Apache-2.0
#include "util/multiword.hpp"

#include <algorithm>
#include <cstddef>

#include "ringlet/arith/modular.hpp"
#include "seal/util/uintcore.h"

namespace ringlet::seal4::detail {
namespace {

/// Divides in place and returns the remainder.
std::uint64_t divide(Words& value, std::uint64_t divisor) {
  uint128_t remainder = 0;
  for (std::size_t i = value.size(); i-- > 0;) {
    remainder = remainder << 64 | value[i];
    value[i] = static_cast<std::uint64_t>(remainder / divisor);
    remainder %= divisor;
  }
  return static_cast<std::uint64_t>(remainder);
}

}  // namespace

Words product_of(const std::vector<Modulus>& factors) {
  Words product(factors.size(), 0);
  if (!product.empty()) product[0] = 1;
  for (const Modulus& factor : factors) {
    uint128_t carry = 0;
    for (std::uint64_t& word : product) {
      carry += static_cast<uint128_t>(word) * factor.value();
      word = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }
  return product;
}

int bit_count(const Words& value) {
  return seal4_util::get_significant_bit_count_uint(value.data(), value.size());
}

bool is_above(const Words& value, std::uint64_t word) {
  return !value.empty() && (value[0] > word || std::any_of(value.begin() + 1, value.end(),
                                                           [](auto high) { return high != 0; }));
}

std::uint64_t remainder_of(const Words& value, std::uint64_t divisor) {
  Words quotient = value;
  return divide(quotient, divisor);
}

Words quotient_of(Words value, std::uint64_t divisor) {
  divide(value, divisor);
  return value;
}

Words minus(Words value, std::uint64_t word) {
  for (std::size_t i = 0; i < value.size() && word != 0; ++i) {
    const std::uint64_t borrow = value[i] < word ? 1 : 0;
    value[i] -= word;
    word = borrow;
  }
  return value;
}

Words upper_half(Words value) {
  // floor((v + 1) / 2) = floor(v / 2) + v mod 2.
  std::uint64_t carry = value.empty() ? 0 : value[0] & 1;
  divide(value, 2);
  for (std::size_t i = 0; i < value.size() && carry != 0; ++i) carry = ++value[i] == 0 ? 1 : 0;
  return value;
}

}  // namespace ringlet::seal4::detail
