// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace ringlet::estimates {

/// Whether two operands have random choices in common.
enum class Dependence : bool { independent, dependent };

/// One part of a noise: b * s^power for the secret s and a polynomial b. The values of b at the
/// roots of the ring are polynomials of degree `degree` in Gaussian variables; degree 0 is not
/// random. Variances are E|b|^2 times (E|s|^2)^power: without the factor power! of E|s|^(2*power).
///
/// `flat` is the same at all roots. A variance from a known polynomial may be larger at some roots
/// than at others: then `mean` is its average over the roots and `top` its largest value.
struct NoiseTerm {
  std::size_t power = 0;
  std::size_t degree = 0;
  long double flat = 0;
  long double mean = 0;
  long double top = 0;

  long double average() const noexcept { return flat + mean; }
  long double largest() const noexcept { return flat + top; }
};

/// A noise as a sum of parts, sorted by power and degree, with at most one part of each pair.
/// docs/notes/noise_estimate.md derives the rules. An immutable value.
class NoiseTerms {
 public:
  /// No noise.
  NoiseTerms() = default;
  explicit NoiseTerms(std::vector<NoiseTerm> terms);

  const std::vector<NoiseTerm>& terms() const noexcept { return terms_; }

  /// Multiplies all variances by `factor`, the square of the factor of the noise.
  NoiseTerms scaled(long double factor) const;

  /// Adds variances, or deviations if operands are dependent or parts are not random.
  static NoiseTerms sum(const NoiseTerms& a, const NoiseTerms& b, Dependence dependence);

  /// Multiplies variances. For dependent operands of degrees g and h, they grow by at most another
  /// (g+h)!/(g!*h!), and deviations of parts of the same power and degree add.
  static NoiseTerms product(const NoiseTerms& a, const NoiseTerms& b, Dependence dependence);

  /// Returns the noise with all parts counted a second time as degree 0. A product may be as large
  /// if one operand holds the complex conjugate of the other: x times its conjugate is |x|^2 at
  /// each root, and the mean of |x|^2 over all roots is one coefficient.
  NoiseTerms with_mean() const;

 private:
  std::vector<NoiseTerm> terms_;
};

}  // namespace ringlet::estimates
