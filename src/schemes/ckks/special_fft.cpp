// SPDX-License-Identifier: Apache-2.0
#include "schemes/ckks/special_fft.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace ringlet::ckks {
namespace {

// A value below 2^-900 in magnitude becomes 0: subnormal intermediate results are slow on some
// processors, and their time would tell about the data.
double flush_tiny(double value) {
  constexpr std::uint64_t kMagnitude = ~(std::uint64_t{1} << 63);
  constexpr auto kTiny = std::bit_cast<std::uint64_t>(0x1p-900);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto keep = static_cast<std::uint64_t>((bits & kMagnitude) >= kTiny);
  return std::bit_cast<double>(bits & (std::uint64_t{0} - keep));
}

}  // namespace

SpecialFft::SpecialFft(std::size_t degree) : degree_(degree), slot_count_(degree / 2) {
  const std::uint64_t order = 2 * std::uint64_t{degree};
  // A block stands for X^L - r, r = zeta^e; the tree starts at X^(N/2) - i.
  std::vector<std::uint64_t> exponents{order / 4};
  std::size_t length = slot_count_;
  const auto split_blocks = [&] {
    std::vector<std::uint64_t> children;
    children.reserve(2 * exponents.size());
    for (const std::uint64_t e : exponents) {
      children.push_back(e / 2);
      children.push_back(e / 2 + order / 2);
    }
    exponents = std::move(children);
    length /= 2;
  };
  odd_levels_ = std::countr_zero(slot_count_) % 2 == 1;
  if (odd_levels_) split_blocks();
  while (length > 1) {
    for (const std::uint64_t e : exponents) {
      factors_.push_back({root(e / 4), root(e / 2), root(3 * (e / 4))});
    }
    split_blocks();
    split_blocks();
  }

  std::vector<std::size_t> leaf_of(order);
  for (std::size_t leaf = 0; leaf < slot_count_; ++leaf) leaf_of[exponents[leaf]] = leaf;
  position_.resize(slot_count_);
  std::uint64_t power = 1;
  for (std::size_t j = 0; j < slot_count_; ++j) {
    position_[j] = leaf_of[j % 2 == 0 ? power : order - power];
    power = 3 * power % order;
  }
}

// Each root on its own from an angle in [0, pi/4]: no error accumulates, and the roots of order 8
// are symmetric to the last bit.
SpecialFft::Root SpecialFft::root(std::uint64_t exponent) const {
  const std::uint64_t order = 2 * std::uint64_t{degree_};
  const std::uint64_t quarter = order / 4;
  exponent %= order;
  const std::uint64_t quadrant = exponent / quarter;
  const std::uint64_t rest = exponent % quarter;
  const bool mirrored = 2 * rest > quarter;
  const std::uint64_t small = mirrored ? quarter - rest : rest;
  const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(small) /
                            static_cast<long double>(order);
  auto re = static_cast<double>(std::cos(angle));
  auto im = static_cast<double>(std::sin(angle));
  if (mirrored) std::swap(re, im);
  switch (quadrant) {
    case 0:
      return {re, im};
    case 1:
      return {-im, re};
    case 2:
      return {-re, -im};
    default:
      return {im, -re};
  }
}

void SpecialFft::scatter(std::span<double> buffer, std::span<const double> slots,
                         double factor) const {
  std::fill(buffer.begin(), buffer.end(), 0.0);
  for (std::size_t j = 0; j < slots.size(); ++j) {
    buffer[position_[j]] = flush_tiny(slots[j]) * factor;
  }
}

void SpecialFft::scatter(std::span<double> buffer, std::span<const std::complex<double>> slots,
                         double factor) const {
  std::fill(buffer.begin(), buffer.end(), 0.0);
  const Split values = split(buffer);
  for (std::size_t j = 0; j < slots.size(); ++j) {
    const double sign = j % 2 == 0 ? factor : -factor;
    values.re[position_[j]] = flush_tiny(slots[j].real()) * factor;
    values.im[position_[j]] = flush_tiny(slots[j].imag()) * sign;
  }
}

void SpecialFft::gather(std::span<std::complex<double>> slots,
                        std::span<const double> buffer) const {
  const double* re = buffer.data();
  const double* im = re + slot_count_;
  for (std::size_t j = 0; j < slot_count_; ++j) {
    const double sign = j % 2 == 0 ? 1.0 : -1.0;
    slots[j] = {re[position_[j]], im[position_[j]] * sign};
  }
}

void SpecialFft::gather(std::span<double> slots, std::span<const double> buffer) const {
  for (std::size_t j = 0; j < slot_count_; ++j) slots[j] = buffer[position_[j]];
}

