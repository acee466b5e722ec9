// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/sign.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "circuits/plan/declared_counts.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/circuits/polynomial.hpp"

namespace ringlet {
namespace {

constexpr double kLeastGap = 0x1p-40;
constexpr double kMostBits = 48;
constexpr std::size_t kMostCompositions = 64;

// The coefficients of x, x^3, ..., times kUnits.
constexpr int kUnits = 1024;
constexpr std::array<std::array<int, 5>, 4> kSmooth{
    {{1536, -512}, {1920, -1280, 384}, {2240, -2240, 1344, -320}, {2520, -3360, 3024, -1440, 280}}};
constexpr std::array<std::array<int, 5>, 4> kSteep{{{2126, -1359},
                                                    {3334, -6108, 3796},
                                                    {4589, -16577, 25614, -12860},
                                                    {5850, -34974, 97015, -113492, 46623}}};

/// An odd polynomial on [0, 1], in the clear.
class OddPolynomial {
 public:
  OddPolynomial(const std::array<int, 5>& units, int n)
      : units_(units.begin(), units.begin() + n + 1) {
    // Extrema are sign changes of the derivative. The degree is small, so all are far apart.
    constexpr int kSteps = 4096;
    for (int i = 0; i < kSteps; ++i) {
      long double low = static_cast<long double>(i) / kSteps;
      long double high = static_cast<long double>(i + 1) / kSteps;
      if ((slope(low) < 0) == (slope(high) < 0)) continue;
      for (int halving = 0; halving < 60; ++halving) {
        const long double middle = (low + high) / 2;
        ((slope(middle) < 0) == (slope(low) < 0) ? low : high) = middle;
      }
      extrema_.push_back(low);
    }
  }

  long double operator()(long double x) const {
    long double sum = 0;
    for (std::size_t i = units_.size(); i-- > 0;) sum = sum * x * x + units_[i];
    return sum * x / kUnits;
  }

  /// The image of [low, high].
  void map(long double& low, long double& high) const {
    std::vector<long double> values{(*this)(low), (*this)(high)};
    for (const long double x : extrema_) {
      if (low < x && x < high) values.push_back((*this)(x));
    }
    const auto [least, most] = std::ranges::minmax(values);
    low = least;
    high = most;
  }

  /// factor * p + constant.
  Polynomial scaled(double factor, double constant) const {
    std::vector<double> coefficients(2 * units_.size());
    coefficients[0] = constant;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      coefficients[2 * i + 1] = factor * units_[i] / kUnits;
    }
    return Polynomial::power(coefficients);
  }

 private:
  long double slope(long double x) const {
    long double sum = 0;
    for (std::size_t i = units_.size(); i-- > 0;) {
      sum = sum * x * x + static_cast<long double>(2 * i + 1) * units_[i];
    }
    return sum;
  }

