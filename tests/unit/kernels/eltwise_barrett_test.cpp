// SPDX-License-Identifier: Apache-2.0
#include <flint/fmpz.h>

#include "kernels/eltwise/barrett.hpp"
#include "ringlet/modulus.hpp"
#include "support/eltwise_reference.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// The constants of Barrett's reduction and the bound that they promise, in exact arithmetic.

namespace ringlet::test {
namespace {

/// An integer of FLINT that frees itself.
class Integer {
 public:
  Integer() { fmpz_init(value_); }
  explicit Integer(std::uint64_t value) : Integer() { fmpz_set_ui(value_, value); }
  Integer(const Integer& other) : Integer() { fmpz_set(value_, other.value_); }
  Integer& operator=(const Integer&) = delete;
  ~Integer() { fmpz_clear(value_); }

  friend Integer operator*(const Integer& x, const Integer& y) {
    Integer result;
    fmpz_mul(result.value_, x.value_, y.value_);
    return result;
  }
  friend Integer operator+(const Integer& x, const Integer& y) {
    Integer result;
    fmpz_add(result.value_, x.value_, y.value_);
    return result;
  }
  /// Rounded down.
  friend Integer operator/(const Integer& x, const Integer& y) {
    Integer result;
    fmpz_fdiv_q(result.value_, x.value_, y.value_);
    return result;
  }
  friend bool operator<(const Integer& x, const Integer& y) {
    return fmpz_cmp(x.value_, y.value_) < 0;
  }
  friend bool operator==(const Integer& x, const Integer& y) {
    return fmpz_equal(x.value_, y.value_) != 0;
  }
  static Integer power_of_two(int exponent) {
    Integer result;
    fmpz_one_2exp(result.value_, static_cast<ulong>(exponent));
    return result;
  }

 private:
  fmpz_t value_;
};

class BarrettConstants : public ::testing::TestWithParam<int> {
 protected:
  /// Moduli below 2^(bits - 2).
  static Words moduli() {
    Words all = eltwise_moduli();
    std::erase_if(all, [](std::uint64_t q) { return q >> (GetParam() - 2) != 0; });
    return all;
  }
};

TEST_P(BarrettConstants, TheQuotientIsExactAndFits) {
  const int bits = GetParam();
  for (const std::uint64_t q : moduli()) {
    const int s = kernels::barrett_shift(q, bits);
    ASSERT_GE(s, 0);
    ASSERT_LT(s, bits - 2);
    const std::uint64_t quotient = kernels::barrett_quotient(Modulus(q).ratio(), s, bits);
    EXPECT_EQ(Integer(quotient), Integer::power_of_two(bits + s) / Integer(q)) << q;
    EXPECT_LT(Integer(quotient), Integer::power_of_two(bits)) << q;
  }
}

// 2^s/q + q^2/2^(bits + s) < 1, times q * 2^(bits + s).
TEST_P(BarrettConstants, TheErrorOfTheEstimateIsBelowOne) {
  const int bits = GetParam();
  for (const std::uint64_t q : moduli()) {
    const int s = kernels::barrett_shift(q, bits);
    const Integer cube = Integer(q) * Integer(q) * Integer(q);
    EXPECT_LT(cube + Integer::power_of_two(2 * s + bits),
              Integer(q) * Integer::power_of_two(bits + s))
        << q;
  }
}

TEST_P(BarrettConstants, TopAndQuotientFitTheSumOfMiddleProducts) {
  const int bits = GetParam();
  for (const std::uint64_t q : moduli()) {
    const int s = kernels::barrett_shift(q, bits);
    const Integer top = Integer(q - 1) * Integer(q - 1) / Integer::power_of_two(s);
    const Integer quotient(kernels::barrett_quotient(Modulus(q).ratio(), s, bits));
    EXPECT_LT(top + quotient, Integer::power_of_two(bits)) << q;
  }
}

// The quotient of wide products: 2^n too large by a word, for q of n bits. Its own error is what
// the proof says: below 1, or 1 for a power of two, which has none otherwise.
TEST_P(BarrettConstants, TheExcessOfTheWideQuotientFits) {
  const int bits = GetParam();
  for (const std::uint64_t q : moduli()) {
    const int n = 64 - __builtin_clzll(q);
    const std::uint64_t excess = kernels::barrett_excess(Modulus(q).ratio(), q, bits);
    const Integer quotient = Integer::power_of_two(bits) + Integer(excess);
    EXPECT_LT(Integer(excess), Integer::power_of_two(bits)) << q;
    const Integer exact = Integer::power_of_two(bits + n) / Integer(q);
    if ((q & (q - 1)) == 0) {
      EXPECT_EQ(quotient + Integer(1), exact) << q;
    } else {
      EXPECT_EQ(quotient, exact) << q;
    }
  }
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

}  // namespace
}  // namespace ringlet::test
