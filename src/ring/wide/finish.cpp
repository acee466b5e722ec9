// SPDX-License-Identifier: Apache-2.0
#include "ring/wide/finish.hpp"

#include <array>

#include "ring/wide/integer.hpp"
#include "ringlet/modular.hpp"

namespace ringlet::wide {
namespace {

__extension__ using int128_t = __int128;

/// value += limb * 2^(64 * word + shift), shift below 64.
RINGLET_INLINE void add_shifted(WideInteger& value, std::int64_t limb, std::size_t word,
                                int shift) {
  const auto shifted = static_cast<uint128_t>(static_cast<int128_t>(limb)) << shift;
  const auto sign = static_cast<std::uint64_t>(limb >> 63);
  const std::array<std::uint64_t, 3> part{static_cast<std::uint64_t>(shifted),
                                          static_cast<std::uint64_t>(shifted >> 64), sign};
  uint128_t carry = 0;
  for (std::size_t w = word; w < kWideWords; ++w) {
    carry += static_cast<uint128_t>(value[w]) + part[w - word];
    value[w] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

/// a - b modulo 2^192; true if there is a borrow.
RINGLET_INLINE std::uint64_t subtract(WideInteger& difference, const WideInteger& a,
                                      const WideInteger& b) {
  std::uint64_t borrow = 0;
  for (std::size_t w = 0; w < kWideWords; ++w) {
    const uint128_t wide = static_cast<uint128_t>(a[w]) - b[w] - borrow;
    difference[w] = static_cast<std::uint64_t>(wide);
    borrow = static_cast<std::uint64_t>(wide >> 64) & 1;
  }
  return borrow;
}

/// a - q if that is not negative, else a.
RINGLET_INLINE void subtract_once(WideInteger& a, const WideInteger& q) {
  WideInteger difference;
  const std::uint64_t keep = opaque(0 - subtract(difference, a, q));
  for (std::size_t w = 0; w < kWideWords; ++w) {
    a[w] = (a[w] & keep) | (difference[w] & ~keep);
  }
}

/// The 64 bits of a from bit `shift` on; those above are 0.
RINGLET_INLINE std::uint64_t top_bits(const WideInteger& a, int shift) {
  const auto word = static_cast<std::size_t>(shift) / 64;
  const uint128_t high = word + 1 < kWideWords ? a[word + 1] : 0;
  return static_cast<std::uint64_t>((high << 64 | a[word]) >> (shift % 64));
}

/// a - factor * q modulo 2^192.
RINGLET_INLINE void subtract_multiple(WideInteger& a, std::uint64_t factor, const WideInteger& q) {
  WideInteger product;
  uint128_t carry = 0;
  for (std::size_t w = 0; w < kWideWords; ++w) {
    carry += static_cast<uint128_t>(q[w]) * factor;
    product[w] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  subtract(a, a, product);
}

}  // namespace

Finish::Finish(const WideModulus& q, const LimbShape& shape)
    : q_(q.value()), shift_(q.bit_count() - 1), shape_(shape) {
  const LongInteger modulus(q.value());
  quotient_ =
      divide(LongInteger::power_of_two(shift_ + 64) - LongInteger(1), modulus).quotient.words[0];
  const LongInteger bound = LongInteger::power_of_two(shape.value_bits);
  offset_ = (bound + modulus - divide(bound, modulus).remainder).low();
}

void Finish::run(WidePoly& result, std::span<const std::uint64_t> planes, std::size_t stride,
                 std::span<const std::int32_t> e) const {
  std::array<std::uint64_t*, kWideWords> words{};
  for (std::size_t w = 0; w < result.word_count(); ++w) words[w] = result.plane(w).data();
  for (std::size_t i = 0; i < result.degree(); ++i) {
    WideInteger value = offset_;
    if (!e.empty()) add_shifted(value, e[i], 0, 0);
    for (std::size_t k = 0; k < shape_.limb_count; ++k) {
      const std::size_t bit = static_cast<std::size_t>(shape_.limb_bits) * k;
      add_shifted(value, static_cast<std::int64_t>(planes[k * stride + i]), bit / 64,
                  static_cast<int>(bit % 64));
    }
    // Barrett: the quotient is at most two too small, as the bits below the shift, the fraction of
    // the constant and that of the product are dropped.
    const std::uint64_t quotient = mul_high(top_bits(value, shift_), quotient_);
    subtract_multiple(value, quotient, q_);
    subtract_once(value, q_);
    subtract_once(value, q_);
    for (std::size_t w = 0; w < result.word_count(); ++w) words[w][i] = value[w];
  }
}

}  // namespace ringlet::wide