  std::vector<int> units_;
  std::vector<long double> extrema_;
};

OddPolynomial smooth(int n) { return {kSmooth[static_cast<std::size_t>(n - 1)], n}; }
OddPolynomial steep(int n) { return {kSteep[static_cast<std::size_t>(n - 1)], n}; }

// factor * sign(x) + constant: the last polynomial alone applies factor and constant.
CircuitValue scaled_sign(Circuit& circuit, CircuitValue x, const SignApproximation& approximation,
                         double factor, double constant) {
  const int n = approximation.n;
  if (n < 1 || n > 4 || approximation.f_count == 0) {
    throw_invalid_argument(
        {"sign", concat("n = ", n, " and ", approximation.f_count, " compositions of f_n"),
         "n in [1, 4] and at least one composition of f_n", "make it with sign_approximation"});
  }
  const OddPolynomial f = smooth(n);
  const OddPolynomial g = steep(n);
  for (std::size_t i = 0; i < approximation.g_count; ++i) {
    x = polynomial(circuit, x, g.scaled(1, 0));
    circuit.bound(x, 1);
  }
  for (std::size_t i = 1; i < approximation.f_count; ++i) {
    x = polynomial(circuit, x, f.scaled(1, 0));
    circuit.bound(x, 1);
  }
  x = polynomial(circuit, x, f.scaled(factor, constant));
  circuit.bound(x, std::abs(factor) + std::abs(constant));
  return x;
}

CircuitValue difference(Circuit& circuit, CircuitValue a, CircuitValue b) {
  const CircuitValue result = circuit.subtract(a, b);
  circuit.bound(result, 1);
  return result;
}

// (a + b)/2 + side (a - b) sign(a - b).
CircuitValue extremum(Circuit& circuit, CircuitValue a, CircuitValue b,
                      const SignApproximation& approximation, double side) {
  const CircuitValue gap = difference(circuit, a, b);
  const CircuitValue half = scaled_sign(circuit, gap, approximation, side, 0);
  const CircuitValue mean = circuit.multiply(circuit.add(a, b), KnownVector(0.5));
  return circuit.add(circuit.multiply(gap, half), mean);
}

void check(double gap, double precision_bits, int n) {
  if (!(gap >= kLeastGap) || !(gap < 1)) {
    refuse(concat("gap = ", gap), "a gap in [2^-40, 1)",
           "scale the numbers up until they fill [-1, 1]");
  }
  if (!(precision_bits > 0) || !(precision_bits <= kMostBits)) {
    refuse(concat("precision_bits = ", precision_bits, ", a precision that no composition reaches"),
           concat("more than 0 and at most ", kMostBits, " bits, because slots are doubles"),
           "ask for fewer bits");
  }
  if (n < 1 || n > 4) refuse(concat("n = ", n), "n in [1, 4]", "use n = 3");
}

}  // namespace

SignApproximation sign_approximation(double gap, double precision_bits, int n) {
  public_entry("sign_approximation", [&] { check(gap, precision_bits, n); });
  const OddPolynomial f = smooth(n);
  const OddPolynomial g = steep(n);
  const double error = std::exp2(-precision_bits);
  SignApproximation best{.n = n, .g_count = 0, .f_count = kMostCompositions, .gap = gap};
  long double low = gap;
  long double high = 1;
  for (std::size_t g_count = 0; g_count < best.g_count + best.f_count; ++g_count) {
    long double least = low;
    long double most = high;
    std::size_t f_count = 0;
    do {
      f.map(least, most);
      ++f_count;
    } while (std::max(1 - least, most - 1) > error && f_count < kMostCompositions);
    if (g_count + f_count < best.g_count + best.f_count) {
      best.g_count = g_count;
      best.f_count = f_count;
      best.error = static_cast<double>(std::max(1 - least, most - 1));
    }
    g.map(low, high);
  }
  Circuit circuit(1);
  circuit.output(sign(circuit, circuit.input(), best));
  best.depth = circuit.depth();
  best.relinearizations = declared_counts(circuit).relinearizations;
  return best;
}

CircuitValue sign(Circuit& circuit, CircuitValue x, const SignApproximation& approximation) {
  return scaled_sign(circuit, x, approximation, 1, 0);
}

CircuitValue compare(Circuit& circuit, CircuitValue a, CircuitValue b,
                     const SignApproximation& approximation) {
  return scaled_sign(circuit, difference(circuit, a, b), approximation, 0.5, 0.5);
}

CircuitValue absolute_value(Circuit& circuit, CircuitValue x,
                            const SignApproximation& approximation) {
  return circuit.multiply(x, scaled_sign(circuit, x, approximation, 1, 0));
}

CircuitValue maximum(Circuit& circuit, CircuitValue a, CircuitValue b,
                     const SignApproximation& approximation) {
  return extremum(circuit, a, b, approximation, 0.5);
}

CircuitValue minimum(Circuit& circuit, CircuitValue a, CircuitValue b,
                     const SignApproximation& approximation) {
  return extremum(circuit, a, b, approximation, -0.5);
}

}  // namespace ringlet
