// SPDX-License-Identifier: Apache-2.0
#include "kernels/wide/constants.hpp"

#include <bit>
#include <cmath>

#include "arith/wide_integer.hpp"
#include "kernels/wide/factor_writer.hpp"

namespace ringlet::kernels {
namespace {

constexpr int kWideBits = static_cast<int>(kWideWords) * wide::kWordBits;

WideInteger to_wide(uint128_t x) { return {low_word(x), high_word(x), 0}; }
uint128_t to_double(const WideInteger& x) { return join_words(x[0], x[1]); }

WideInteger shift_left(WideInteger x, int bits) {
  for (int i = 0; i < bits; ++i) x = wide::add(x, x);
  return x;
}

/// a*b modulo 2^192.
WideInteger multiply(const WideInteger& a, const WideInteger& b) {
  WideInteger product{};
  for (std::size_t w = kWideWords; w-- > 0;) {
    // product = product * 2^64 + a * b[w]
    product = wide::add({0, product[0], product[1]}, wide::multiply_add(a, b[w], 0));
  }
  return product;
}

/// q^-1 modulo 2^192 for an odd q: each step doubles the number of correct bits.
WideInteger inverse_of(const WideInteger& q) {
  WideInteger inverse = q;
  for (int right = 3; right < kWideBits; right *= 2) {
    inverse = multiply(inverse, wide::subtract({2, 0, 0}, multiply(q, inverse)));
  }
  return inverse;
}

/// 2^exponent mod q.
uint128_t power_of_two_mod(int exponent, uint128_t q) {
  uint128_t power = 1;
  for (int i = 0; i < exponent; ++i) power = add_mod_double(power, power, q);
  return power;
}

int beta_bits(const LimbFormat& format) { return format.limb_bits * format.limb_count; }

/// The bits of digit * 2^exponent as a double.
std::uint64_t double_bits(std::int64_t digit, int exponent) {
  return std::bit_cast<std::uint64_t>(std::ldexp(static_cast<double>(digit), exponent));
}

}  // namespace

void split_limbs(std::uint64_t* limbs, const WideInteger& x, const LimbFormat& format) {
  const std::uint64_t mask =
      format.limb_bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << format.limb_bits) - 1;
  for (int i = 0; i < format.limb_count; ++i) {
    limbs[i] = wide::shift_right(x, i * format.limb_bits)[0] & mask;
  }
}

WideInteger quotient_of_power(int exponent, const WideInteger& divisor) {
  WideInteger quotient{};
  WideInteger remainder{};
  for (int bit = exponent; bit >= 0; --bit) {
    remainder = wide::add(remainder, remainder);
    if (bit == exponent) remainder[0] |= 1;
    quotient = wide::add(quotient, quotient);
    if (!wide::is_less(remainder, divisor)) {
      remainder = wide::subtract(remainder, divisor);
      quotient[0] |= 1;
    }
  }
  return quotient;
}

DoubleBarrett make_double_barrett(uint128_t q) {
  constexpr LimbFormat kFormat{};
  const int shift = kFormat.barrett_bits - wide::bit_count(to_wide(q));
  const uint128_t shifted = q << shift;
  return {shifted, to_double(quotient_of_power(kFormat.barrett_exponent, to_wide(shifted))), shift};
}

void build_wide_constants(WideConstants& constants, const std::uint64_t q[2],
                          const LimbFormat& format) {
  constants = {};
  const WideInteger wide_q = {q[0], q[1], 0};
  constants.words[0] = q[0];
  constants.words[1] = q[1];
  constants.bits = wide::bit_count(wide_q);
  split_limbs(constants.q, wide_q, format);
  split_limbs(constants.negated, wide::subtract({}, wide_q), format);
  split_limbs(constants.inverse, inverse_of(wide_q), format);
  if (format.barrett_bits != 0) {
    constants.shift =
        format.barrett_shift != 0 ? format.barrett_shift : format.barrett_bits - constants.bits;
    const WideInteger shifted = shift_left(wide_q, constants.shift);
    split_limbs(constants.shifted, shifted, format);
    split_limbs(constants.quotient, quotient_of_power(format.barrett_exponent, shifted), format);
  }
  constants.factor = make_factor_constants(to_double(wide_q), format);
  WideFactorWriter(constants.factor, format).write(constants.one, 1);
}

