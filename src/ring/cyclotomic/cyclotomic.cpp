// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ring/cyclotomic.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/cyclotomic/index_arithmetic.hpp"

namespace ringlet {
namespace {

// Computes Phi_r for squarefree r > 1, as a power series modulo X^(n/2 + 1); the other half is its
// mirror image. As many divisors have mu = 1 as -1, so 1 - X^d may replace X^d - 1. Words are
// modulo 2^32: intermediate values may wrap, the coefficients of Phi_r fit.
std::vector<std::int32_t> squarefree_coefficients(std::uint64_t r) {
  const std::size_t degree = euler_phi(r);
  const std::size_t half = degree / 2 + 1;
  std::vector<std::uint32_t> series(half);
  series[0] = 1;
  const MoebiusDivisors divisors = moebius_divisors(r);
  for (const std::size_t d : divisors.positive) {
    for (std::size_t i = half; i-- > d;) series[i] -= series[i - d];
  }
  for (const std::size_t d : divisors.negative) {
    for (std::size_t i = d; i < half; ++i) series[i] += series[i - d];
  }
  std::vector<std::int32_t> coefficients(degree + 1);
  for (std::size_t i = 0; i < half; ++i) {
    coefficients[i] = coefficients[degree - i] = static_cast<std::int32_t>(series[i]);
  }
  return coefficients;
}

// Phi_m(X) = Phi_r(X^stride) for r = rad(m).
std::vector<std::int32_t> spread(const std::vector<std::int32_t>& coefficients,
                                 std::size_t stride) {
  std::vector<std::int32_t> result((coefficients.size() - 1) * stride + 1);
  for (std::size_t i = 0; i < coefficients.size(); ++i) result[i * stride] = coefficients[i];
  return result;
}

void check_polynomial_index(std::uint64_t index) {
  if (index >= 1 && index <= kMaxCyclotomicIndex) return;
  refuse(concat("index = ", index), concat("1 to ", kMaxCyclotomicIndex),
         "choose an index in this range");
}

}  // namespace

CyclotomicPolynomial::CyclotomicPolynomial(std::uint64_t index) : index_(index) {
  public_entry("CyclotomicPolynomial", [&] { check_polynomial_index(index); });
  const std::uint64_t squarefree = radical(index);
  stride_ = index / squarefree;
  std::vector<std::int32_t> coefficients =
      squarefree == 1 ? std::vector<std::int32_t>{-1, 1} : squarefree_coefficients(squarefree);
  for (const std::int32_t c : coefficients) {
    weight_ += c != 0 ? 1 : 0;
    max_coefficient_ = std::max(max_coefficient_, std::abs(c));
  }
  coefficients_ = std::make_shared<const std::vector<std::int32_t>>(spread(coefficients, stride_));
  MoebiusDivisors divisors = moebius_divisors(index);
  factors_ = std::move(divisors.positive);
  divisors_ = std::move(divisors.negative);
}

}  // namespace ringlet
