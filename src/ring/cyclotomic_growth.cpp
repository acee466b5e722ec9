// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "ring/remainder_growth.hpp"
#include "ringlet/cyclotomic.hpp"
#include "ringlet/error.hpp"

// The matrix of remainders of Phi_m(X) = Phi_r(X^s), s the stride, is that of Phi_r, each entry
// times the identity of s rows: all that follows walks the columns of the small one. Columns repeat
// after r, because X^r = 1; the first deg(Phi_r) are those of the identity.

namespace ringlet {
namespace {

// Phi_r: every stride-th coefficient.
struct Squarefree {
  explicit Squarefree(const CyclotomicPolynomial& polynomial)
      : stride(polynomial.stride()),
        index(polynomial.index() / stride),
        degree(polynomial.degree() / stride),
        coefficients(degree) {
    for (std::size_t i = 0; i < degree; ++i) {
      coefficients[i] = polynomial.coefficients()[i * stride];
    }
  }

  std::size_t stride;
  std::size_t index;
  std::size_t degree;
  std::vector<std::int64_t> coefficients;  // without the leading one
};

// Calls visit(k, X^k mod Phi_r) for k from deg(Phi_r) to end - 1.
template <typename Visit>
void for_each_remainder(const Squarefree& ring, std::size_t end, Visit visit) {
  const std::size_t n = ring.degree;
  std::vector<std::int64_t> power(n), next(n);
  power[n - 1] = 1;
  for (std::size_t k = n; k < end; ++k) {
    const std::int64_t lead = power[n - 1];
    std::copy(power.begin(), power.end() - 1, next.begin() + 1);
    next[0] = 0;
    if (lead != 0) {
      for (std::size_t i = 0; i < n; ++i) next[i] -= lead * ring.coefficients[i];
    }
    std::swap(power, next);
    visit(k, std::span<const std::int64_t>(power));
  }
}

std::uint64_t magnitude(std::int64_t value) {
  return static_cast<std::uint64_t>(value < 0 ? -value : value);
}

}  // namespace

RemainderGrowth remainder_growth(const CyclotomicPolynomial& polynomial) {
  const Squarefree ring(polynomial);
  std::vector<std::int64_t> positive(ring.degree, 1), negative(ring.degree, 0);
  for_each_remainder(ring, ring.index, [&](std::size_t, std::span<const std::int64_t> column) {
    for (std::size_t i = 0; i < column.size(); ++i) {
      positive[i] += std::max<std::int64_t>(column[i], 0);
      negative[i] += std::max<std::int64_t>(-column[i], 0);
    }
  });
  return {.positive = magnitude(*std::max_element(positive.begin(), positive.end())),
          .negative = magnitude(*std::max_element(negative.begin(), negative.end()))};
}

std::uint64_t remainder_growth_work(const CyclotomicPolynomial& polynomial) {
  const std::uint64_t degree = polynomial.degree() / polynomial.stride();
  return (polynomial.index() / polynomial.stride() - degree) * degree;
}

std::uint64_t reduction_growth(const CyclotomicPolynomial& polynomial, std::size_t count) {
  if (count < polynomial.degree() || count > 2 * polynomial.index()) {
    throw_invalid_argument({.operation = "reduction_growth",
                            .offending = concat("count = ", count),
                            .limit = concat(polynomial.degree(), " to ", 2 * polynomial.index(),
                                            " modulo Phi_", polynomial.index()),
                            .remedy = "pass the number of coefficients that are reduced"});
  }
  const Squarefree ring(polynomial);
  const std::size_t columns = (count + ring.stride - 1) / ring.stride;
  const std::size_t repeated = columns > ring.index ? columns - ring.index : 0;
  std::vector<std::uint64_t> sums(ring.degree, 1);
  for (std::size_t i = 0; i < std::min(repeated, ring.degree); ++i) ++sums[i];
  for_each_remainder(ring, std::min(columns, ring.index),
                     [&](std::size_t k, std::span<const std::int64_t> column) {
                       const std::uint64_t times = k < repeated ? 2 : 1;
                       for (std::size_t i = 0; i < column.size(); ++i) {
                         sums[i] += times * magnitude(column[i]);
                       }
                     });
  return *std::max_element(sums.begin(), sums.end());
}

// Row i*s + c of the product's matrix sums w(k*s + c) * |r_i(k)| over k, where r_i(k) is
// coefficient i of X^k modulo Phi_r and w(t), the number of pairs of exponents below n with sum t,
// is t + 1 for t < n and 2n - 1 - t from there on. That is linear in c, so that c = 0 or c = s - 1
// is the largest.
std::uint64_t expansion_factor(const CyclotomicPolynomial& polynomial) {
  const Squarefree ring(polynomial);
  const std::size_t s = ring.stride;
  const std::size_t pairs = 2 * polynomial.degree() - 1;
  std::vector<std::uint64_t> constant(ring.degree), falling(ring.degree);
  for (std::size_t k = 0; k < ring.degree; ++k) constant[k] = k * s + 1;
  const auto add = [&](std::size_t i, std::size_t k, std::uint64_t entry) {
    constant[i] += (pairs - k * s) * entry;
    falling[i] += entry;
  };
  const std::size_t end = 2 * ring.degree;
  for_each_remainder(ring, std::min(end, ring.index),
                     [&](std::size_t k, std::span<const std::int64_t> column) {
                       for (std::size_t i = 0; i < column.size(); ++i) {
                         add(i, k, magnitude(column[i]));
                       }
                     });
  for (std::size_t k = ring.index; k < end; ++k) add(k - ring.index, k, 1);
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < ring.degree; ++i) {
    const std::uint64_t last = constant[i] + (s - 1) - (s - 1) * falling[i];
    largest = std::max({largest, constant[i], last});
  }
  return largest;
}

}  // namespace ringlet
