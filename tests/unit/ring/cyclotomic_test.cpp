// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ring/cyclotomic.hpp"

#include "ring/cyclotomic/ntt.hpp"
#include "ring/cyclotomic/reduction/remainder_growth.hpp"
#include "ringlet/arith/primes.hpp"
#include "support/reference/cyclotomic_reference.hpp"
#include "support/reference/flint_integer_poly.hpp"
#include "support/refusal.hpp"
#include "support/values.hpp"

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

// The product of X^d - 1 over factors() is Phi_m times that over divisors(). The test compares
// degrees, and values at X = 2 modulo 2^64 and a prime.
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

const std::vector<std::uint64_t> kGrowthIndices = [] {
  std::vector<std::uint64_t> indices = {105, 121, 125, 128, 135, 165, 195, 225, 243, 253};
  for (std::uint64_t index = 1; index <= 64; ++index) indices.push_back(index);
  return indices;
}();

TEST(ReductionGrowth, IsTheLargestRowSum) {
  for (const std::uint64_t index : kGrowthIndices) {
    const CyclotomicPolynomial polynomial(index);
    const Matrix columns = remainder_columns(index, 2 * index);
    for (std::size_t count = polynomial.degree(); count <= 2 * index; ++count) {
      ASSERT_EQ(reduction_growth(polynomial, count), growth_by_definition(columns, count))
          << "m = " << index << ", count = " << count;
    }
  }
}

TEST(ReductionGrowth, SignsAreThoseOfTheRows) {
  for (const std::uint64_t index : kGrowthIndices) {
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
  for (const std::uint64_t index : kGrowthIndices) {
    const CyclotomicPolynomial polynomial(index);
    const Matrix columns = remainder_columns(index, 2 * polynomial.degree());
    ASSERT_EQ(expansion_factor(polynomial), expansion_by_definition(columns)) << index;
  }
}

// The plain sum over all columns gave these values. Sums for Phi_40755 take 64 bits.
TEST(ExpansionFactor, OfLargeRings) {
  EXPECT_EQ(expansion_factor(CyclotomicPolynomial(40755)), 2367154885042u);
  EXPECT_EQ(expansion_factor(CyclotomicPolynomial(51051)), 45720743392u);
  EXPECT_EQ(expansion_factor(CyclotomicPolynomial(60060)), 5437689487u);
  EXPECT_EQ(expansion_factor(CyclotomicPolynomial(65535)), 161993239u);
}

// For X^n + 1 the factor is n. For a prime m, n = m - 1: X^n is minus the sum of all smaller
// powers, and enters n - 1 times; X^(n+1+i) is X^i, and enters n - 2 - i times. Row i has i + 1 of
// its own: 2n - 2 in all, and one more in the last row.
TEST(ExpansionFactor, OfPowersOfTwoAndPrimesHasAFormula) {
  for (std::uint64_t index = 4; index <= kMaxCyclotomicIndex; index *= 2) {
    EXPECT_EQ(expansion_factor(CyclotomicPolynomial(index)), index / 2);
  }
  for (const std::uint64_t index : {3, 5, 17, 257, 8191, 65537}) {
    EXPECT_EQ(expansion_factor(CyclotomicPolynomial(index)), 2 * (index - 1) - 1) << index;
  }
}

// Transforms of Z[X]/Phi_m.

struct CyclotomicNttTest : ::testing::TestWithParam<std::uint64_t> {
  std::uint64_t m_ = GetParam();
  RingSpec ring_ = RingSpec::cyclotomic(m_);
  std::size_t n_ = ring_.degree();
  std::shared_ptr<const CyclotomicIndices> indices_ = std::make_shared<CyclotomicIndices>(ring_);

  CyclotomicNtt transform(const Modulus& q) const {
    return {indices_, q, KernelSelection::from_environment()};
  }
  Modulus prime(int bits) const { return generate_primes(bits, ring_.modulus_step(), 1).front(); }
};

// The smallest possible prime, one of the fastest kernels, and the largest that a basis takes.
std::vector<int> prime_sizes(const RingSpec& ring) {
  int least = 2;
  while ((std::uint64_t{1} << least) < 64 * ring.modulus_step()) ++least;
  return {least, 49, 61};
}

TEST_P(CyclotomicNttTest, ValuesAreThoseAtPrimitiveRoots) {
  auto rng = make_rng(m_);
  for (const int bits : prime_sizes(ring_)) {
    const Modulus q = prime(bits);
    const CyclotomicNtt ntt = transform(q);
    const FlintRing flint(m_, q.value());
    const std::uint64_t w = ntt.root_of_unity();
    ASSERT_EQ(pow_mod(w, m_, q), 1u);
    Words a = mixed_values(n_, q.value(), 1, rng);
    Words values(n_);
    ntt.forward(values, a);
    ASSERT_EQ(values, flint.evaluate_at_units(a, w)) << "q = " << q.value();
    // The next transform is in place, from unreduced values.
    for (std::size_t i = 0; i < n_; ++i) a[i] += (i % 4) * q.value();
    ntt.forward(a, a, 4);
    ASSERT_EQ(a, values);
  }
}

TEST_P(CyclotomicNttTest, InverseUndoesForward) {
  auto rng = make_rng(m_);
  for (const int bits : prime_sizes(ring_)) {
    const Modulus q = prime(bits);
    const CyclotomicNtt ntt = transform(q);
    const std::uint64_t top = q.value() - 1;
    for (const Words& a : {mixed_values(n_, q.value(), 1, rng), Words(n_, top), Words(n_, 0)}) {
      Words there(n_);
      Words back(n_);
      ntt.forward(there, a);
      ntt.inverse(back, there);
      ASSERT_EQ(back, a) << "q = " << q.value();
      ntt.inverse(there, there);
      ASSERT_EQ(there, a) << "in place";
      ntt.inverse(there, a);
      ntt.forward(there, there);
      ASSERT_EQ(there, a) << "the other way round";
    }
  }
}

TEST(CyclotomicNtt, RootIsTheSmallestOfItsOrder) {
  for (const std::uint64_t m : {3u, 9u, 12u, 15u, 105u, 127u, 255u, 385u}) {
    const auto indices = std::make_shared<CyclotomicIndices>(RingSpec::cyclotomic(m));
    const Modulus q =
        generate_primes(prime_sizes(indices->ring).front(), indices->ring.modulus_step(), 1)
            .front();
    std::uint64_t smallest = 0;
    for (std::uint64_t candidate = 2; smallest == 0; ++candidate) {
      if (pow_mod(candidate, m, q) != 1) continue;
      bool is_primitive = true;
      for (std::uint64_t d = 1; d < m; ++d) {
        is_primitive = is_primitive && (m % d != 0 || pow_mod(candidate, d, q) != 1);
      }
      if (is_primitive) smallest = candidate;
    }
    const CyclotomicNtt ntt(indices, q, KernelSelection::from_environment());
    EXPECT_EQ(ntt.root_of_unity(), smallest) << "m = " << m;
  }
}

// Indices that are odd, even, prime, prime powers, with many prime divisors, and of published
// experiments; convolutions that are just long enough.
INSTANTIATE_TEST_SUITE_P(Rings, CyclotomicNttTest,
                         ::testing::Values(3, 5, 7, 9, 12, 15, 20, 21, 24, 45, 60, 105, 127, 255,
                                           257, 385, 420, 511, 1155, 2783, 3875, 5913, 8191, 9225,
                                           10773),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace ringlet::test
