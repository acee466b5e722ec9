// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/signed/factor.hpp"

#include <bit>

namespace ringlet::kernels {
namespace {

/// Maps w in [0, q) to (-q/2, q/2).
std::int64_t centred(std::uint64_t w, std::uint64_t q) {
  return static_cast<std::int64_t>(w > q / 2 ? w - q : w);
}

/// Returns w * 2^bits mod q, centred; bits < 128.
std::int64_t centred_shift(std::uint64_t w, int bits, std::uint64_t q) {
  uint128_t x = w;
  for (; bits > 32; bits -= 32) x = (x << 32) % q;
  return centred(static_cast<std::uint64_t>((x << bits) % q), q);
}

/// Returns the word with the halves high and low, both signed, such that x = high*2^32 + low.
std::uint64_t split_halves(std::int64_t x) {
  const auto low = static_cast<std::uint32_t>(x);
  const std::uint64_t carry = std::uint64_t{low >> 31} << 32;
  return static_cast<std::uint64_t>(x) + carry;
}

/// Returns c * 2^64 / q rounded to nearest, for c in (-q/2, q/2).
std::int64_t signed_fraction(std::int64_t c, std::uint64_t q) {
  const auto size = static_cast<std::uint64_t>(c < 0 ? -c : c);
  const auto fraction =
      static_cast<std::int64_t>(((static_cast<uint128_t>(size) << 64) + q / 2) / q);
  return c < 0 ? -fraction : fraction;
}

/// Returns the words of SignedShoup64. Near w = q/2 the upper half of the quotient of w does not
/// fit, but the upper half of the quotient of w - q does.
TwiddlePair shoup_pair(std::uint64_t w, std::uint64_t q) {
  constexpr std::int64_t kMost = INT64_MAX - (std::int64_t{1} << 31);
  const std::int64_t c = centred(w, q);
  const std::int64_t quotient = signed_fraction(c, q);
  if (quotient <= kMost) return {static_cast<std::uint64_t>(c), split_halves(quotient)};
  // The upper half of quotient - 2^64 is INT32_MIN.
  const auto low = static_cast<std::uint32_t>(quotient);
  return {static_cast<std::uint64_t>(c) - q, (std::uint64_t{1} << 63) | low};
}

}  // namespace

TwiddlePair make_signed_pair(std::uint64_t w, std::uint64_t q, TwiddleForm form) {
  const std::int64_t c = centred(w, q);
  const auto word = static_cast<std::uint64_t>(c);
  switch (form) {
    case TwiddleForm::real:
      return {std::bit_cast<std::uint64_t>(static_cast<double>(c)),
              std::bit_cast<std::uint64_t>(static_cast<double>(c) / static_cast<double>(q))};
    case TwiddleForm::long_real: {
      // q itself may not be exact as a double.
      const double ratio = static_cast<double>(signed_fraction(c, q)) * 0x1p-64;
      return {word, std::bit_cast<std::uint64_t>(ratio)};
    }
    case TwiddleForm::mont64:
      return {split_halves(centred_shift(w, 32, q)), split_halves(centred_shift(w, 64, q))};
    case TwiddleForm::mont32: {
      const auto a = static_cast<std::uint64_t>(centred_shift(w, 32, q));
      return {a, static_cast<std::uint32_t>(a) * half_word_inverse(q)};
    }
    case TwiddleForm::shoup64:
      return shoup_pair(w, q);
    case TwiddleForm::quotient:
    case TwiddleForm::fraction:
      break;
  }
  return {};
}

}  // namespace ringlet::kernels
