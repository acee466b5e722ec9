// SPDX-License-Identifier: Apache-2.0
#include "ring/cyclotomic/reduction/remainder_growth.hpp"
#include "ringlet/ring/cyclotomic.hpp"
#include "support/reference/flint_integer_poly.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

// Column k is X^k modulo Phi_m, by FLINT.
Matrix remainder_columns(std::uint64_t index, std::size_t count) {
  const FlintIntegerPoly phi = FlintIntegerPoly::cyclotomic(index);
  Matrix columns;
  for (std::size_t k = 0; k < count; ++k) {
    FlintIntegerPoly power;
    power.set(k, Integer(1));
    columns.push_back((power % phi).small_coefficients(phi.degree()));
  }
  return columns;
}

std::uint64_t growth_by_definition(const Matrix& columns, std::size_t count) {
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      sum += static_cast<std::uint64_t>(std::abs(columns[k][i]));
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

std::uint64_t expansion_by_definition(const Matrix& columns) {
  const std::size_t n = columns[0].size();
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t sum = 0;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        sum += static_cast<std::uint64_t>(std::abs(columns[a + b][i]));
      }
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

const std::vector<std::uint64_t> kIndices = [] {
  std::vector<std::uint64_t> indices = {105, 121, 125, 128, 135, 165, 195, 225, 243, 253};
  for (std::uint64_t index = 1; index <= 64; ++index) indices.push_back(index);
  return indices;
}();

TEST(ReductionGrowth, IsTheLargestRowSum) {
  for (const std::uint64_t index : kIndices) {
    const CyclotomicPolynomial polynomial(index);
    const Matrix columns = remainder_columns(index, 2 * index);
    for (std::size_t count = polynomial.degree(); count <= 2 * index; ++count) {
      ASSERT_EQ(reduction_growth(polynomial, count), growth_by_definition(columns, count))
          << "m = " << index << ", count = " << count;
    }
  }
}

TEST(ReductionGrowth, SignsAreThoseOfTheRows) {
  for (const std::uint64_t index : kIndices) {
    const Matrix columns = remainder_columns(index, index);
    std::uint64_t positive = 0, negative = 0;
    for (std::size_t i = 0; i < columns[0].size(); ++i) {
      std::uint64_t sums[2] = {0, 0};
      for (std::size_t k = 0; k < index; ++k) {
        sums[columns[k][i] < 0 ? 1 : 0] += static_cast<std::uint64_t>(std::abs(columns[k][i]));
      }
      positive = std::max(positive, sums[0]);
      negative = std::max(negative, sums[1]);
    }
    const RemainderGrowth growth = remainder_growth(CyclotomicPolynomial(index));
    EXPECT_EQ(growth.positive, positive) << index;
    EXPECT_EQ(growth.negative, negative) << index;
  }
}

TEST(ReductionGrowth, RefusesCountsOutOfRange) {
  const CyclotomicPolynomial polynomial(15);
  for (const std::size_t count : {0, 7, 31}) {
    expect_refusal("count = " + std::to_string(count),
                   [&] { static_cast<void>(reduction_growth(polynomial, count)); });
  }
}

TEST(ExpansionFactor, IsTheLargestSumOfTheProduct) {
  for (const std::uint64_t index : kIndices) {
    const CyclotomicPolynomial polynomial(index);
    const Matrix columns = remainder_columns(index, 2 * polynomial.degree());
    ASSERT_EQ(expansion_factor(polynomial), expansion_by_definition(columns)) << index;
  }
}

// By the plain sum over all columns. Phi_40755 has coefficients beyond which sums take 64 bits.
TEST(ExpansionFactor, OfLargeRings) {
  EXPECT_EQ(expansion_factor(CyclotomicPolynomial(40755)), 2367154885042u);
  EXPECT_EQ(expansion_factor(CyclotomicPolynomial(51051)), 45720743392u);
  EXPECT_EQ(expansion_factor(CyclotomicPolynomial(60060)), 5437689487u);
  EXPECT_EQ(expansion_factor(CyclotomicPolynomial(65535)), 161993239u);
}

// X^n + 1: n. A prime m, n = m - 1: X^n is minus the sum of all smaller powers, and enters n - 1
// times; X^(n+1+i) is X^i, and enters n - 2 - i times; row i has i + 1 of its own: 2n - 2, and one
// more in the last row.
TEST(ExpansionFactor, OfPowersOfTwoAndPrimesHasAFormula) {
  for (std::uint64_t index = 4; index <= kMaxCyclotomicIndex; index *= 2) {
    EXPECT_EQ(expansion_factor(CyclotomicPolynomial(index)), index / 2);
  }
  for (const std::uint64_t index : {3, 5, 17, 257, 8191, 65537}) {
    EXPECT_EQ(expansion_factor(CyclotomicPolynomial(index)), 2 * (index - 1) - 1) << index;
  }
}

}  // namespace
}  // namespace ringlet::test
