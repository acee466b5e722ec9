// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/test.hpp"

namespace ringlet::test {

/// The values of a real polynomial at zeta^(2j+1), j = 0, ..., N-1, zeta = e^(i*pi/N); N a power of
/// two. A plain transform that shares nothing with the library's.
inline std::vector<std::complex<double>> canonical_embedding(std::span<const double> coefficients) {
  using Complex = std::complex<double>;
  const std::size_t degree = coefficients.size();
  const auto root = [degree](std::size_t k) {
    return std::polar(1.0, std::numbers::pi * static_cast<double>(k) / static_cast<double>(degree));
  };
  std::vector<Complex> values(degree);
  for (std::size_t i = 0; i < degree; ++i) values[i] = coefficients[i] * root(i);
  // values[j] = sum over i of x_i * e^(2*pi*i*j*I/N), decimation in time.
  for (std::size_t i = 1, j = 0; i < degree; ++i) {
    std::size_t bit = degree / 2;
    for (; (j & bit) != 0; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  std::vector<Complex> roots(degree / 2);
  for (std::size_t k = 0; k < roots.size(); ++k) roots[k] = root(2 * k);
  for (std::size_t half = 1; half < degree; half *= 2) {
    for (std::size_t first = 0; first < degree; first += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const Complex odd = values[first + half + k] * roots[k * (degree / 2 / half)];
        const Complex even = values[first + k];
        values[first + k] = even + odd;
        values[first + half + k] = even - odd;
      }
    }
  }
  return values;
}

/// The largest absolute value there. It bounds every coefficient, and is submultiplicative.
inline double canonical_norm(std::span<const double> coefficients) {
  double largest = 0;
  for (const auto& value : canonical_embedding(coefficients)) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

}  // namespace ringlet::test
