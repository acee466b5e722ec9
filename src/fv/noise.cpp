// SPDX-License-Identifier: Apache-2.0
#include "fv/noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "rlwe/random/samplers.hpp"

namespace ringlet::fv {
namespace {

constexpr double kFvFailureBits = 192;
// Above the relative errors of all floating-point steps.
constexpr double kSlack = 1 + 1e-9;

}  // namespace

double to_double(const WideInteger& value) noexcept {
  double result = 0;
  for (std::size_t w = kWideWords; w-- > 0;) {
    result = std::ldexp(result, 64) + static_cast<double>(value[w]);
  }
  return result;
}

NoiseBound bound_noise(std::size_t degree, std::uint64_t growth, const WideModulus& q,
                       std::uint64_t t) noexcept {
  const double n = static_cast<double>(degree);
  const double g = static_cast<double>(growth);
  const double variance = rlwe::kErrorBits / 2.0 * g * g * (2 * n + 1);
  const double tail = std::log(2 * n) + kFvFailureBits * std::numbers::ln2;
  const double worst = rlwe::kErrorBits * g * (2 * n + 1);
  NoiseBound bound;
  bound.fresh = (std::min(std::sqrt(2 * variance * tail), worst) + 0.5) * kSlack;
  const double room = to_double(q.value()) / (2 * static_cast<double>(t) * bound.fresh * kSlack);
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  bound.max_additions = room >= 0x1p64 ? kMost : static_cast<std::uint64_t>(room);
  return bound;
}

}  // namespace ringlet::fv