// x_k of quarter k -> x_0 +- s*x_1 + s^2*x_2 +- s^3*x_3 and, with i*s for s, the other two.
void SpecialFft::forward_block(Split values, std::size_t stride, const Factors& factors) {
  const auto [w1, w2, w3] = factors;
  double* __restrict re = values.re;
  double* __restrict im = values.im;
  for (std::size_t k = 0; k < stride; ++k) {
    const std::size_t k0 = k;
    const std::size_t k1 = k0 + stride;
    const std::size_t k2 = k1 + stride;
    const std::size_t k3 = k2 + stride;
    const double t1r = re[k1] * w1.re - im[k1] * w1.im;
    const double t1i = re[k1] * w1.im + im[k1] * w1.re;
    const double t2r = re[k2] * w2.re - im[k2] * w2.im;
    const double t2i = re[k2] * w2.im + im[k2] * w2.re;
    const double t3r = re[k3] * w3.re - im[k3] * w3.im;
    const double t3i = re[k3] * w3.im + im[k3] * w3.re;
    const double even_r = re[k0] + t2r;
    const double even_i = im[k0] + t2i;
    const double odd_r = re[k0] - t2r;
    const double odd_i = im[k0] - t2i;
    const double sum_r = t1r + t3r;
    const double sum_i = t1i + t3i;
    const double difference_r = t1r - t3r;
    const double difference_i = t1i - t3i;
    re[k0] = even_r + sum_r;
    im[k0] = even_i + sum_i;
    re[k1] = even_r - sum_r;
    im[k1] = even_i - sum_i;
    re[k2] = odd_r - difference_i;
    im[k2] = odd_i + difference_r;
    re[k3] = odd_r + difference_i;
    im[k3] = odd_i - difference_r;
  }
}

// The transpose conjugate of forward_block: 4 times its inverse.
void SpecialFft::inverse_block(Split values, std::size_t stride, const Factors& factors) {
  const auto [w1, w2, w3] = factors;
  double* __restrict re = values.re;
  double* __restrict im = values.im;
  for (std::size_t k = 0; k < stride; ++k) {
    const std::size_t k0 = k;
    const std::size_t k1 = k0 + stride;
    const std::size_t k2 = k1 + stride;
    const std::size_t k3 = k2 + stride;
    const double even_r = re[k0] + re[k1];
    const double even_i = im[k0] + im[k1];
    const double sum_r = re[k0] - re[k1];
    const double sum_i = im[k0] - im[k1];
    const double odd_r = re[k2] + re[k3];
    const double odd_i = im[k2] + im[k3];
    const double difference_r = im[k2] - im[k3];
    const double difference_i = re[k3] - re[k2];
    const double t1r = sum_r + difference_r;
    const double t1i = sum_i + difference_i;
    const double t2r = even_r - odd_r;
    const double t2i = even_i - odd_i;
    const double t3r = sum_r - difference_r;
    const double t3i = sum_i - difference_i;
    re[k0] = even_r + odd_r;
    im[k0] = even_i + odd_i;
    re[k1] = t1r * w1.re + t1i * w1.im;
    im[k1] = t1i * w1.re - t1r * w1.im;
    re[k2] = t2r * w2.re + t2i * w2.im;
    im[k2] = t2i * w2.re - t2r * w2.im;
    re[k3] = t3r * w3.re + t3i * w3.im;
    im[k3] = t3i * w3.re - t3r * w3.im;
  }
}

void SpecialFft::coefficients_to_points(std::span<double> buffer) const {
  const Split values = split(buffer);
  std::size_t length = slot_count_;
  std::size_t blocks = 1;
  if (odd_levels_) {
    const Root w = root(degree_ / 4);
    length /= 2;
    blocks = 2;
    for (std::size_t k = 0; k < length; ++k) {
      const double tr = values.re[k + length] * w.re - values.im[k + length] * w.im;
      const double ti = values.re[k + length] * w.im + values.im[k + length] * w.re;
      values.re[k + length] = values.re[k] - tr;
      values.im[k + length] = values.im[k] - ti;
      values.re[k] += tr;
      values.im[k] += ti;
    }
  }
  const Factors* factors = factors_.data();
  for (; length > 1; length /= 4, blocks *= 4) {
    for (std::size_t b = 0; b < blocks; ++b) {
      const Split block{values.re + b * length, values.im + b * length};
      forward_block(block, length / 4, *factors++);
    }
  }
}

void SpecialFft::points_to_coefficients(std::span<double> buffer) const {
  const Split values = split(buffer);
  const std::size_t top = odd_levels_ ? slot_count_ / 2 : slot_count_;
  const Factors* factors = factors_.data() + factors_.size();
  for (std::size_t length = 4; length <= top; length *= 4) {
    const std::size_t blocks = slot_count_ / length;
    factors -= blocks;
    for (std::size_t b = 0; b < blocks; ++b) {
      const Split block{values.re + b * length, values.im + b * length};
      inverse_block(block, length / 4, factors[b]);
    }
  }
  if (!odd_levels_) return;
  const Root w = root(degree_ / 4);
  for (std::size_t k = 0; k < top; ++k) {
    const double tr = values.re[k] - values.re[k + top];
    const double ti = values.im[k] - values.im[k + top];
    values.re[k] += values.re[k + top];
    values.im[k] += values.im[k + top];
    values.re[k + top] = tr * w.re + ti * w.im;
    values.im[k + top] = ti * w.re - tr * w.im;
  }
}

}  // namespace ringlet::ckks
