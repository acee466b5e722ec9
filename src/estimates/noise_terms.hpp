// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace ringlet::estimates {

/// Whether two operands have random choices in common.
enum class Dependence : bool { independent, dependent };

/// One part of a noise: b * s^power for the secret s and a polynomial b whose values at the roots
/// of the ring are polynomials of this degree in Gaussian variables; degree 0 is what is not
/// random. Variances are E|b|^2 times E|s|^2 to that power: without the factor power! of
/// E|s|^(2*power).
///
/// `flat` is the same at all roots. What comes from a known polynomial may be larger at some roots
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

/// A noise as a sum of such parts, sorted by power and degree, with at most one of each.
/// docs/notes/noise_estimate.md derives the rules. An immutable value.
class NoiseTerms {
 public:
  /// No noise.
  NoiseTerms() = default;
  explicit NoiseTerms(std::vector<NoiseTerm> terms);

  const std::vector<NoiseTerm>& terms() const noexcept { return terms_; }

  /// All variances times `factor`, the square of what the noise is multiplied by.
  NoiseTerms scaled(long double factor) const;

  /// Variances add; deviations do where operands are dependent, and for what is not random.
  static NoiseTerms sum(const NoiseTerms& a, const NoiseTerms& b, Dependence dependence);

  /// Variances multiply. For dependent operands of degrees g and h they grow by (g+h)!/(g!*h!) more
  /// at most, and deviations of parts of the same power and degree add.
  static NoiseTerms product(const NoiseTerms& a, const NoiseTerms& b, Dependence dependence);

  /// The same with all of it a second time as degree 0: what a product may be if one operand holds
  /// the image of the other under complex conjugation. x times its conjugate is |x|^2 at each root,
  /// whose mean over all roots is one coefficient.
  NoiseTerms with_mean() const;

 private:
  std::vector<NoiseTerm> terms_;
};

}  // namespace ringlet::estimates
