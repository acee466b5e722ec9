// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/approximation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "circuits/declare/chebyshev.hpp"

namespace ringlet {
namespace {

constexpr std::size_t kMaxApproximationDegree = 4095;
constexpr std::size_t kGridPoints = 4096;
constexpr long double kPi = std::numbers::pi_v<long double>;
constexpr double kRounding = std::numeric_limits<double>::epsilon();

/// A function on an interval, with its values on a grid of cosines.
class SampledFunction {
 public:
  SampledFunction(const RealFunction& f, double lower, double upper)
      : f_(f), lower_(lower), upper_(upper) {
    check_interval(lower, upper);
  }

  void check_degree(std::size_t degree) const {
    if (degree >= 1 && degree <= kMaxApproximationDegree) return;
    refuse(concat("degree ", degree), concat("a degree in [1, ", kMaxApproximationDegree, "]"),
           "approximate pieces, or compose polynomials");
  }

  void sample(std::size_t degree) {
    const std::size_t count = std::max(kGridPoints, 16 * (degree + 1));
    for (std::size_t k = 0; k <= count; ++k) {
      const long double angle = kPi * static_cast<long double>(k) / static_cast<long double>(count);
      const double x = chebyshev_place(lower_, upper_, std::cos(angle));
      const long double middle = static_cast<long double>(upper_) + lower_;
      grid_.push_back((2 * static_cast<long double>(x) - middle) /
                      (static_cast<long double>(upper_) - lower_));
      values_.push_back(value(x));
      largest_ = std::max(largest_, std::abs(values_.back()));
    }
  }

  // A coefficient that is only rounding would be encoded as 0; a product by 0 is no encryption.
  std::vector<double> interpolant(std::size_t degree) const {
    std::vector<double> coefficients =
        chebyshev_coefficients([this](double x) { return value(x); }, lower_, upper_, degree);
    for (double& coefficient : coefficients) {
      if (std::abs(coefficient) <= kRounding * largest_) coefficient = 0;
    }
    return coefficients;
  }

  /// Returns the largest error on the grid, or the first one found above `limit`. The place of the
  /// largest error of earlier calls is tried first.
  double error_of(const std::vector<double>& p, double limit) {
    double largest = error_at(p, worst_);
    for (std::size_t k = 0; k < grid_.size() && largest <= limit; ++k) {
      const double error = error_at(p, k);
      if (error <= largest) continue;
      largest = error;
      worst_ = k;
    }
    return largest;
  }

 private:
  double value(double x) const {
    const double result = f_(x);
    if (std::isfinite(result)) return result;
    refuse(concat("f(", x, ") = ", result), "finite values", "use an interval without poles");
  }

  double error_at(const std::vector<double>& coefficients, std::size_t k) const {
    return static_cast<double>(std::abs(clenshaw(coefficients, grid_[k]) - values_[k]));
  }

  const RealFunction& f_;
  double lower_;
  double upper_;
  std::vector<long double> grid_;  // u in [-1, 1] of each x that f was called with
  std::vector<double> values_;
  double largest_ = 0;  // of their absolute values
  std::size_t worst_ = 0;
};

}  // namespace

Approximation chebyshev_approximation(const RealFunction& f, double lower, double upper,
                                      std::size_t degree) {
  return public_entry("chebyshev_approximation", [&]() -> Approximation {
    SampledFunction samples(f, lower, upper);
    samples.check_degree(degree);
    samples.sample(degree);
    const std::vector<double> p = samples.interpolant(degree);
    return {Polynomial::chebyshev(p, lower, upper),
            samples.error_of(p, std::numeric_limits<double>::infinity())};
  });
}

Approximation least_chebyshev_approximation(const RealFunction& f, double lower, double upper,
                                            double error, std::size_t max_degree) {
  return public_entry("least_chebyshev_approximation", [&]() -> Approximation {
    SampledFunction samples(f, lower, upper);
    samples.check_degree(max_degree);
    check_error(error);
    samples.sample(max_degree);
    for (std::size_t degree = 1; degree <= max_degree; ++degree) {
      const std::vector<double> p = samples.interpolant(degree);
      const double reached = samples.error_of(p, error);
      if (reached <= error) return {Polynomial::chebyshev(p, lower, upper), reached};
    }
    const double last =
        samples.error_of(samples.interpolant(max_degree), std::numeric_limits<double>::infinity());
    refuse(concat("error = ", error, ", a precision that no degree reaches"),
           concat("degree ", max_degree, " reaches about 2^", std::round(std::log2(last))),
           "allow a larger error or degree, or use a shorter interval");
  });
}

}  // namespace ringlet
