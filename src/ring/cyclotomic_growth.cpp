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
    const std::int64_t* __restrict const last = power.data();
    const std::int64_t* __restrict const phi = ring.coefficients.data();
    std::int64_t* __restrict const column = next.data();
    column[0] = -lead * phi[0];
    // Products of 64 bits are slow, and mostly the leading coefficient is -1, 0 or 1.
    if (lead == 0) {
      std::copy_n(last, n - 1, column + 1);
    } else if (lead == 1) {
      for (std::size_t i = 1; i < n; ++i) column[i] = last[i - 1] - phi[i];
    } else if (lead == -1) {
      for (std::size_t i = 1; i < n; ++i) column[i] = last[i - 1] + phi[i];
    } else {
      for (std::size_t i = 1; i < n; ++i) column[i] = last[i - 1] - lead * phi[i];
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
  const std::size_t end = 2 * ring.degree;
  const std::size_t columns = std::min(end, ring.index);
  // falling: the sum over the columns so far; steps: the sum of these sums after each of them, in
  // which |r_i(k)| is counted columns - k times.
  std::vector<std::uint64_t> falling(ring.degree), steps(ring.degree);
  for_each_remainder(ring, columns, [&](std::size_t, std::span<const std::int64_t> column) {
    std::uint64_t* __restrict const sum = falling.data();
    std::uint64_t* __restrict const step = steps.data();
    for (std::size_t i = 0; i < column.size(); ++i) {
      sum[i] += magnitude(column[i]);
      step[i] += sum[i];
    }
  });
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < ring.degree; ++i) {
    // w(k*s) = s * (end - k) - 1, as 2n = s * end.
    std::uint64_t first = i * s + 1 + s * (steps[i] + (end - columns) * falling[i]) - falling[i];
    if (const std::size_t k = ring.index + i; k < end) {
      first += s * (end - k) - 1;
      ++falling[i];
    }
    const std::uint64_t last = first + (s - 1) - (s - 1) * falling[i];
    largest = std::max({largest, first, last});
  }
  return largest;
}

}  // namespace ringlet
