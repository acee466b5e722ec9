// SPDX-License-Identifier: Apache-2.0
#include "circuits/plan/noise_share.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace ringlet::circuits {

// Steps of composed rotations may be negative.
void NoiseShare::rotate(int steps) {
  const auto modulo = [steps](std::size_t length) {
    const auto n = static_cast<std::ptrdiff_t>(length);
    return (steps % n + n) % n;
  };
  const auto turn = static_cast<std::size_t>(modulo(slots_));
  for (std::size_t& image : turns_) image = (image + turn) % slots_;
  std::ranges::sort(turns_);
  std::ranges::rotate(squares_, squares_.begin() + modulo(squares_.size()));
}

void NoiseShare::multiply(double factor) {
  for (double& square : squares_) square *= factor * factor;
}

void NoiseShare::multiply(std::span<const double> factors) {
  if (squares_.size() == 1) squares_.resize(factors.size(), squares_[0]);
  for (std::size_t i = 0; i < squares_.size(); ++i) squares_[i] *= factors[i] * factors[i];
}

// Squares add if no rotation is in both. Otherwise deviations do, by Minkowski's inequality.
void NoiseShare::add(const NoiseShare& other) {
  std::vector<std::size_t> all;
  all.reserve(turns_.size() + other.turns_.size());
  std::ranges::set_union(turns_, other.turns_, std::back_inserter(all));
  const bool are_apart = all.size() == turns_.size() + other.turns_.size();
  turns_ = std::move(all);
  if (squares_.size() < other.squares_.size()) squares_.resize(other.squares_.size(), squares_[0]);
  const bool is_one = other.squares_.size() == 1;
  for (std::size_t i = 0; i < squares_.size(); ++i) {
    const double square = other.squares_[is_one ? 0 : i];
    squares_[i] += square;
    if (are_independent_ && are_apart) continue;
    squares_[i] += 2 * std::sqrt((squares_[i] - square) * square);
  }
}

// As the largest of eight maxima that do not wait for each other.
double NoiseShare::gain() const {
  std::array<double, 8> most{};
  for (std::size_t i = 0; i < squares_.size(); ++i)
    most[i % 8] = std::max(most[i % 8], squares_[i]);
  return std::sqrt(std::ranges::max(most));
}

}  // namespace ringlet::circuits
