// SPDX-License-Identifier: Apache-2.0
#include "ringlet/fv/wide_product.hpp"

#include "fv/products/product_length.hpp"
#include "kernels/select.hpp"
#include "support/reference/wide_reference.hpp"
#include "support/refusal.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

using Small = std::vector<std::int8_t>;
using SmallSpans = std::vector<std::span<const std::int8_t>>;
using ErrorSpans = std::vector<std::span<const std::int32_t>>;

constexpr ProductWay kWays[] = {ProductWay::karatsuba, ProductWay::ntt, ProductWay::additions};

class WideProductErrors : public ::testing::TestWithParam<ProductWay> {
 protected:
  static constexpr std::size_t kDegree = 12;

  /// The call is refused with these words, and the results stay as they are.
  void expect_refused(std::size_t result_count, const PreparedWidePoly& p, const SmallSpans& u,
                      const ErrorSpans& e, const std::string& words) {
    std::vector<WidePoly> results(result_count, marked_);
    expect_refusal_of("WideProduct::multiply_add", {words},
                      [&] { product_.multiply_add(results, p, u, e); });
    for (const WidePoly& result : results) EXPECT_TRUE(result == marked_);
  }

  const CyclotomicPolynomial phi_{21};
  const WideModulus q_ = WideModulus::largest_prime(125);
  const WideProduct product_{phi_, q_, GetParam()};
  const WidePoly marked_ = constant_wide_poly(3, q_, {5, 6, 0});
  const std::shared_ptr<const PreparedWidePoly> p_ =
      product_.prepare(constant_wide_poly(kDegree, q_, {1, 2, 0}));
  const Small u_ = Small(kDegree, 1);
  const std::vector<std::int32_t> e_ = std::vector<std::int32_t>(kDegree, 7);
};

TEST_P(WideProductErrors, RefusesOtherNumbersAndSizesOfOperands) {
  expect_refused(1, *p_, {u_, u_}, {e_, e_}, "1 results, 2 small operands, 2 summands");
  expect_refused(1, *p_, {u_}, {}, "1 results, 1 small operands, 0 summands");
  expect_refused(2, *p_, {u_}, {e_}, "2 results, 1 small operands, 1 summands");
  const Small shorter(kDegree - 1, 1);
  const Small longer(kDegree + 1, 1);
  expect_refused(1, *p_, {shorter}, {e_}, "u[0] has 11 coefficients");
  expect_refused(2, *p_, {u_, longer}, {e_, e_}, "u[1] has 13 coefficients");
  expect_refused(1, *p_, {Small()}, {e_}, "u[0] has 0 coefficients");
  const std::vector<std::int32_t> half(kDegree / 2);
  expect_refused(2, *p_, {u_, u_}, {e_, half}, "e[1] has 6 coefficients");
}

TEST_P(WideProductErrors, RefusesEveryOtherCoefficient) {
  for (int value = -128; value <= 127; ++value) {
    if (value >= -1 && value <= 1) continue;
    Small u(kDegree, 1);
    u[static_cast<std::size_t>(value + 128) % kDegree] = static_cast<std::int8_t>(value);
    expect_refused(1, *p_, {u}, {e_}, "u[0] has a coefficient that is not -1, 0 or 1");
  }
}

TEST_P(WideProductErrors, RefusesWhatAnotherObjectPrepared) {
  const WidePoly zero(kDegree, 2);
  const WideModulus other_q = WideModulus::largest_prime(124);
  for (const ProductWay way : kWays) {
    const WideProduct other_modulus(phi_, other_q, way);
    expect_refused(1, *other_modulus.prepare(zero), {u_}, {e_}, "prepared by another object");
    const WideProduct other_ring(CyclotomicPolynomial(65), q_, way);
    expect_refused(1, *other_ring.prepare(WidePoly(48, 2)), {u_}, {e_},
                   "prepared by another object");
    if (way == GetParam()) continue;
    const WideProduct other_way(phi_, q_, way);
    expect_refused(1, *other_way.prepare(zero), {u_}, {e_}, "prepared by another object");
  }
}

