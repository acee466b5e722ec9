// SPDX-License-Identifier: Apache-2.0
#include <flint/fmpz_poly.h>

#include "ringlet/cyclotomic.hpp"
#include "ringlet/error.hpp"
#include "support/environment.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;

using Words = std::vector<std::uint64_t>;

// FLINT's remainder of integer polynomials by FLINT's Phi_m, modulo q; q = 0 stands for 2^64.
class FlintRemainder {
 public:
  explicit FlintRemainder(std::uint64_t index) {
    fmpz_poly_init(phi_);
    fmpz_poly_init(a_);
    fmpz_poly_init(remainder_);
    fmpz_poly_cyclotomic(phi_, index);
  }
  FlintRemainder(const FlintRemainder&) = delete;
  FlintRemainder& operator=(const FlintRemainder&) = delete;
  ~FlintRemainder() {
    fmpz_poly_clear(phi_);
    fmpz_poly_clear(a_);
    fmpz_poly_clear(remainder_);
  }

  Words operator()(const Words& a, std::uint64_t q) {
    fmpz_poly_zero(a_);
    for (std::size_t i = 0; i < a.size(); ++i) {
      fmpz_poly_set_coeff_ui(a_, static_cast<slong>(i), a[i]);
    }
    fmpz_poly_rem(remainder_, a_, phi_);
    fmpz_t modulus, c;
    fmpz_init(c);
    fmpz_init(modulus);
    if (q == 0) {
      fmpz_one(modulus);
      fmpz_mul_2exp(modulus, modulus, 64);
    } else {
      fmpz_set_ui(modulus, q);
    }
    Words result(static_cast<std::size_t>(fmpz_poly_degree(phi_)));
    for (std::size_t i = 0; i < result.size(); ++i) {
      fmpz_poly_get_coeff_fmpz(c, remainder_, static_cast<slong>(i));
      fmpz_mod(c, c, modulus);
      result[i] = fmpz_get_ui(c);
    }
    fmpz_clear(c);
    fmpz_clear(modulus);
    return result;
  }

 private:
  fmpz_poly_t phi_, a_, remainder_;
};

std::set<std::size_t> edge_lengths(const CyclotomicPolynomial& polynomial) {
  const std::size_t n = polynomial.degree(), m = polynomial.index();
  std::set<std::size_t> lengths = {n, n + 1, 2 * n - 1, m - 1, m, m + 1, 2 * m - 1, 2 * m};
  std::erase_if(lengths, [=](std::size_t length) { return length < n || length > 2 * m; });
  return lengths;
}

Words reduced(const CyclotomicReduction& reduction, std::size_t degree, Words a) {
  reduction.reduce_words(a);
  a.resize(degree);
  return a;
}

Words reduced(const CyclotomicReduction& reduction, std::size_t degree, Words a, const Modulus& q) {
  reduction.reduce_residues(a, q);
  a.resize(degree);
  return a;
}

Words extreme_words(std::size_t length, std::mt19937_64& rng) {
  constexpr std::array<std::uint64_t, 5> kExtremes = {0, 1, kAllOnes, kTopBit, kTopBit - 1};
  Words words(length);
  for (auto& word : words) word = kExtremes[rng() % kExtremes.size()];
  return words;
}

// Random and extreme coefficients of every edge length, against FLINT.
void expect_remainders(std::uint64_t index, ReductionMethod method, std::mt19937_64& rng) {
  SCOPED_TRACE("m = " + std::to_string(index));
  const CyclotomicPolynomial polynomial(index);
  const std::size_t n = polynomial.degree();
  const CyclotomicReduction reduction(polynomial, method);
  EXPECT_EQ(reduction.method(), method);
  FlintRemainder remainder(index);
  for (const std::size_t length : edge_lengths(polynomial)) {
    SCOPED_TRACE("length = " + std::to_string(length));
    Words random(length);
    for (auto& word : random) word = rng();
    for (const Words& a : {random, extreme_words(length, rng), Words(length, kAllOnes)}) {
      ASSERT_EQ(reduced(reduction, n, a), remainder(a, 0));
    }
    for (const std::uint64_t q :
         {std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{65537}, (std::uint64_t{1} << 61) - 1,
          (std::uint64_t{1} << 63) - 25, kTopBit - 1}) {
      const Words residues = mixed_values(length, q, 1, rng);
      ASSERT_EQ(reduced(reduction, n, residues, q), remainder(residues, q)) << q;
      const Words largest(length, q - 1);
      ASSERT_EQ(reduced(reduction, n, largest, q), remainder(largest, q)) << q;
    }
  }
}

