// SPDX-License-Identifier: Apache-2.0
#include "schemes/ckks/centred_crt.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ring/backend/scratch.hpp"
#include "ringlet/arith/modular.hpp"

namespace ringlet::ckks {
namespace {

/// Larger than the smallest degree of every kernel.
constexpr int kAnyLogDegree = 30;
constexpr std::uint64_t kMinPrime52 = std::uint64_t{1} << 14;
constexpr std::uint64_t kMaxPrime52 = std::uint64_t{1} << 50;

/// Returns 1/q modulo 2^64, by Newton's iteration: q is its own inverse modulo 8.
std::uint64_t inverse_of_odd(std::uint64_t q) {
  std::uint64_t inverse = q;
  for (int bits = 3; bits < 64; bits *= 2) inverse *= 2 - q * inverse;
  return inverse;
}

}  // namespace

CentredCrt::CentredCrt(std::span<const Modulus> primes, const KernelSelection& selection)
    : kernel_(kernels::choose_embedding(kAnyLogDegree, selection)) {
  const bool fits52 = std::ranges::all_of(
      primes, [](const Modulus& q) { return q.value() >= kMinPrime52 && q.value() < kMaxPrime52; });
  for (std::size_t i = 0; i < primes.size(); ++i) {
    const Modulus& q = primes[i];
    primes_.push_back({q.value(), inverse_of_odd(q.value()), q.ratio()});
    // products[j] = q_0 ... q_{j-1} modulo q_i.
    std::vector<std::uint64_t> products{1};
    for (std::size_t j = 0; j < i; ++j) {
      products.push_back(mul_mod(products[j], q.reduce(primes[j].value()), q.value(), q.ratio()));
    }
    const std::uint64_t unit = inverse_mod(products[i], q);
    for (std::size_t j = 0; j <= i; ++j) {
      const std::uint64_t factor = j == i ? 1 : negate_mod(products[j], q.value());
      const std::uint64_t constant = mul_mod(factor, unit, q.value(), q.ratio());
      const auto shifted = [&](std::uint64_t x, int bits) {
        return mul_mod(x, q.reduce(std::uint64_t{1} << bits), q.value(), q.ratio());
      };
      const std::uint64_t constant52 = shifted(constant, 52);
      constants64_.push_back(shifted(constant52, 12));
      if (fits52) constants52_.push_back(constant52);
      constants104_.push_back(shifted(constant52, 52));
    }
  }
}

// q_0 * ... * q_{i-1} / scale for each i. A weight past the range of doubles stays finite, so that
// a zero digit keeps its zero.
void CentredCrt::weigh(std::span<double> weights, double scale) const {
  int scale_exponent = 0;
  long double fraction = 1.0L / std::frexp(static_cast<long double>(scale), &scale_exponent);
  int exponent = -scale_exponent;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto weight = static_cast<double>(std::ldexp(fraction, exponent));
    weights[i] = std::min(weight, std::numeric_limits<double>::max());
    int step = 0;
    fraction = std::frexp(fraction * static_cast<long double>(primes_[i].q), &step);
    exponent += step;
  }
}

void CentredCrt::to_real(const Backend& backend, std::span<double> values, ConstCoeffView residues,
                         double scale) const {
  const std::size_t count = residues.limb_count;
  Scratch scratch(*backend.pool(), (kernels::kCombineTile + 1) * count);
  auto* const weights =
      reinterpret_cast<double*>(scratch.words().data() + kernels::kCombineTile * count);
  weigh({weights, count}, scale);
  kernel_.counter.count();
  kernel_.kernel->combine(
      {.radix = {.primes = primes_.data(),
                 .count = count,
                 .constants64 = constants64_.data(),
                 .constants52 = constants52_.empty() ? nullptr : constants52_.data(),
                 .constants104 = constants104_.data()},
       .weights = weights,
       .residues = residues.data,
       .stride = residues.limb_stride,
       .values = values.data(),
       .count = values.size(),
       .scratch = scratch.words().data()});
}

}  // namespace ringlet::ckks