TEST_P(WideProductErrors, PrepareRefusesOtherShapesAndWordsThatAreNotReduced) {
  WidePoly p = constant_wide_poly(kDegree, q_, largest_residue(q_));
  EXPECT_NO_THROW((void)product_.prepare(p));
  std::vector<WidePoly> bad{
      WidePoly(), WidePoly(kDegree - 1, 2), WidePoly(kDegree, 1), WidePoly(kDegree, 3), p, p};
  bad[4].set(kDegree - 1, q_.value());
  bad[5].set(kDegree - 1, {~std::uint64_t{0}, ~std::uint64_t{0}, 0});
  for (const WidePoly& poly : bad) EXPECT_THROW((void)product_.prepare(poly), InvalidArgument);
}

TEST_P(WideProductErrors, ResultsOfTheRightShapeKeepTheirMemory) {
  std::vector<WidePoly> results{WidePoly(kDegree, 2), WidePoly(2, 1)};
  const std::uint64_t* const words = results[0].plane(0).data();
  product_.multiply_add(results, *p_, SmallSpans{u_, u_}, ErrorSpans{e_, {}});
  EXPECT_EQ(results[0].plane(0).data(), words);
  EXPECT_EQ(results[1].degree(), kDegree);
  EXPECT_EQ(results[1].word_count(), 2u);
  EXPECT_NO_THROW(product_.multiply_add({}, *p_, SmallSpans{}, ErrorSpans{}));
}

TEST_P(WideProductErrors, NamesItself) {
  EXPECT_EQ(product_.way(), GetParam());
  EXPECT_TRUE(product_.kernel_name().starts_with(to_string(GetParam())));
  EXPECT_EQ(product_.polynomial().index(), 21u);
  EXPECT_TRUE(product_.modulus() == q_);
  EXPECT_GT(product_.table_bytes(), 0u);
  EXPECT_GE(p_->bytes(), kDegree * 16);
  EXPECT_EQ(product_.scratch_bytes(0), 0u);
  EXPECT_GT(product_.scratch_bytes(1), 0u);
  EXPECT_EQ(product_.scratch_bytes(9), product_.scratch_bytes(4));
}

INSTANTIATE_TEST_SUITE_P(Ways, WideProductErrors, ::testing::ValuesIn(kWays),
                         [](const auto& way) { return std::string(to_string(way.param)); });

TEST(WideProduct, RefusesLargeRings) {
  const WideModulus q = WideModulus::largest_prime(30);
  EXPECT_THROW(WideProduct(CyclotomicPolynomial(65536), q), InvalidArgument);
  EXPECT_NO_THROW(WideProduct(CyclotomicPolynomial(32768), q, ProductWay::ntt));
}

TEST(WideProduct, ChoosesAWay) {
  const WideModulus q = WideModulus::largest_prime(100);
  EXPECT_NE(WideProduct(CyclotomicPolynomial(15), q).way(), ProductWay::automatic);
  EXPECT_EQ(WideProduct(CyclotomicPolynomial(3485), q).way(), ProductWay::ntt);
}

/// p * u with the kernels of the selection.
WidePoly product_by(const KernelSelection& kernels, const CyclotomicPolynomial& phi,
                    const WidePoly& p, const Small& u, const WideModulus& q) {
  const WideProduct product(phi, q, ProductWay::karatsuba, kernels);
  std::vector<WidePoly> results(1);
  product.multiply_add(results, *product.prepare(p), SmallSpans{u}, ErrorSpans{{}});
  return results[0];
}

TEST(KaratsubaMethod, EveryKernelGivesTheSameBits) {
  auto rng = make_rng();
  const CyclotomicPolynomial phi(121);
  const WideModulus q = WideModulus::largest_prime(135);
  const WidePoly p = random_wide_poly(phi.degree(), q, rng);
  Small u(phi.degree());
  for (auto& value : u) value = static_cast<std::int8_t>(static_cast<int>(rng() % 3) - 1);
  const WidePoly expected = WideReference(phi, q).multiply_add(p, u, {});
  EXPECT_EQ(product_by(KernelSelection::from_environment(), phi, p, u, q), expected);
  for (const auto& chosen : kernels::karatsuba_kernels()) {
    EXPECT_EQ(product_by(KernelSelection(chosen.name()), phi, p, u, q), expected) << chosen.name();
  }
}

