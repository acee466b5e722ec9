// SPDX-License-Identifier: Apache-2.0
#include "fv/message_scaling.hpp"

#include <algorithm>
#include <cstddef>

#include "arith/wide_integer.hpp"
#include "ringlet/arith/modular.hpp"

namespace ringlet::fv {
namespace {

constexpr int kReciprocalBits = 62;  // beyond the bits of q
constexpr int kHeadBits = 30;        // bits of q in the head of a numerator

struct Difference {
  WideInteger value;     ///< a - b modulo 2^192.
  std::uint64_t borrow;  ///< All ones if a < b, else 0.
};

RINGLET_INLINE Difference subtract(const WideInteger& a, const WideInteger& b) noexcept {
  Difference result{};
  std::uint64_t borrow = 0;
  for (std::size_t w = 0; w < kWideWords; ++w) {
    const uint128_t d = static_cast<uint128_t>(a[w]) - b[w] - borrow;
    result.value[w] = static_cast<std::uint64_t>(d);
    borrow = static_cast<std::uint64_t>(d >> 64) & 1;
  }
  result.borrow = opaque(std::uint64_t{0} - borrow);
  return result;
}

// Returns a where the mask is all ones, b where it is 0.
RINGLET_INLINE WideInteger choose(std::uint64_t mask, const WideInteger& a,
                                  const WideInteger& b) noexcept {
  WideInteger result{};
  for (std::size_t w = 0; w < kWideWords; ++w) result[w] = (a[w] & mask) | (b[w] & ~mask);
  return result;
}

// Returns floor(2^(b + 62) / q) for 2^(b - 1) <= q < 2^b, bit by bit. It is at most 2^63.
std::uint64_t reciprocal_of(const WideModulus& q) noexcept {
  const int top = q.bit_count() - 1;
  WideInteger rest{};
  rest[static_cast<std::size_t>(top / 64)] = std::uint64_t{1} << (top % 64);
  std::uint64_t quotient = 0;
  for (int bit = 0; bit <= kReciprocalBits + 1; ++bit) {
    const Difference d = subtract(rest, q.value());
    quotient = 2 * quotient + static_cast<std::uint64_t>(d.borrow == 0);
    rest = choose(d.borrow, rest, d.value);
    rest = wide::add(rest, rest);
  }
  return quotient;
}

}  // namespace

MessageScaling::MessageScaling(const WideModulus& q, std::uint64_t t) noexcept
    : q_(q.value()),
      half_q_(wide::shift_right(q.value(), 1)),
      q_reciprocal_(reciprocal_of(q)),
      head_shift_(std::max(0, q.bit_count() - kHeadBits)),
      quotient_shift_(q.bit_count() + kReciprocalBits - head_shift_),
      t_(t),
      t_reciprocal_(~std::uint64_t{0} / t),
      delta_(q.value()),
      q_modulo_t_(wide::divide(delta_, t)) {}

WideInteger MessageScaling::scale(std::uint64_t m) const noexcept {
  // floor(x / t) or one less, as x < 2^64.
  const std::uint64_t x = q_modulo_t_ * m + t_ / 2;
  const std::uint64_t quotient = mul_high(x, t_reciprocal_);
  const std::uint64_t rest = x - quotient * t_;  // below 2t
  const std::uint64_t is_less = opaque((rest - t_) >> 63);
  return wide::multiply_add(delta_, m, quotient + 1 - is_less);
}

std::uint64_t MessageScaling::unscale(const WideInteger& w) const noexcept {
  const WideInteger numerator = wide::add(wide::multiply_add(w, t_, 0), half_q_);
  const std::uint64_t head = wide::shift_right(numerator, head_shift_)[0];
  // floor(numerator / q) or one less.
  const auto quotient =
      static_cast<std::uint64_t>((static_cast<uint128_t>(head) * q_reciprocal_) >> quotient_shift_);
  const WideInteger rest = wide::subtract(numerator, wide::multiply_add(q_, quotient, 0));
  const std::uint64_t is_short = 1 + subtract(rest, q_).borrow;
  return subtract_if_at_least(quotient + is_short, t_);
}

void MessageScaling::add_scaled(WidePoly& poly,
                                std::span<const std::uint64_t> message) const noexcept {
  for (std::size_t i = 0; i < message.size(); ++i) {
    const WideInteger sum = wide::add(poly[i], scale(message[i]));
    const Difference reduced = subtract(sum, q_);
    poly.set(i, choose(reduced.borrow, sum, reduced.value));
  }
}

void MessageScaling::unscale(std::span<std::uint64_t> message,
                             const WidePoly& poly) const noexcept {
  for (std::size_t i = 0; i < message.size(); ++i) message[i] = unscale(poly[i]);
}

WideInteger MessageScaling::largest_noise(const WidePoly& poly,
                                          std::span<const std::uint64_t> message) const noexcept {
  WideInteger largest{};
  for (std::size_t i = 0; i < message.size(); ++i) {
    const Difference d = subtract(poly[i], scale(message[i]));
    const WideInteger noise = choose(d.borrow, wide::add(d.value, q_), d.value);
    const WideInteger negative = wide::subtract(q_, noise);
    const WideInteger magnitude = choose(subtract(noise, negative).borrow, noise, negative);
    largest = choose(subtract(largest, magnitude).borrow, magnitude, largest);
  }
  return largest;
}

}  // namespace ringlet::fv