void write_wide_factor(std::uint64_t* words, const std::uint64_t w[2],
                       const WideConstants& constants, const LimbFormat& format) {
  WideFactorWriter(constants.factor, format).write(words, join_words(w[0], w[1]));
}

WideFactorConstants make_factor_constants(uint128_t q, const LimbFormat& format) {
  const DoubleBarrett barrett = make_double_barrett(q);
  const uint128_t beta = power_of_two_mod(beta_bits(format), q);
  const WideInteger negated_inverse = wide::subtract({}, inverse_of(to_wide(q)));
  return {.shifted = {low_word(barrett.shifted_q), high_word(barrett.shifted_q)},
          .quotient = {low_word(barrett.quotient), high_word(barrett.quotient)},
          .beta = {low_word(beta), high_word(beta)},
          .negated_inverse = {negated_inverse[0], negated_inverse[1], negated_inverse[2]},
          .shift = barrett.shift};
}

WideFactorWriter::WideFactorWriter(const WideFactorConstants& c, const LimbFormat& format)
    : format_(format),
      barrett_{join_words(c.shifted[0], c.shifted[1]), join_words(c.quotient[0], c.quotient[1]),
               c.shift},
      beta_(join_words(c.beta[0], c.beta[1])),
      negated_inverse_{c.negated_inverse[0], c.negated_inverse[1], c.negated_inverse[2]} {}

void WideFactorWriter::write(std::uint64_t* words, uint128_t w) const {
  if (format_.factor == WideFactor::montgomery) {
    return split_limbs(words, to_wide(mul_mod_double(w, beta_, barrett_)), format_);
  }
  if (format_.factor == WideFactor::fraction) return write_fraction(words, w);
  split_limbs(words, to_wide(w), format_);
  if (format_.factor == WideFactor::plain) return;
  // w*beta = quotient*q + remainder, so that quotient = -remainder/q modulo beta.
  const uint128_t remainder = mul_mod_double(w, beta_, barrett_);
  split_limbs(words + format_.limb_count, multiply(to_wide(remainder), negated_inverse_), format_);
}

void WideFactorWriter::write_fraction(std::uint64_t* words, uint128_t w) const {
  // floor(w * beta^2 / q), least significant limb first; each half as in `write`.
  std::uint64_t limbs[2 * kMaxWideLimbs];
  uint128_t remainder = w;
  for (int half = 2; half-- > 0;) {
    remainder = mul_mod_double(remainder, beta_, barrett_);
    split_limbs(limbs + half * format_.limb_count, multiply(to_wide(remainder), negated_inverse_),
                format_);
  }
  const std::int64_t radix = std::int64_t{1} << format_.limb_bits;
  const auto centre = [&](std::int64_t& digit) {
    const bool is_large = digit >= radix / 2;
    if (is_large) digit -= radix;
    return is_large;
  };
  bool carry = false;
  for (int i = format_.limb_count + 2; i > 0; --i) {
    std::int64_t digit = static_cast<std::int64_t>(limbs[2 * format_.limb_count - i]) + carry;
    carry = centre(digit);
    words[i] = double_bits(digit, -i * format_.limb_bits);
  }
  // The last carry takes 1 from w/q, and so q from w.
  const uint128_t operand = carry ? w - (barrett_.shifted_q >> barrett_.shift) : w;
  auto digit = static_cast<std::int64_t>(low_word(operand) & static_cast<std::uint64_t>(radix - 1));
  centre(digit);
  words[0] = double_bits(digit, 0);
}

}  // namespace ringlet::kernels
