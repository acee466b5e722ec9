// SPDX-License-Identifier: Apache-2.0
// Backend::scale_and_round, is_reduced, lift_message and combine_words on every table, against GMP
// and 128-bit integers; and what Backend makes of them where a backend has nothing better.

#include "ringlet/base/error.hpp"
#include "ringlet/ring/basis_conversion.hpp"
#include "support/reference/big_integer.hpp"
#include "support/ring_fixture.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kDegree = 256;

/// Integers x with |t*x/Q| below R/8, of both signs, near 0 and near multiples of Q/2 among them.
Integers scalable_integers(const Integer& q, const Integer& r, std::uint64_t t,
                           std::mt19937_64& rng) {
  const Integer bound = q * r / Integer(8 * t);
  Integers result;
  for (std::size_t i = 0; i < kDegree; ++i) {
    Integer x = random_integer(bound, rng);
    if (i % 3 == 0) x = (q >> 1) * Integer(i) / Integer(t);  // near a multiple of Q/2 after t
    if (i % 2 == 0) x = -x;
    if (i < 4) x = Integer::of(static_cast<std::int64_t>(i) - 2);
    result.push_back(x);
  }
  return result;
}

void expect_scaled(const std::vector<int>& bits, std::size_t q_count, std::uint64_t t) {
  auto rng = make_rng(t);
  const RnsBasis basis = make_basis_of_bits(kDegree, bits);
  const Indices q = range(0, q_count);
  const Indices r = range(q_count, bits.size());
  const ConversionReference reference(basis, q);
  const Integers x = scalable_integers(reference.product(), product_of(basis, r), t, rng);
  Integers scaled;
  for (const Integer& value : x) {
    const Integer product = value * Integer(t);
    const Integer multiple = product - reference.representative(product);
    ASSERT_TRUE(multiple.is_multiple_of(reference.product()));
    scaled.push_back(multiple / reference.product());
  }
  const Words expected = all_words(residues_of(scaled, basis, q));
  const CoeffPoly over_q = residues_of(x, basis, q);
  const CoeffPoly over_r = residues_of(x, basis, r);
  const RnsScaling scaling(basis, q, r, t);
  for (const auto& backend : make_backends(basis)) {
    SCOPED_TRACE(describe(*backend));
    CoeffPoly apart(q_count, kDegree);
    backend->scale_and_round(apart.view_for_writing(), over_q.view(), over_r.view(), scaling);
    ASSERT_EQ(all_words(apart), expected);
    CoeffPoly in_place = over_q;
    backend->scale_and_round(in_place.view_for_writing(), in_place.view(), over_r.view(), scaling);
    ASSERT_EQ(all_words(in_place), expected);
  }
}

TEST(RnsScalingTest, DividesByTheModulusExactly) {
  expect_scaled({44, 44, 44, 44, 50, 50, 50, 50, 50}, 4, 1032193);
  expect_scaled({50, 50, 50, 50, 50}, 2, 3);
  expect_scaled({30, 61, 50, 61, 61, 61}, 3, (std::uint64_t{1} << 40) + 1);
  expect_scaled({61, 61, 61}, 1, 65537);
  expect_scaled({17, 18, 20, 40, 40, 40}, 3, 1 << 20);
}

TEST(RnsScalingTest, ManyPrimesOfFiftyBitsFillTheirSums) {
  std::vector<int> bits(37, 50);
  std::fill_n(bits.begin(), 17, 49);
  expect_scaled(bits, 17, 786433);
  expect_scaled(std::vector<int>(41, 50), 20, 257);
}

TEST(RnsScalingTest, RefusesACommonPrime) {
  const RnsBasis basis = make_basis_of_bits(kDegree, {30, 31, 32});
  const Indices q{0, 1};
  EXPECT_THROW(RnsScaling(basis, q, Indices{1, 2}, 17), InvalidArgument);
  const RnsScaling scaling(basis, q, Indices{2}, 17);
  EXPECT_EQ(scaling.factors(0).size(), 4u);
  EXPECT_THROW(scaling.factors(1), OutOfRange);
}

