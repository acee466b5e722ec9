// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "arith/wide_integer.hpp"
#include "ringlet/arith/primes.hpp"

namespace ringlet::wide {
namespace {

constexpr std::array<std::uint64_t, 46> kBases = {
    2,   3,   5,   7,   11,  13,  17,  19,  23,  29,  31,  37,  41,  43,  47,  53,
    59,  61,  67,  71,  73,  79,  83,  89,  97,  101, 103, 107, 109, 113, 127, 131,
    137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199};
constexpr WideInteger kOne = {1, 0, 0};

// Montgomery arithmetic modulo an odd n < 2^190: x is stored as x * 2^192 mod n.
class Montgomery {
 public:
  explicit Montgomery(const WideInteger& n) : n_(n), one_(kOne) {
    // Newton's iteration for the inverse modulo 2^64: each step doubles the number of correct bits,
    // and an odd number is its own inverse modulo 8.
    std::uint64_t inverse = n[0];
    for (int i = 0; i < 5; ++i) inverse *= 2 - n[0] * inverse;
    negative_inverse_ = 0 - inverse;
    for (int i = 0; i < static_cast<int>(kWideWords) * kWordBits; ++i) one_ = twice(one_);
    minus_one_ = subtract(n_, one_);
  }

  const WideInteger& one() const { return one_; }
  const WideInteger& minus_one() const { return minus_one_; }

  WideInteger from_word(std::uint64_t word) const {
    WideInteger result{};
    for (int bit = kWordBits; bit-- > 0;) {
      result = twice(result);
      if ((word >> bit & 1) != 0) result = reduced(add(result, one_));
    }
    return result;
  }

  // a * b / 2^192 mod n (Montgomery 1985; words interleaved). The sum stays below 2n.
  WideInteger multiply(const WideInteger& a, const WideInteger& b) const {
    WideInteger sum{};
    for (std::size_t i = 0; i < kWideWords; ++i) {
      uint128_t carry = static_cast<uint128_t>(a[i]) * b[0] + sum[0];
      const std::uint64_t factor = static_cast<std::uint64_t>(carry) * negative_inverse_;
      uint128_t fold = static_cast<uint128_t>(factor) * n_[0] + static_cast<std::uint64_t>(carry);
      for (std::size_t j = 1; j < kWideWords; ++j) {
        carry = (carry >> kWordBits) + static_cast<uint128_t>(a[i]) * b[j] + sum[j];
        fold = (fold >> kWordBits) + static_cast<uint128_t>(factor) * n_[j] +
               static_cast<std::uint64_t>(carry);
        sum[j - 1] = static_cast<std::uint64_t>(fold);
      }
      sum[kWideWords - 1] = static_cast<std::uint64_t>(carry >> kWordBits) +
                            static_cast<std::uint64_t>(fold >> kWordBits);
    }
    return reduced(sum);
  }

 private:
  WideInteger reduced(const WideInteger& a) const { return is_less(a, n_) ? a : subtract(a, n_); }
  WideInteger twice(const WideInteger& a) const { return reduced(add(a, a)); }

  WideInteger n_;
  std::uint64_t negative_inverse_ = 0;
  WideInteger one_;
  WideInteger minus_one_{};
};

int count_twos(const WideInteger& even) {
  int twos = 0;
  while ((shift_right(even, twos)[0] & 1) == 0) ++twos;
  return twos;
}

bool is_strong_probable_prime(const WideInteger& n, const Montgomery& arithmetic,
                              std::uint64_t base) {
  const WideInteger even = subtract(n, kOne);
  const int twos = count_twos(even);
  const WideInteger exponent = shift_right(even, twos);
  const WideInteger first = arithmetic.from_word(base);
  WideInteger power = arithmetic.one();
  for (int bit = bit_count(exponent); bit-- > 0;) {
    power = arithmetic.multiply(power, power);
    if ((shift_right(exponent, bit)[0] & 1) != 0) power = arithmetic.multiply(power, first);
  }
  if (power == arithmetic.one() || power == arithmetic.minus_one()) return true;
  for (int i = 1; i < twos; ++i) {
    power = arithmetic.multiply(power, power);
    if (power == arithmetic.minus_one()) return true;
  }
  return false;
}

}  // namespace

bool is_probable_prime(const WideInteger& n) {
  if (bit_count(n) <= kWordBits) return is_prime(n[0]);
  for (const std::uint64_t p : kBases) {
    WideInteger quotient = n;
    if (divide(quotient, p) == 0) return false;
  }
  const Montgomery arithmetic(n);
  for (const std::uint64_t base : kBases) {
    if (!is_strong_probable_prime(n, arithmetic, base)) return false;
  }
  return true;
}

}  // namespace ringlet::wide
