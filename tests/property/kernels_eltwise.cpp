// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ringlet/eltwise.hpp"
#include "support/eltwise_reference.hpp"
#include "support/values.hpp"

// Laws of the element-wise operations with random moduli of every size, over all kernels of this
// processor, and products next to multiples of the modulus, where a quotient that is one off shows.

namespace ringlet::test {
namespace {

/// A random modulus below `limit` with a random number of bits.
std::uint64_t random_modulus(std::uint64_t limit, std::mt19937_64& rng) {
  for (;;) {
    const int bits = 2 + static_cast<int>(rng() % 61);
    const std::uint64_t q = (std::uint64_t{1} << (bits - 1)) | (rng() >> (65 - bits));
    if (q >= 2 && q < limit) return q;
  }
}

/// Pairs (x, y) whose product is a multiple of q plus a small number, of either sign.
void near_multiples(std::uint64_t q, Words& x, Words& y, std::mt19937_64& rng) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::uint64_t unit = 0;
    do {
      unit = 1 + rng() % (q - 1);
    } while (n_gcd(unit, q) != 1);
    const std::uint64_t small = rng() % 4;
    const std::uint64_t residue = rng() % 2 != 0 ? small % q : (q - small % q) % q;
    x[i] = unit;
    y[i] = static_cast<std::uint64_t>(static_cast<uint128_t>(n_invmod(unit, q)) * residue % q);
  }
}

class EltwiseProperty : public ::testing::TestWithParam<KernelInfo> {
 protected:
  void SetUp() override {
    if (!GetParam().available) GTEST_SKIP() << "this processor cannot run " << GetParam().name;
  }
  static Eltwise exact(std::uint64_t q) {
    return Eltwise(q, KernelSelection(GetParam().table + "/" + GetParam().algorithm));
  }
  static Words run(const Eltwise& eltwise, const EltwiseOperands& x) {
    Words result(x.a.size());
    run_eltwise(eltwise, GetParam().operation, result, x);
    return result;
  }
};

TEST_P(EltwiseProperty, RandomModuliAgreeWithFlint) {
  auto rng = make_rng();
  for (std::size_t i = 0; i < scaled(500); ++i) {
    const std::uint64_t q = random_modulus(GetParam().modulus_limit, rng);
    const std::size_t n = rng() % 80;
    const bool any_word = GetParam().operation == "reduce";
    const Words a = mixed_values(n, any_word ? ~std::uint64_t{0} : q, 1, rng);
    const Words b = mixed_values(n, q, 1, rng);
    const Words c = mixed_values(n, q, 1, rng);
    const EltwiseOperands operands{a, b, c, rng() % q};
    ASSERT_EQ(run(exact(q), operands), expected_by_flint(GetParam().operation, operands, q))
        << "q = " << q;
  }
}

TEST_P(EltwiseProperty, ProductsNextToMultiplesOfTheModulusAreExact) {
  auto rng = make_rng();
  const std::uint64_t limit = GetParam().modulus_limit;
  for (std::size_t i = 0; i < scaled(200); ++i) {
    const std::uint64_t q =
        i % 2 != 0 ? limit - 1 - rng() % (limit / 2) : random_modulus(limit, rng);
    Words a(24);
    Words b(24);
    near_multiples(q, a, b, rng);
    const Words c = mixed_values(24, q, 1, rng);
    const EltwiseOperands operands{a, b, c, b[0]};
    ASSERT_EQ(run(exact(q), operands), expected_by_division(GetParam().operation, operands, q))
        << "q = " << q;
  }
}

TEST_P(EltwiseProperty, EqualsScalar64) {
  auto rng = make_rng();
  for (std::size_t i = 0; i < scaled(100); ++i) {
    const std::uint64_t q = random_modulus(GetParam().modulus_limit, rng);
    const std::size_t n = 1 + rng() % 300;
    const Words a = random_residues(n, q, rng);
    const Words b = random_residues(n, q, rng);
    const Words c = random_residues(n, q, rng);
    const EltwiseOperands operands{a, b, c, rng() % q};
    const Eltwise scalar(q, KernelSelection("scalar64"));
    ASSERT_EQ(run(exact(q), operands), run(scalar, operands)) << "q = " << q;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EltwiseProperty, ::testing::ValuesIn(eltwise_kernels()),
                         kernel_test_name);

TEST(EltwiseLaws, TheOperationsFitTogether) {
  auto rng = make_rng();
  for (std::size_t i = 0; i < scaled(300); ++i) {
    const std::uint64_t q = random_modulus(std::uint64_t{1} << 62, rng);
    const Eltwise eltwise{Modulus(q)};
    const std::size_t n = 1 + rng() % 50;
    const Words a = random_residues(n, q, rng);
    const Words b = random_residues(n, q, rng);
    const Words c = random_residues(n, q, rng);
    const std::uint64_t scalar = rng() % q;
    Words left(n);
    Words right(n);

    eltwise.subtract(left, a, b);
    eltwise.add(left, left, b);
    EXPECT_EQ(left, a) << "(a - b) + b, q = " << q;

    eltwise.negate(left, a);
    eltwise.add(left, left, a);
    EXPECT_EQ(left, Words(n, 0)) << "-a + a, q = " << q;

    eltwise.multiply(left, a, b);
    eltwise.add(left, left, c);
    eltwise.multiply_add(right, a, b, c);
    EXPECT_EQ(left, right) << "a*b + c, q = " << q;

    eltwise.multiply(left, a, Words(n, scalar));
    eltwise.multiply_scalar(right, a, scalar);
    EXPECT_EQ(left, right) << "a*scalar, q = " << q;

    eltwise.add(left, left, c);
    eltwise.multiply_scalar_add(right, a, scalar, c);
    EXPECT_EQ(left, right) << "a*scalar + c, q = " << q;

    eltwise.reduce(left, a);
    EXPECT_EQ(left, a) << "reduced words stay, q = " << q;
  }
}

}  // namespace
}  // namespace ringlet::test
