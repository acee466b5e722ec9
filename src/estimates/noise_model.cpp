// SPDX-License-Identifier: Apache-2.0
#include "estimates/noise_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "estimates/root_values.hpp"
#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/estimates/object_sizes.hpp"
#include "ringlet/ring/cyclotomic.hpp"
#include "ringlet/ring/ring_spec.hpp"
#include "rlwe/random/samplers.hpp"

namespace ringlet::estimates {
namespace {

constexpr long double kSecretVariance = 2.0L / 3;

// Errors have m coefficients before they are reduced modulo Phi_m.
std::size_t error_length(const RingSpec& ring) {
  const bool is_general = ring.kind() == RingKind::cyclotomic;
  return is_general ? static_cast<std::size_t>(ring.cyclotomic_index()) : ring.degree();
}

// Modulo X^m - 1, a polynomial that is 0 at all other roots has coefficients n/m times as large as
// modulo X^n + 1. Reducing it modulo Phi_m may enlarge them.
long double coefficient_factor(const RingSpec& ring) {
  if (ring.kind() != RingKind::cyclotomic) return 1;
  const std::uint64_t m = ring.cyclotomic_index();
  return static_cast<long double>(reduction_growth(CyclotomicPolynomial(m), m)) *
         static_cast<long double>(ring.degree()) / static_cast<long double>(m);
}

NoiseTerm flat(std::size_t power, long double variance) { return {power, 1, variance, 0, 0}; }

// Returns E|s|^(2*power) in units of (E|s|^2)^power. Many parts ask for few powers.
long double factorial(std::size_t power) {
  constexpr std::size_t kUsual = 32;
  static const std::array<long double, kUsual> known = [] {
    std::array<long double, kUsual> values{};
    for (std::size_t i = 0; i < kUsual; ++i) {
      values[i] = std::tgamma(static_cast<long double>(i) + 1);
    }
    return values;
  }();
  return power < kUsual ? known[power] : std::tgamma(static_cast<long double>(power) + 1);
}

}  // namespace

NoiseModel::NoiseModel(const EncryptionParameters& parms, double failure_bits)
    : parms_(parms),
      last_level_(last_level_primes(parms)),
      degree_(static_cast<long double>(parms.poly_modulus_degree())),
      error_(static_cast<long double>(error_length(parms.ring())) *
             static_cast<long double>(rlwe::kErrorVariance)),
      secret_(degree_ * kSecretVariance),
      plain_modulus_(
          parms.scheme() == SchemeType::ckks ? 1 : static_cast<long double>(parms.plain_modulus())),
      slot_tails_(std::numbers::ln2_v<long double> * failure_bits + std::log(degree_ / 2)),
      coefficient_tails_(std::numbers::ln2_v<long double> * failure_bits + std::log(degree_)),
      coefficient_factor_(coefficient_factor(parms.ring())) {}

double NoiseModel::log2_modulus(std::size_t prime_count) const {
  double bits = 0;
  for (std::size_t i = 0; i < prime_count; ++i) bits += std::log2(static_cast<double>(prime(i)));
  return bits;
}

long double NoiseModel::modulus(std::size_t prime_count) const {
  return std::exp2(static_cast<long double>(log2_modulus(prime_count)));
}

PolynomialSize NoiseModel::lifted_size(std::span<const std::uint64_t> message,
                                       std::uint64_t factor) const {
  const Modulus t(parms_.plain_modulus());
  SecretVector<double> lifted(parms_.poly_modulus_degree());
  for (std::size_t k = 0; k < message.size(); ++k) {
    const std::uint64_t m = t.multiply(message[k], factor);
    lifted[k] =
        m >= (t.value() + 1) / 2 ? -static_cast<double>(t.value() - m) : static_cast<double>(m);
  }
  return size_at_roots(parms_.ring(), lifted);
}

// floor((q*m + h) / t) for h = floor((t+1)/2), as Encryptor rounds.
PolynomialSize NoiseModel::scaling_error(std::span<const std::uint64_t> message,
                                         std::size_t prime_count) const {
  const Modulus t(parms_.plain_modulus());
  const std::uint64_t half = (t.value() + 1) / 2;
  std::uint64_t q = 1;
  for (std::size_t i = 0; i < prime_count; ++i) q = t.multiply(q, t.reduce(prime(i)));
  SecretVector<double> errors(parms_.poly_modulus_degree());
  for (std::size_t k = 0; k < message.size(); ++k) {
    const std::uint64_t rest = t.reduce(t.multiply(q, message[k]) + half);
    errors[k] = rest > half ? -static_cast<double>(rest - half) : static_cast<double>(half - rest);
  }
  return size_at_roots(parms_.ring(), errors);
}

PolynomialSize NoiseModel::largest_message() const {
  const auto n = static_cast<double>(degree_);
  const double half = static_cast<double>(plain_modulus_) / 2;
  return {n * half, std::sqrt(n) * half, 0};
}

// For Gaussian values, the mean of the fourth powers is 2 times the square of the mean of the
// squares; 3 times allows for a few other values. The largest of 2048 squares is above 4 times
// their mean except with probability 10^-8. For a sum of four monomials it never is, and products
// of such a sum with the same x would not add like independent values.
NoiseTerms NoiseModel::known(const PolynomialSize& size) {
  constexpr long double kMostQuartic = 3;
  const auto rms = static_cast<long double>(size.rms);
  const auto largest = static_cast<long double>(size.largest);
  const auto quartic = static_cast<long double>(size.quartic_mean);
  const long double mean = rms * rms;
  const long double top = largest * largest;
  const bool is_like_random =
      quartic > 0 && top > 4 * mean && std::pow(quartic, 4.0L) <= kMostQuartic * mean * mean;
  if (is_like_random) return NoiseTerms({flat(0, mean)});
  return NoiseTerms({{0, 0, 0, mean, top}});
}

NoiseTerms NoiseModel::rounding(std::size_t size) const {
  std::vector<NoiseTerm> terms;
  long double variance = rounding();
  for (std::size_t power = 0; power < size; ++power, variance *= secret_) {
    terms.push_back(flat(power, variance));
  }
  return NoiseTerms(std::move(terms));
}

NoiseTerms NoiseModel::fresh_symmetric() const { return NoiseTerms({flat(0, error_)}); }

// The error e of the public key is the same for all ciphertexts: e*u counts like u*s.
NoiseTerms NoiseModel::fresh_public(std::size_t prime_count) const {
  const NoiseTerms noise({flat(0, error_), flat(1, 2 * error_ * secret_)});
  if (prime_count == parms_.coeff_modulus().size()) return noise;
  const auto p = static_cast<long double>(prime(prime_count));
  return NoiseTerms::sum(noise.scaled(1 / (p * p)), rounding(2), Dependence::independent);
}

// The errors of a key are the same for all ciphertexts: they count as a power of s.
NoiseTerms NoiseModel::key_switch(std::size_t prime_count) const {
  const std::size_t size = parms_.digit_size();
  long double special = 1;
  for (const Modulus& p : parms_.special_primes()) special *= static_cast<long double>(p.value());
  long double digits = 0;
  for (std::size_t first = 0; first < prime_count; first += size) {
    long double digit = 1;
    for (std::size_t i = first; i < std::min(first + size, prime_count); ++i) {
      digit *= static_cast<long double>(prime(i));
    }
    digits += digit / special * (digit / special);
  }
  return NoiseTerms::sum(NoiseTerms({flat(1, digits * rounding() * error_)}), rounding(2),
                         Dependence::independent);
}

long double NoiseModel::mean_square(const NoiseTerms& noise) {
  long double sum = 0;
  for (const NoiseTerm& term : noise.terms()) sum += term.average() * factorial(term.power);
  return sum;
}

long double NoiseModel::spread(const NoiseTerms& noise) const {
  const long double average = mean_square(noise);
  long double largest = 0;
  for (const NoiseTerm& term : noise.terms()) largest += term.largest() * factorial(term.power);
  return largest == 0 ? degree_ : std::max(2.0L, degree_ * (average / largest));
}

long double NoiseModel::slot_bound(const NoiseTerms& noise, Dependence dependence) const {
  long double bound = 0;
  for (const NoiseTerm& term : noise.terms()) {
    bound += term.largest() * (term.degree == 0 ? 1 : slot_tails_(term, dependence));
  }
  return std::sqrt(bound);
}

// A coefficient is an average over all roots. The bound adds two cases: a real Gaussian with the
// average variance, and the contribution of one pair of roots where factors happen to be large.
long double NoiseModel::coefficient_bound(const NoiseTerms& noise, Dependence dependence) const {
  long double bound = 0;
  for (const NoiseTerm& term : noise.terms()) {
    const long double average = term.average() * factorial(term.power);
    if (term.degree == 0) {
      bound += average;
      continue;
    }
    const long double all = 2 * coefficient_tails_.exponent() * average / degree_;
    const long double pair = 4 / (degree_ * degree_) * term.largest();
    bound += all + pair * coefficient_tails_(term, dependence);
  }
  return std::sqrt(bound) * coefficient_factor_;
}

}  // namespace ringlet::estimates
