// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ring/cyclotomic.hpp"
#include "ringlet/ring/rns_poly.hpp"
#include "ringlet/rlwe/key_generator.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// The values of a real polynomial at zeta^(2j+1), j = 0, ..., N-1, zeta = e^(i*pi/N); N a power of
/// two. It shares no code with the library's transforms.
inline std::vector<std::complex<double>> canonical_embedding(std::span<const double> coefficients) {
  using Value = std::complex<double>;
  const std::size_t degree = coefficients.size();
  const auto root = [degree](std::size_t k) {
    return std::polar(1.0, std::numbers::pi * static_cast<double>(k) / static_cast<double>(degree));
  };
  std::vector<Value> values(degree);
  for (std::size_t i = 0; i < degree; ++i) values[i] = coefficients[i] * root(i);
  // values[j] = sum over i of x_i * e^(2*pi*i*j*I/N), decimation in time.
  for (std::size_t i = 1, j = 0; i < degree; ++i) {
    std::size_t bit = degree / 2;
    for (; (j & bit) != 0; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  std::vector<Value> roots(degree / 2);
  for (std::size_t k = 0; k < roots.size(); ++k) roots[k] = root(2 * k);
  for (std::size_t half = 1; half < degree; half *= 2) {
    for (std::size_t first = 0; first < degree; first += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const Value odd = values[first + half + k] * roots[k * (degree / 2 / half)];
        const Value even = values[first + k];
        values[first + k] = even + odd;
        values[first + half + k] = even - odd;
      }
    }
  }
  return values;
}

/// The largest absolute value in that embedding. It bounds coefficients, and is submultiplicative.
inline double canonical_norm(std::span<const double> coefficients) {
  double largest = 0;
  for (const auto& value : canonical_embedding(coefficients)) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

/// The product of a level's primes.
inline long double modulus_of(const ContextData& level) {
  long double product = 1;
  for (const Modulus& q : level.coeff_modulus()) product *= static_cast<long double>(q.value());
  return product;
}

/// The largest absolute value of the secret at the roots of X^N + 1.
inline double secret_norm(const Context& context, const SecretKey& secret) {
  const std::size_t first = 0;
  CoeffPoly residues(1, context.ring().degree());
  context.backend().inverse_ntt(residues.view_for_writing(), secret.view().part(0, 1),
                                PrimeIndices(&first, 1));
  const std::uint64_t q = context.first_context_data()->coeff_modulus()[0].value();
  std::vector<double> coefficients;
  for (const std::uint64_t x : residues.view().limb(0)) {
    coefficients.push_back(x > q / 2 ? -static_cast<double>(q - x) : static_cast<double>(x));
  }
  return canonical_norm(coefficients);
}

/// Bounds of the noises that operations add, in the canonical norm: docs/notes/ckks_error_bound.md
/// derives them. A polynomial with N independent coefficients of variance v has, at a root of X^N +
/// 1, a value of variance N*v. The value exceeds six times its deviation with a chance of exp(-36).
/// The same holds at the roots of Phi_m, where errors have m independent coefficients before they
/// are reduced. For BGV, and for BFV times t, multiply the bounds by t.
class CircuitNoise {
 public:
  CircuitNoise(const Context& context, double secret_norm)
      : context_(context),
        degree_(static_cast<long double>(context.ring().degree())),
        secret_(secret_norm),
        error_(kDeviations * std::sqrt(error_length(context.ring()) * kErrorVariance)),
        coefficient_factor_(coefficient_factor(context.ring())) {}

  /// A polynomial whose coefficients are uniform in an interval of length 1 around 0.
  long double rounding() const { return kDeviations * std::sqrt(degree_ / 12); }
  /// Rounding of all polynomials of a ciphertext: sum of rounding() * |s|^k.
  long double rounding(std::size_t size) const {
    long double sum = 0;
    for (std::size_t k = size; k-- > 0;) sum = sum * secret_ + 1;
    return rounding() * sum;
  }
  long double fresh_symmetric() const { return error_; }
  /// -e*u + e_0 + e_1*s, divided with rounding by the prime behind those of the level, if any.
  long double fresh_public(const ContextData& level) const {
    const long double noise = error_ * (secret_bound() + 1 + secret_);
    if (level.prev_context_data() == nullptr) return noise;
    const auto p = level.prev_context_data()->coeff_modulus()[level.prime_count()].value();
    return noise / static_cast<long double>(p) + rounding(2);
  }
  /// sum of d_j * e_j, divided with rounding by the product of the special primes; digit j is
  /// uniform over an interval of the length of its primes' product.
  long double key_switch(const ContextData& level) const {
    const auto primes = level.coeff_modulus();
    const std::size_t size = context_.parms().digit_size();
    long double squares = 0;
    for (std::size_t first = 0; first < primes.size(); first += size) {
      long double digit = 1;
      for (std::size_t i = first; i < std::min(first + size, primes.size()); ++i) {
        digit *= static_cast<long double>(primes[i].value());
      }
      squares += digit * digit;
    }
    long double special = 1;
    for (const Modulus& p : context_.parms().special_primes()) {
      special *= static_cast<long double>(p.value());
    }
    return rounding() * error_ * std::sqrt(squares) / special + rounding(2);
  }
  /// A ciphertext of uniform polynomials modulo q, times the secret's powers, over q.
  long double uniform(std::size_t size) const { return rounding(size); }
  long double degree() const { return degree_; }
  /// How much larger than the norm coefficients can be. It is 1 for X^N + 1. Otherwise a polynomial
  /// modulo X^m - 1 that is 0 at all other roots has coefficients of at most n/m times the norm,
  /// and then it is reduced.
  long double coefficient_factor() const { return coefficient_factor_; }
  /// A bound of the norm of a ternary secret.
  long double secret_bound() const { return kDeviations * std::sqrt(degree_ * 2 / 3); }

 private:
  static long double error_length(const RingSpec& ring) {
    const bool is_general = ring.kind() == RingKind::cyclotomic;
    return static_cast<long double>(is_general ? ring.cyclotomic_index() : ring.degree());
  }
  static long double coefficient_factor(const RingSpec& ring) {
    if (ring.kind() != RingKind::cyclotomic) return 1;
    const std::uint64_t m = ring.cyclotomic_index();
    const CyclotomicPolynomial phi(m);
    return static_cast<long double>(reduction_growth(phi, m)) *
           static_cast<long double>(ring.degree()) / static_cast<long double>(m);
  }

  static constexpr long double kDeviations = 6;
  static constexpr long double kErrorVariance = 10.5;  // centred binomial, 42 bits

  Context context_;
  long double degree_;
  long double secret_;
  long double error_;
  long double coefficient_factor_;
};

}  // namespace ringlet::test
