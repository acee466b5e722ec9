// SPDX-License-Identifier: Apache-2.0
// Factors of Phi_m modulo small primes, against FLINT's factorisation.

#include "ringlet/base/error.hpp"
#include "ringlet/ring/cyclotomic_slots.hpp"
#include "support/reference/flint_poly.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using Factors = std::vector<std::vector<std::uint8_t>>;

void expect_factors(std::uint64_t m, std::uint64_t p) {
  if (m % p == 0) return;
  Factors expected;
  for (const FlintPoly& factor : FlintPoly::cyclotomic(m, p).factors()) {
    expected.push_back(
        factor.coefficients<std::uint8_t>(static_cast<std::size_t>(factor.degree()) + 1));
  }
  std::ranges::sort(expected, [](const auto& a, const auto& b) {
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  });
  EXPECT_EQ(factor_cyclotomic(m, p), expected) << "m = " << m << " p = " << p;
}

TEST(FactorCyclotomic, IsTheFactorisationOfFlint) {
  for (std::uint64_t m = 3; m <= 64; ++m) {
    for (const std::uint64_t p : {2, 3, 5, 7, 13, 17, 127, 251}) expect_factors(m, p);
  }
  for (const std::uint64_t m : {121, 500, 512, 1023, 1155}) {
    for (const std::uint64_t p : {2, 3, 7, 241}) expect_factors(m, p);
  }
}

TEST(FactorCyclotomic, IntoLinearFactorsAndIntoOne) {
  EXPECT_EQ(factor_cyclotomic(4, 5), (Factors{{2, 1}, {3, 1}}));
  EXPECT_EQ(factor_cyclotomic(7, 3), (Factors{{1, 1, 1, 1, 1, 1, 1}}));
}

TEST(FactorCyclotomic, AgreesWithTheSlots) {
  for (const std::uint64_t m : {31, 255, 1023, 3485}) {
    const CyclotomicSlots slots(m);
    const Factors factors = factor_cyclotomic(m, 2);
    ASSERT_EQ(factors.size(), slots.slot_count());
    EXPECT_EQ(factors[0], slots.factor(0));
    for (std::size_t i = 0; i < slots.slot_count(); ++i) {
      EXPECT_EQ(std::ranges::count(factors, slots.factor(i)), 1) << m << " slot " << i;
    }
  }
}

TEST(FactorCyclotomic, BadArgumentsAreRefused) {
  using Numbers = std::vector<std::uint64_t>;
  for (const std::uint64_t m : Numbers{0, 2, 16384, ~std::uint64_t{0}}) {
    EXPECT_THROW(factor_cyclotomic(m, 5), InvalidArgument) << m;
  }
  for (const std::uint64_t p : Numbers{0, 1, 4, 3, 257, ~std::uint64_t{0}}) {
    EXPECT_THROW(factor_cyclotomic(15, p), InvalidArgument) << p;
  }
}

}  // namespace
}  // namespace ringlet::test
