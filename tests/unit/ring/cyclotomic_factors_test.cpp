// SPDX-License-Identifier: Apache-2.0
// Factors of Phi_m modulo small primes, against FLINT's factorisation.

#include <flint/nmod_poly.h>

#include "ringlet/cyclotomic_slots.hpp"
#include "ringlet/error.hpp"
#include "support/flint_poly.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using Factors = std::vector<std::vector<std::uint8_t>>;

Factors factors_by_flint(std::uint64_t m, std::uint64_t p) {
  fmpz_poly_t integers;
  nmod_poly_t polynomial;
  nmod_poly_factor_t factors;
  fmpz_poly_init(integers);
  nmod_poly_init(polynomial, p);
  nmod_poly_factor_init(factors);
  fmpz_poly_cyclotomic(integers, m);
  fmpz_poly_get_nmod_poly(polynomial, integers);
  nmod_poly_factor(factors, polynomial);
  Factors result;
  for (slong i = 0; i < factors->num; ++i) {
    EXPECT_EQ(factors->exp[i], 1);
    auto& factor = result.emplace_back();
    for (slong j = 0; j <= nmod_poly_degree(factors->p + i); ++j) {
      factor.push_back(static_cast<std::uint8_t>(nmod_poly_get_coeff_ui(factors->p + i, j)));
    }
  }
  nmod_poly_factor_clear(factors);
  nmod_poly_clear(polynomial);
  fmpz_poly_clear(integers);
  std::ranges::sort(result, [](const auto& a, const auto& b) {
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  });
  return result;
}

TEST(FactorCyclotomic, EveryIndexAndSmallPrime) {
  for (std::uint64_t m = 3; m <= 64; ++m) {
    for (const std::uint64_t p : {2u, 3u, 5u, 7u, 13u, 17u, 127u, 251u}) {
      if (m % p == 0) continue;
      ASSERT_EQ(factor_cyclotomic(m, p), factors_by_flint(m, p)) << "m = " << m << " p = " << p;
    }
  }
}

TEST(FactorCyclotomic, LargerIndices) {
  for (const std::uint64_t m : {121u, 500u, 512u, 1023u, 1155u}) {
    for (const std::uint64_t p : {2u, 3u, 7u, 241u}) {
      if (m % p == 0) continue;
      ASSERT_EQ(factor_cyclotomic(m, p), factors_by_flint(m, p)) << "m = " << m << " p = " << p;
    }
  }
}

TEST(FactorCyclotomic, IntoLinearFactorsAndIntoOne) {
  EXPECT_EQ(factor_cyclotomic(4, 5), (Factors{{2, 1}, {3, 1}}));
  EXPECT_EQ(factor_cyclotomic(7, 3), (Factors{{1, 1, 1, 1, 1, 1, 1}}));
}

TEST(FactorCyclotomic, AgreesWithTheSlots) {
  for (const std::uint64_t m : {31u, 255u, 1023u, 3485u}) {
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
  for (const std::uint64_t m :
       {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{16384}, ~std::uint64_t{0}}) {
    EXPECT_THROW(factor_cyclotomic(m, 5), InvalidArgument) << m;
  }
  for (const std::uint64_t p : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4},
                                std::uint64_t{3}, std::uint64_t{257}, ~std::uint64_t{0}}) {
    EXPECT_THROW(factor_cyclotomic(15, p), InvalidArgument) << p;
  }
}

}  // namespace
}  // namespace ringlet::test