TEST(KaratsubaMethod, NamesTheKernelThatWasAskedFor) {
  const CyclotomicPolynomial phi(121);
  const WideModulus q = WideModulus::largest_prime(125);
  for (const auto& chosen : kernels::karatsuba_kernels()) {
    const WideProduct exact(phi, q, ProductWay::karatsuba, KernelSelection(chosen.name()));
    EXPECT_EQ(exact.way(), ProductWay::karatsuba);
    EXPECT_TRUE(exact.kernel_name().starts_with("karatsuba/" + chosen.name() + "/"));
    const std::string table = chosen.kernel->table;
    const WideProduct ceiling(phi, q, ProductWay::karatsuba, KernelSelection(table));
    EXPECT_TRUE(ceiling.kernel_name().starts_with("karatsuba/" + table + "/"));
  }
}

TEST(WideSums, AgreeWithFlintInPlaceAndAtTheEdges) {
  std::mt19937_64 rng = test::make_rng();
  for (const int bits : {2, 20, 63, 64, 65, 127, 128, 129, 135}) {
    const WideModulus q = WideModulus::largest_prime(bits);
    const CyclotomicPolynomial phi(101);
    const WideReference reference(phi, q);
    WidePoly a = random_wide_poly(100, q, rng);
    WidePoly b = random_wide_poly(100, q, rng);
    for (std::size_t i = 0; i < 8; ++i) {
      a.set(i, i % 2 == 0 ? largest_residue(q) : WideInteger{});
      b.set(i, i % 4 < 2 ? largest_residue(q) : WideInteger{});
    }
    for (const bool difference : {false, true}) {
      const WidePoly expected = reference.sum(a, b, difference);
      WidePoly result;
      difference ? subtract(result, a, b, q) : add(result, a, b, q);
      EXPECT_TRUE(result == expected) << bits;
      WidePoly in_place = a;
      difference ? subtract(in_place, in_place, b, q) : add(in_place, in_place, b, q);
      EXPECT_TRUE(in_place == expected) << bits;
      in_place = b;
      difference ? subtract(in_place, a, in_place, q) : add(in_place, a, in_place, q);
      EXPECT_TRUE(in_place == expected) << bits;
    }
  }
}

TEST(WideSums, RefuseOtherShapes) {
  const WideModulus q = WideModulus::largest_prime(100);
  WidePoly result(2, 2);
  const WidePoly before = result;
  EXPECT_THROW(add(result, WidePoly(4, 2), WidePoly(5, 2), q), InvalidArgument);
  EXPECT_THROW(subtract(result, WidePoly(4, 2), WidePoly(4, 1), q), InvalidArgument);
  EXPECT_THROW(add(result, WidePoly(4, 3), WidePoly(4, 3), q), InvalidArgument);
  EXPECT_TRUE(result == before);
}

TEST(ProductLength, IsTheShortestOfTheTwoKinds) {
  using wide::product_length;
  const std::map<std::size_t, std::string> expected{
      {1, "2^6"},       {64, "2^6"},       {65, "2^7"},     {257, "5*2^6"}, {5119, "5*2^10"},
      {5121, "3*2^11"}, {11663, "3*2^12"}, {16379, "2^14"}, {32767, "2^15"}};
  for (const auto& [count, text] : expected) EXPECT_EQ(product_length(count).to_string(), text);
  for (std::size_t count = 1; count < 40000; count += 7) {
    const auto [first, second] = product_length(count);
    ASSERT_GE(first + second, count);
    ASSERT_TRUE(second == 0 || (first > second && first / second <= 64)) << count;
  }
}

}  // namespace
}  // namespace ringlet::test
