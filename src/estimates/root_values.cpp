// SPDX-License-Identifier: Apache-2.0
#include "estimates/root_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

#include "ringlet/base/aligned.hpp"

namespace ringlet::estimates {
namespace {

using Complex = std::complex<double>;

// Written out: the operator of std::complex looks for infinities.
Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Decimation in frequency: the order of the values does not matter here.
void transform(std::span<Complex> values, std::span<const Complex> roots) {
  const std::size_t n = values.size();
  for (std::size_t half = n / 2; half > 0; half /= 2) {
    const std::size_t stride = n / 2 / half;
    for (std::size_t first = 0; first < n; first += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const Complex a = values[first + k];
        const Complex b = values[first + half + k];
        values[first + k] = a + b;
        values[first + half + k] = product(a - b, roots[2 * k * stride]);
      }
    }
  }
}

// Room for the rounding of the transform.
constexpr double kRootRounding = 1 + 0x1p-30;

PolynomialSize size_from_transform(std::span<const double> coefficients) {
  const std::size_t n = coefficients.size();
  std::vector<Complex> roots(n);
  for (std::size_t k = 0; k < n; ++k) {
    roots[k] = std::polar(1.0, std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  }
  SecretVector<Complex> values(n);
  double squares = 0;
  for (std::size_t k = 0; k < n; ++k) {
    values[k] = coefficients[k] * roots[k];
    squares += coefficients[k] * coefficients[k];
  }
  transform(values, roots);
  double largest = 0;
  double quartic = 0;
  for (const Complex& value : values) {
    largest = std::max(largest, std::norm(value));
    quartic += std::norm(value) * std::norm(value) / static_cast<double>(n);
  }
  return {std::sqrt(largest) * kRootRounding, std::sqrt(squares) * kRootRounding,
          std::sqrt(std::sqrt(quartic)) * kRootRounding};
}

}  // namespace

PolynomialSize size_at_roots(const RingSpec& ring, std::span<const double> coefficients) {
  if (ring.kind() == RingKind::power_of_two_cyclotomic) return size_from_transform(coefficients);
  double sum = 0;
  double squares = 0;
  for (const double x : coefficients) {
    sum += std::abs(x);
    squares += x * x;
  }
  const double growth =
      static_cast<double>(ring.cyclotomic_index()) / static_cast<double>(ring.degree());
  return {sum, std::min(sum, std::sqrt(squares * growth)), 0};
}

}  // namespace ringlet::estimates
