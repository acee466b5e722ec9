// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "ring/cyclotomic/reduction/remainder_growth.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/ring/cyclotomic.hpp"

// The matrix of remainders of Phi_m(X) = Phi_r(X^s), s the stride, is that of Phi_r, each entry
// times the identity of s rows: this file walks the columns of the smaller matrix. Columns repeat
// after r, because X^r = 1; the first deg(Phi_r) columns are the identity.

namespace ringlet {
namespace {

// Phi_r, whose coefficients are every stride-th one of Phi_m.
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
template <typename Int = std::int64_t, typename Visit>
void for_each_remainder(const Squarefree& ring, std::size_t end, Visit visit) {
  const std::size_t n = ring.degree;
  const std::vector<Int> coefficients(ring.coefficients.begin(), ring.coefficients.end());
  std::vector<Int> power(n), next(n);
  power[n - 1] = 1;
  for (std::size_t k = n; k < end; ++k) {
    const Int lead = power[n - 1];
    const Int* __restrict const last = power.data();
    const Int* __restrict const phi = coefficients.data();
    Int* __restrict const column = next.data();
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
    visit(k, std::span<const Int>(power));
  }
}

std::uint64_t magnitude(std::int64_t value) {
  return static_cast<std::uint64_t>(value < 0 ? -value : value);
}

// Sums over the columns k < count: of |r_i(k)|, and of |r_i(k)| * (count - k).
struct ColumnSums {
  std::vector<std::uint64_t> falling;
  std::vector<std::uint64_t> steps;
};

// Phi_r is a palindrome: column r + n - 1 - k is column k upside down, so that half of them
// suffice. In a block of columns all numbers have Int's size: four of 32 bits take the time of one
// of 64. Returns nothing if they might not fit: entries grow by the leading entry times a
// coefficient of Phi_r.
template <typename Int>
std::optional<ColumnSums> sum_columns(const Squarefree& ring, std::size_t count) {
  using Word = std::make_unsigned_t<Int>;
  constexpr std::size_t kBlock = 64;
  // Entries of a block are below 3 * kLimit, and are summed up to 64 * 65 / 2 times.
  constexpr auto kLimit = std::uint64_t{1} << (8 * sizeof(Int) - 14);
  const auto largest = [](const auto& values) {
    std::uint64_t result = 0;
    for (const auto value : values) result = std::max(result, magnitude(value));
    return result;
  };
  const std::size_t n = ring.degree;
  const std::size_t middle = (ring.index + n) / 2;
  const std::size_t first_mirrored = ring.index + n - count;
  const std::size_t end = std::min(count, (ring.index + n + 1) / 2);
  const std::uint64_t height = largest(ring.coefficients);
  bool fits = height < kLimit;
  ColumnSums total{std::vector<std::uint64_t>(n), std::vector<std::uint64_t>(n)};
  std::vector<Word> falling(n), steps(n);
  std::size_t pending = 0;
  std::uint64_t growth = 0;
  for_each_remainder<Int>(ring, end, [&](std::size_t k, std::span<const Int> column) {
    if (!fits) return;
    Word* __restrict const sum = falling.data();
    Word* __restrict const step = steps.data();
    for (std::size_t i = 0; i < n; ++i) {
      sum[i] += static_cast<Word>(column[i] < 0 ? -column[i] : column[i]);
      step[i] += sum[i];
    }
    growth += magnitude(column.back()) * height;
    const std::size_t next = k + 1;
    if (++pending < kBlock && next != first_mirrored && next != middle && next != end) return;
    fits = fits && growth < kLimit && largest(column) < kLimit;
    const bool is_mirrored = next - pending >= first_mirrored && next <= middle;
    for (std::size_t i = 0; i < n; ++i) {
      total.falling[i] += sum[i];
      total.steps[i] += step[i] + (count - next) * std::uint64_t{sum[i]};
      if (is_mirrored) {
        total.falling[n - 1 - i] += sum[i];
        total.steps[n - 1 - i] += (next + 1 - first_mirrored) * std::uint64_t{sum[i]} - step[i];
      }
      sum[i] = step[i] = 0;
    }
    growth = pending = 0;
  });
  if (!fits) return std::nullopt;
  return total;
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
// coefficient i of X^k modulo Phi_r. w(t) is the number of pairs of exponents below n with sum t:
// t + 1 for t < n, and 2n - 1 - t from there on. The sum is linear in c, so that c = 0 or c = s - 1
// gives the largest.
std::uint64_t expansion_factor(const CyclotomicPolynomial& polynomial) {
  const Squarefree ring(polynomial);
  const std::size_t s = ring.stride;
  const std::size_t end = 2 * ring.degree;
  const std::size_t columns = std::min(end, ring.index);
  std::optional<ColumnSums> sums = sum_columns<std::int32_t>(ring, columns);
  if (!sums) sums = sum_columns<std::int64_t>(ring, columns);
  auto& [falling, steps] = *sums;
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
