// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ring/cyclotomic.hpp"

#include "support/reference/flint_integer_poly.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

void expect_cyclotomic(std::uint64_t index) {
  SCOPED_TRACE(index);
  const CyclotomicPolynomial polynomial(index);
  const FlintIntegerPoly phi = FlintIntegerPoly::cyclotomic(index);
  const std::vector<std::int64_t> expected = phi.small_coefficients(phi.degree() + 1);
  ASSERT_TRUE(std::ranges::equal(polynomial.coefficients(), expected));
  EXPECT_EQ(polynomial.index(), index);
  EXPECT_EQ(polynomial.degree(), expected.size() - 1);
  std::size_t weight = 0, stride = 0;
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == 0) continue;
    ++weight;
    stride = std::gcd(stride, i);
    largest = std::max(largest, std::abs(expected[i]));
  }
  EXPECT_EQ(polynomial.weight(), weight);
  EXPECT_EQ(polynomial.stride(), stride);
  EXPECT_EQ(polynomial.max_coefficient(), largest);
}

TEST(CyclotomicPolynomial, IsThatOfFlint) {
  for (std::uint64_t index = 1; index <= 600; ++index) expect_cyclotomic(index);
  for (const std::uint64_t index : {2783, 2827, 3205, 3485, 3875, 5913, 8191, 9225, 10773, 13797,
                                    15015, 30030, 32768, 40755, 65536, 131071, 255255, 262144}) {
    expect_cyclotomic(index);
  }
}

// The product of X^d - 1 over factors() is Phi_m times that over divisors(): degrees and values at
// X = 2 modulo 2^64 and a prime are compared.
TEST(CyclotomicPolynomial, IsTheQuotientOfItsSparseFactors) {
  constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
  const auto power_of_two = [](std::uint64_t exponent) {
    return std::uint64_t{1} << exponent % 61;
  };
  const auto multiply = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(static_cast<uint128_t>(a) * b % kPrime);
  };
  for (const std::uint64_t index : {1, 2, 3, 12, 105, 2783, 3485, 10773, 30030}) {
    const CyclotomicPolynomial polynomial(index);
    std::uint64_t left = 1, right = 0, degree = 0;
    for (const std::uint64_t d : polynomial.factors()) {
      EXPECT_EQ(index % d, 0u);
      left = multiply(left, power_of_two(d) - 1);
      degree += d;
    }
    const auto coefficients = polynomial.coefficients();
    for (std::size_t i = coefficients.size(); i-- > 0;) {
      right = (multiply(right, 2) + kPrime + static_cast<std::uint64_t>(coefficients[i])) % kPrime;
    }
    for (const std::uint64_t d : polynomial.divisors()) {
      EXPECT_EQ(index % d, 0u);
      right = multiply(right, power_of_two(d) - 1);
      degree -= d;
    }
    EXPECT_EQ(left, right) << index;
    EXPECT_EQ(degree, polynomial.degree()) << index;
    EXPECT_TRUE(std::ranges::is_sorted(polynomial.factors(), std::greater<>()));
    EXPECT_TRUE(std::ranges::is_sorted(polynomial.divisors(), std::greater<>()));
  }
}

TEST(CyclotomicPolynomial, RefusesIndicesOutOfRange) {
  for (const std::uint64_t index : {std::uint64_t{0}, kMaxCyclotomicIndex + 1, ~std::uint64_t{0}}) {
    expect_refusal("index = " + std::to_string(index), [&] { CyclotomicPolynomial{index}; });
  }
}

}  // namespace
}  // namespace ringlet::test