TEST(RnsScalingTest, ScaledConversionsMultiplyBeforeAndAfter) {
  auto rng = make_rng();
  const RnsBasis basis = make_basis_of_bits(kDegree, {44, 45, 49, 50, 61});
  const Indices from{0, 1, 2};
  const Indices to{3, 4};
  const std::uint64_t before = (std::uint64_t{1} << 59) + 3;
  const std::uint64_t after = ~std::uint64_t{0};
  const ConversionReference reference(basis, from);
  const BasisConversion conversion = BasisConversion(basis, from, to).scaled(before, after);
  const Integers x = scalable_integers(reference.product(), Integer(64), 1, rng);
  Integers expected;
  for (const Integer& value : x) {
    expected.push_back(reference.representative(value * Integer(before)) * Integer(after));
  }
  for (const auto& backend : make_backends(basis)) {
    CoeffPoly result(to.size(), kDegree);
    backend->convert_basis(result.view_for_writing(), residues_of(x, basis, from).view(),
                           conversion);
    EXPECT_EQ(all_words(result), all_words(residues_of(expected, basis, to))) << describe(*backend);
  }
}

TEST(RnsScalingTest, MessagesBecomeResiduesOfLeastAbsoluteValue) {
  const RnsBasis basis = make_basis_of_bits(kDegree, {17, 30, 50, 61});
  const Indices primes = range(0, 4);
  Words scalars;
  for (const std::size_t i : primes) scalars.push_back(basis[i].value() - 1 - 2 * i);
  for (const std::uint64_t t :
       Words{2, 3, 65537, std::uint64_t{1} << 40, (std::uint64_t{1} << 60) - 1}) {
    Words message{0, t - 1, t / 2, (t + 1) / 2, 1 % t, (t - 1) / 2};
    for (std::size_t c = 0; c < 101; ++c) message.push_back((t / 101 * c + c) % t);
    const Words other(message.rbegin(), message.rend());
    Words lifted;
    Words combined;
    for (const std::size_t i : primes) {
      const std::uint64_t q = basis[i].value();
      for (std::size_t c = 0; c < kDegree; ++c) {
        const std::uint64_t m = c < message.size() ? message[c] : 0;
        lifted.push_back(m >= (t + 1) / 2 ? (q - (t - m) % q) % q : m % q);
        const std::uint64_t b = c < message.size() ? other[c] : 0;
        combined.push_back(static_cast<std::uint64_t>((uint128_t{m} * scalars[i] % q + b % q) % q));
      }
    }
    for (const auto& backend : make_backends(basis)) {
      CoeffPoly result(primes.size(), kDegree);
      std::ranges::fill(result.view_for_writing().limb(3), 7);  // words of before
      backend->lift_message(result.view_for_writing(), message, t, primes);
      EXPECT_EQ(all_words(result), lifted) << describe(*backend) << t;
      backend->combine_words(result.view_for_writing(), message, other, t, scalars, primes);
      EXPECT_EQ(all_words(result), combined) << describe(*backend) << t;
    }
  }
}

TEST(RnsScalingTest, FindsAResidueThatIsNotReduced) {
  const RnsBasis basis = make_basis_of_bits(kDegree, {17, 50, 61});
  const Indices primes{2, 0, 1};
  for (const auto& backend : make_backends(basis)) {
    CoeffPoly poly(primes.size(), kDegree);
    for (std::size_t i = 0; i < primes.size(); ++i) {
      std::ranges::fill(poly.view_for_writing().limb(i), basis[primes[i]].value() - 1);
    }
    EXPECT_TRUE(backend->is_reduced(poly.view(), primes)) << describe(*backend);
    for (std::size_t i = 0; i < primes.size(); ++i) {
      for (const std::size_t c : {0u, 17u, 255u}) {
        std::uint64_t& word = poly.view_for_writing().limb(i)[c];
        for (const std::uint64_t bad : {basis[primes[i]].value(), ~std::uint64_t{0}}) {
          word = bad;
          EXPECT_FALSE(backend->is_reduced(poly.view(), primes)) << describe(*backend) << i << c;
        }
        word = 0;
      }
    }
  }
}

}  // namespace
}  // namespace ringlet::test
