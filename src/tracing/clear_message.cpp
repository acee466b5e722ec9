// SPDX-License-Identifier: Apache-2.0
#include "tracing/clear_message.hpp"

#include <algorithm>
#include <cmath>

#include "ringlet/arith/modular.hpp"

namespace ringlet::circuits {
namespace {

template <typename Slots>
void rotate_row(Slots& slots, std::size_t first, std::size_t length, std::ptrdiff_t steps) {
  const auto row = static_cast<std::ptrdiff_t>(length);
  const auto begin = slots.begin() + static_cast<std::ptrdiff_t>(first);
  std::rotate(begin, begin + (steps % row + row) % row, begin + row);
}

}  // namespace

double ClearMessage::magnitude() const noexcept {
  double largest = 0;
  for (const auto& z : numbers_) largest = std::max(largest, std::abs(z));
  return largest;
}

template <typename OnNumbers, typename OnResidues>
ClearMessage ClearMessage::zipped(const ClearMessage& other, const OnNumbers& on_numbers,
                                  const OnResidues& on_residues) const {
  ClearMessage result = *this;
  std::ranges::transform(numbers_, other.numbers_, result.numbers_.begin(), on_numbers);
  std::ranges::transform(residues_, other.residues_, result.residues_.begin(), on_residues);
  return result;
}

ClearMessage ClearMessage::negated() const {
  ClearMessage result = *this;
  for (auto& z : result.numbers_) z = -z;
  for (auto& x : result.residues_) x = negate_mod(x, t_->value());
  return result;
}

ClearMessage ClearMessage::plus(const ClearMessage& other) const {
  return zipped(
      other, [](const auto& z, const auto& w) { return z + w; },
      [this](std::uint64_t x, std::uint64_t y) { return add_mod(x, y, t_->value()); });
}

ClearMessage ClearMessage::minus(const ClearMessage& other) const {
  return zipped(
      other, [](const auto& z, const auto& w) { return z - w; },
      [this](std::uint64_t x, std::uint64_t y) { return sub_mod(x, y, t_->value()); });
}

ClearMessage ClearMessage::times(const ClearMessage& other) const {
  return zipped(
      other, [](const auto& z, const auto& w) { return z * w; },
      [this](std::uint64_t x, std::uint64_t y) { return t_->multiply(x, y); });
}

ClearMessage ClearMessage::scaled(double factor) const {
  ClearMessage result = *this;
  for (auto& z : result.numbers_) z *= factor;
  return result;
}

ClearMessage ClearMessage::power(std::uint64_t exponent) const {
  ClearMessage result = *this;
  for (auto& x : result.residues_) x = pow_mod(x, exponent, *t_);
  return result;
}

ClearMessage ClearMessage::rotated(std::ptrdiff_t steps) const {
  ClearMessage result = *this;
  if (!result.numbers_.empty()) rotate_row(result.numbers_, 0, result.numbers_.size(), steps);
  const std::size_t row = result.residues_.size() / 2;
  for (const std::size_t first : {std::size_t{0}, row}) {
    if (row != 0) rotate_row(result.residues_, first, row, steps);
  }
  return result;
}

ClearMessage ClearMessage::conjugated() const {
  ClearMessage result = *this;
  for (auto& z : result.numbers_) z = std::conj(z);
  const auto half = static_cast<std::ptrdiff_t>(result.residues_.size() / 2);
  std::ranges::rotate(result.residues_, result.residues_.begin() + half);
  return result;
}

}  // namespace ringlet::circuits