// The same for rings of a size that is used: one product, extreme words, residues of a modulus that
// lets integers add up and of one that does not.
void expect_large_remainders(std::uint64_t index, ReductionMethod method, std::mt19937_64& rng) {
  SCOPED_TRACE("m = " + std::to_string(index));
  const CyclotomicPolynomial polynomial(index);
  const std::size_t n = polynomial.degree();
  const CyclotomicReduction reduction(polynomial, method);
  FlintRemainder remainder(index);
  Words random(2 * n - 1);
  for (auto& word : random) word = rng();
  ASSERT_EQ(reduced(reduction, n, random), remainder(random, 0));
  const Words extremes = extreme_words(2 * index, rng);
  ASSERT_EQ(reduced(reduction, n, extremes), remainder(extremes, 0));
  for (const std::uint64_t q : {(std::uint64_t{1} << 50) - 27, kTopBit - 25}) {
    const Words residues = mixed_values(2 * n - 1, q, 1, rng);
    ASSERT_EQ(reduced(reduction, n, residues, q), remainder(residues, q)) << q;
  }
}

bool takes(ReductionMethod method, std::uint64_t index) {
  return method != ReductionMethod::block_system ||
         CyclotomicPolynomial(index).max_coefficient() == 1;
}

class CyclotomicReductions : public ::testing::TestWithParam<ReductionMethod> {};

std::string method_name(const ::testing::TestParamInfo<ReductionMethod>& info) {
  switch (info.param) {
    case ReductionMethod::sparse_divisors:
      return "SparseDivisors";
    case ReductionMethod::block_system:
      return "BlockSystem";
    case ReductionMethod::barrett:
      return "Barrett";
  }
  return "Unknown";
}

TEST_P(CyclotomicReductions, RemaindersOfSmallRingsAreThoseOfFlint) {
  auto rng = make_rng();
  const std::uint64_t last = test_scale() > 1 ? 210 : 110;
  for (std::uint64_t index = 1; index <= last; ++index) {
    if (!takes(GetParam(), index)) continue;
    expect_remainders(index, GetParam(), rng);
  }
}

TEST_P(CyclotomicReductions, RefuseLengthsOutOfRange) {
  const CyclotomicReduction reduction(CyclotomicPolynomial(15), GetParam());
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, std::size_t{31}}) {
    Words a(length, 5);
    expect_refusal("a has " + std::to_string(length), [&] { reduction.reduce_words(a); });
    expect_refusal("a has " + std::to_string(length), [&] { reduction.reduce_residues(a, 17); });
    EXPECT_EQ(a, Words(length, 5));
  }
}

TEST_P(CyclotomicReductions, RemaindersOfLargeRingsAreThoseOfFlint) {
  auto rng = make_rng();
  for (std::size_t i = 0; i < scaled(1); ++i) {
    for (const std::uint64_t index : {1155, 2783, 3875, 4096}) {
      if (!takes(GetParam(), index)) continue;
      expect_large_remainders(index, GetParam(), rng);
    }
  }
}

TEST(CyclotomicReduction, RemaindersByLargePolynomialsAreThoseOfFlint) {
  auto rng = make_rng();
  for (std::size_t i = 0; i < scaled(1); ++i) {
    for (const std::uint64_t index :
         {2827, 3205, 3485, 5461, 5913, 6223, 8191, 9225, 10773, 13797}) {
      expect_large_remainders(index, ReductionMethod::sparse_divisors, rng);
    }
  }
}

TEST(CyclotomicReduction, BlocksNeedCoefficientsOfOneAndFewOfThem) {
  constexpr auto kMethod = ReductionMethod::block_system;
  expect_refusal("Phi_105 has a coefficient of 2",
                 [&] { CyclotomicReduction(CyclotomicPolynomial(105), kMethod); });
  expect_refusal("Phi_4099 has 4099 coefficients",
                 [&] { CyclotomicReduction(CyclotomicPolynomial(4099), kMethod); });
  EXPECT_NO_THROW(CyclotomicReduction(CyclotomicPolynomial(4093), kMethod));
  expect_refusal("method = 7", [] {
    CyclotomicReduction(CyclotomicPolynomial(15), static_cast<ReductionMethod>(7));
  });
}

// Operations on the words of Phi_15 = X^8 - X^7 + X^5 - X^4 + X^3 - X + 1, counted by hand.
TEST(CyclotomicReduction, OperationsOfOneProductAreCounted) {
  const CyclotomicPolynomial polynomial(15);
  const auto count = [&](ReductionMethod method) {
    return CyclotomicReduction(polynomial, method).operation_count();
  };
  // Seven coefficients of the quotient, six terms each.
  EXPECT_EQ(count(ReductionMethod::block_system), 42u);
  // Products of 7 by 7, of which 28 matter, and of 7 by 8, of which 56 - 21 do; multiply and add.
  EXPECT_EQ(count(ReductionMethod::barrett), 2u * (28 + 35));
  // 10 differences leave the remainder modulo X^10 + X^5 + 1. Its quotient of 2 coefficients is one
  // sum (1 - X), times 1 - X in 3 coefficients two differences, over 1 - X^5 nothing more to add,
  // over 1 - X^3 five sums, and 8 differences.
  EXPECT_EQ(count(ReductionMethod::sparse_divisors), 10u + 1 + 2 + 5 + 8);
}

INSTANTIATE_TEST_SUITE_P(Methods, CyclotomicReductions,
                         ::testing::Values(ReductionMethod::sparse_divisors,
                                           ReductionMethod::block_system, ReductionMethod::barrett),
                         method_name);

}  // namespace
}  // namespace ringlet::test
