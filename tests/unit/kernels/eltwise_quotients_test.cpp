// SPDX-License-Identifier: Apache-2.0
#include <cfenv>

#include "kernels/eltwise/barrett.hpp"
#include "support/kernels/kernel_under_test.hpp"
#include "support/reference/gmp.hpp"

// The constants of Barrett's reduction and the bound that they promise, in exact arithmetic; and
// quotients in floating point, in every rounding mode.

namespace ringlet::test {
namespace {

class BarrettConstants : public ::testing::TestWithParam<int> {
 protected:
  /// Calls body(q) for moduli below 2^(bits - 2).
  template <typename Body>
  static void for_each_modulus(Body body) {
    for (const std::uint64_t q : eltwise_moduli()) {
      SCOPED_TRACE(q);
      if (q >> (GetParam() - 2) == 0) body(q);
    }
  }
};

TEST_P(BarrettConstants, QuotientsAreExactAndOffByLessThanOne) {
  const int bits = GetParam();
  for_each_modulus([bits](std::uint64_t word) {
    const mpz_class q = word;
    const int s = kernels::barrett_shift(word, bits);
    ASSERT_GE(s, 0);
    ASSERT_LT(s, bits - 2);
    const mpz_class quotient = kernels::barrett_quotient(Modulus(word).ratio(), s, bits);
    EXPECT_TRUE(quotient == power_of_two(bits + s) / q);
    EXPECT_TRUE(quotient < power_of_two(bits));
    // 2^s/q + q^2/2^(bits + s) < 1, times q * 2^(bits + s).
    EXPECT_TRUE(q * q * q + power_of_two(2 * s + bits) < q * power_of_two(bits + s));
    // The sum of the middle products has room for both.
    EXPECT_TRUE((q - 1) * (q - 1) / power_of_two(s) + quotient < power_of_two(bits));
  });
}

// The quotient of wide products: 2^n too large by a word, for q of n bits. Its own error is what
// the proof says: below 1, or 1 for a power of two, which has none otherwise.
TEST_P(BarrettConstants, TheExcessOfTheWideQuotientFits) {
  const int bits = GetParam();
  for_each_modulus([bits](std::uint64_t q) {
    const mpz_class excess = kernels::barrett_excess(Modulus(q).ratio(), q, bits);
    const mpz_class exact = power_of_two(bits + std::bit_width(q)) / mpz_class(q);
    EXPECT_TRUE(excess < power_of_two(bits));
    EXPECT_TRUE(power_of_two(bits) + excess + (std::has_single_bit(q) ? 1 : 0) == exact);
  });
}

INSTANTIATE_TEST_SUITE_P(Words, BarrettConstants, ::testing::Values(52, 64),
                         [](const auto& parameter) {
                           return std::to_string(parameter.param) + "bits";
                         });

TEST(FactorQuotient, EqualsTheDivision) {
  auto rng = make_rng();
  for (const std::uint64_t q : eltwise_moduli()) {
    const Modulus modulus(q);
    for (const std::uint64_t w : mixed_values(40, q, 1, rng)) {
      EXPECT_EQ(kernels::factor_quotient(w, q, modulus.ratio()), shoup_quotient(w, q))
          << w << " mod " << q;
    }
  }
}

class FloatTest : public EltwiseKernelTest {};

TEST_P(FloatTest, ExactInEveryRoundingModeAndLeavesItAsItWas) {
  auto rng = make_rng();
  const int before = std::fegetround();
  for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    for (const int bits : {20, 34, 50, 51, 52, 56}) {
      const std::uint64_t power = std::uint64_t{1} << bits;
      for (const std::uint64_t q : {n_nextprime(power / 2, 1), power - 1}) {
        if (!kernel().takes(q)) continue;
        Words a = random_residues(2000, std::min(q, std::uint64_t{10'000'000}), rng);
        for (std::uint64_t& word : a) word = q - 1 - word;
        const Words b = random_residues(a.size(), q, rng);
        EltwiseOperands x{a, b, b, q - 1};
        x.a_terms.assign(9, a);
        x.b_terms.assign(9, b);
        std::fesetround(mode);
        const Words result = kernel().run(Modulus(q), x);
        const int after = std::fegetround();
        std::fesetround(before);
        EXPECT_EQ(after, mode);
        expect_equal(result, x, q);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, FloatTest,
                         ::testing::ValuesIn(kernels_where([](const KernelUnderTest& kernel) {
                           return kernel.name().find("/float") != std::string::npos;
                         })),
                         under_test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FloatTest);

}  // namespace
}  // namespace ringlet::test
