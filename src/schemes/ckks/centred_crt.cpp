// SPDX-License-Identifier: Apache-2.0
#include "schemes/ckks/centred_crt.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ringlet/aligned.hpp"
#include "ringlet/rns_poly.hpp"

namespace ringlet::ckks {

CentredCrt::CentredCrt(std::span<const Modulus> primes)
    : primes_(primes.begin(), primes.end()), inverses_(primes.size()) {
  for (std::size_t i = 0; i < primes_.size(); ++i) {
    const Modulus& q = primes_[i];
    inverses_[i].reserve(i);
    for (std::size_t j = 0; j < i; ++j) {
      inverses_[i].push_back(inverse_mod(q.reduce(primes_[j].value()), q));
    }
  }
}

// One prime after the other: x_i <- (x_i - d_j) / q_j modulo q_i for each earlier digit d_j.
void CentredCrt::to_digits(const Backend& backend, CoeffView residues) const {
  CoeffPoly lifted(1, residues.degree, Secrecy::secret);
  const CoeffView digit = lifted.view_for_writing();
  for (std::size_t i = 1; i < residues.limb_count; ++i) {
    const PrimeIndices prime(&i, 1);
    const CoeffView x = residues.part(i, 1);
    for (std::size_t j = 0; j < i; ++j) {
      backend.lift_digit(digit, residues.limb(j), j, prime);
      backend.subtract(x, x, digit, prime);
      backend.multiply_scalars(x, x, {&inverses_[i][j], 1}, prime);
    }
  }
}

// q_0 * ... * q_{i-1} / scale for each i. A weight past the range of doubles stays finite, so that
// a zero digit keeps its zero.
std::vector<double> CentredCrt::weights(std::size_t count, double scale) const {
  std::vector<double> result(count);
  int scale_exponent = 0;
  long double fraction = 1.0L / std::frexp(static_cast<long double>(scale), &scale_exponent);
  int exponent = -scale_exponent;
  for (std::size_t i = 0; i < count; ++i) {
    const auto weight = static_cast<double>(std::ldexp(fraction, exponent));
    result[i] = std::min(weight, std::numeric_limits<double>::max());
    int step = 0;
    fraction = std::frexp(fraction * static_cast<long double>(primes_[i].value()), &step);
    exponent += step;
  }
  return result;
}

void CentredCrt::to_real(const Backend& backend, std::span<double> values, CoeffView residues,
                         double scale) const {
  to_digits(backend, residues);
  const std::vector<double> weight = weights(residues.limb_count, scale);
  SecretVector<std::uint64_t> negative(values.size());
  for (std::size_t i = 0; i < residues.limb_count; ++i) {
    const std::uint64_t half = primes_[i].value() / 2;
    const std::span<const std::uint64_t> digits = residues.limb(i);
    for (std::size_t t = 0; t < values.size(); ++t) {
      const auto above = static_cast<std::uint64_t>(digits[t] > half);
      const auto equal = static_cast<std::uint64_t>(digits[t] == half);
      negative[t] = above | (equal & negative[t]);
    }
  }
  for (std::size_t t = 0; t < values.size(); ++t) {
    values[t] = static_cast<double>(static_cast<std::int64_t>(negative[t])) * weight[0];
  }
  for (std::size_t i = 0; i < residues.limb_count; ++i) {
    const std::uint64_t top = primes_[i].value() - 1;
    const std::span<const std::uint64_t> digits = residues.limb(i);
    for (std::size_t t = 0; t < values.size(); ++t) {
      const std::uint64_t mask = std::uint64_t{0} - negative[t];
      const std::uint64_t digit = digits[t] ^ ((digits[t] ^ (top - digits[t])) & mask);
      values[t] += static_cast<double>(static_cast<std::int64_t>(digit)) * weight[i];
    }
  }
  for (std::size_t t = 0; t < values.size(); ++t) {
    values[t] *= 1.0 - 2.0 * static_cast<double>(static_cast<std::int64_t>(negative[t]));
  }
}

}  // namespace ringlet::ckks
