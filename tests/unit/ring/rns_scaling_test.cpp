// SPDX-License-Identifier: Apache-2.0
// Backend::scale_and_round, is_reduced, lift_message and combine_words on every table, against GMP
// and 128-bit integers; and what Backend makes of them where a backend has nothing better.

#include "ringlet/basis_conversion.hpp"
#include "ringlet/error.hpp"
#include "support/big_integer.hpp"
#include "support/ring_fixture.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

class RnsScalingTest : public ::testing::Test {
 protected:
  RnsScalingTest() {
    gmp_randinit_default(state_);
    gmp_randseed_ui(state_, make_rng()());
  }
  ~RnsScalingTest() override { gmp_randclear(state_); }

  /// Integers x with |t*x/Q| below R/8, of both signs, near 0 and near multiples of Q/2 among them.
  std::vector<Integer> integers(std::size_t count, const Integer& q, const Integer& r,
                                std::uint64_t t) {
    Integer bound;
    mpz_mul(bound.get(), q.get(), r.get());
    mpz_fdiv_q_ui(bound.get(), bound.get(), 8 * t);
    std::vector<Integer> result;
    while (result.size() < count) {
      Integer x;
      mpz_urandomm(x.get(), state_, bound.get());
      if (result.size() % 3 == 0) {  // near a multiple of Q/2 after t
        mpz_fdiv_q_2exp(x.get(), q.get(), 1);
        mpz_mul_ui(x.get(), x.get(), result.size());
        mpz_fdiv_q_ui(x.get(), x.get(), t);
      }
      if (result.size() % 2 == 0) mpz_neg(x.get(), x.get());
      if (result.size() < 4) mpz_set_si(x.get(), static_cast<long>(result.size()) - 2);
      result.push_back(x);
    }
    return result;
  }

  void expect_scaled(const std::vector<int>& bits, std::size_t q_count, std::uint64_t t) {
    constexpr std::size_t kDegree = 256;
    const RnsBasis basis = make_basis_of_bits(kDegree, bits);
    Indices q_primes;
    Indices r_primes;
    for (std::size_t i = 0; i < bits.size(); ++i) (i < q_count ? q_primes : r_primes).push_back(i);
    const Integer q = product_of(basis, q_primes);
    const std::vector<Integer> x = integers(kDegree, q, product_of(basis, r_primes), t);
    const ConversionReference reference(basis, q_primes);
    CoeffPoly over_q(q_primes.size(), kDegree);
    CoeffPoly over_r(r_primes.size(), kDegree);
    CoeffPoly expected(q_primes.size(), kDegree);
    for (std::size_t c = 0; c < kDegree; ++c) {
      for (std::size_t i = 0; i < q_primes.size(); ++i) {
        over_q.view_for_writing().limb(i)[c] = x[c].residue(basis[q_primes[i]].value());
      }
      for (std::size_t j = 0; j < r_primes.size(); ++j) {
        over_r.view_for_writing().limb(j)[c] = x[c].residue(basis[r_primes[j]].value());
      }
      Integer product;
      mpz_mul_ui(product.get(), x[c].get(), t);
      const Integer z = reference.representative(product);
      mpz_sub(product.get(), product.get(), z.get());
      ASSERT_TRUE(mpz_divisible_p(product.get(), q.get()));
      mpz_divexact(product.get(), product.get(), q.get());
      for (std::size_t i = 0; i < q_primes.size(); ++i) {
        expected.view_for_writing().limb(i)[c] = product.residue(basis[q_primes[i]].value());
      }
    }
    const RnsScaling scaling(basis, q_primes, r_primes, t);
    for (const auto& backend : make_backends(basis)) {
      SCOPED_TRACE(describe(*backend));
      CoeffPoly apart(q_primes.size(), kDegree);
      CoeffPoly composed(q_primes.size(), kDegree);
      CoeffPoly in_place = over_q;
      backend->scale_and_round(apart.view_for_writing(), over_q.view(), over_r.view(), scaling);
      backend->Backend::scale_and_round(composed.view_for_writing(), over_q.view(), over_r.view(),
                                        scaling);
      backend->scale_and_round(in_place.view_for_writing(), in_place.view(), over_r.view(),
                               scaling);
      for (std::size_t i = 0; i < q_primes.size(); ++i) {
        for (std::size_t c = 0; c < kDegree; ++c) {
          const std::uint64_t word = expected.view().limb(i)[c];
          ASSERT_EQ(apart.view().limb(i)[c], word) << "limb " << i << ", coefficient " << c;
          ASSERT_EQ(composed.view().limb(i)[c], word) << "limb " << i << ", coefficient " << c;
          ASSERT_EQ(in_place.view().limb(i)[c], word) << "limb " << i << ", coefficient " << c;
        }
      }
    }
  }

  gmp_randstate_t state_;
};

TEST_F(RnsScalingTest, DividesByTheModulusExactly) {
  expect_scaled({44, 44, 44, 44, 50, 50, 50, 50, 50}, 4, 1032193);
  expect_scaled({50, 50, 50, 50, 50}, 2, 3);
  expect_scaled({30, 61, 50, 61, 61, 61}, 3, (std::uint64_t{1} << 40) + 1);
  expect_scaled({61, 61, 61}, 1, 65537);
  expect_scaled({17, 18, 20, 40, 40, 40}, 3, 1 << 20);
}

TEST_F(RnsScalingTest, ManyPrimesOfFiftyBitsFillTheirSums) {
  std::vector<int> bits(37, 50);
  std::fill_n(bits.begin(), 17, 49);
  expect_scaled(bits, 17, 786433);
  expect_scaled(std::vector<int>(41, 50), 20, 257);
}

TEST_F(RnsScalingTest, RefusesACommonPrime) {
  const RnsBasis basis = make_basis_of_bits(256, {30, 31, 32});
  const Indices q{0, 1};
  const Indices r{1, 2};
  EXPECT_THROW(RnsScaling(basis, q, r, 17), InvalidArgument);
  const Indices apart{2};
  const RnsScaling scaling(basis, q, apart, 17);
  EXPECT_EQ(scaling.factors(0).size(), 4u);
  EXPECT_THROW(scaling.factors(1), OutOfRange);
}

TEST_F(RnsScalingTest, ScaledConversionsMultiplyBeforeAndAfter) {
  const RnsBasis basis = make_basis_of_bits(256, {44, 45, 49, 50, 61});
  const Indices from{0, 1, 2};
  const Indices to{3, 4};
  const std::uint64_t before = (std::uint64_t{1} << 59) + 3;
  const std::uint64_t after = ~std::uint64_t{0};
  const ConversionReference reference(basis, from);
  const BasisConversion conversion = BasisConversion(basis, from, to).scaled(before, after);
  const std::vector<Integer> x = integers(256, reference.product(), Integer(64), 1);
  CoeffPoly source(from.size(), 256);
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (std::size_t c = 0; c < 256; ++c) {
      source.view_for_writing().limb(i)[c] = x[c].residue(basis[from[i]].value());
    }
  }
  for (const auto& backend : make_backends(basis)) {
    SCOPED_TRACE(describe(*backend));
    CoeffPoly result(to.size(), 256);
    backend->convert_basis(result.view_for_writing(), source.view(), conversion);
    for (std::size_t c = 0; c < 256; ++c) {
      Integer product;
      mpz_mul_ui(product.get(), x[c].get(), before);
      product = reference.representative(product);
      mpz_mul_ui(product.get(), product.get(), after);
      for (std::size_t j = 0; j < to.size(); ++j) {
        ASSERT_EQ(result.view().limb(j)[c], product.residue(basis[to[j]].value())) << c;
      }
    }
  }
}

TEST_F(RnsScalingTest, MessagesBecomeResiduesOfLeastAbsoluteValue) {
  const RnsBasis basis = make_basis_of_bits(256, {17, 30, 50, 61});
  const Indices primes{0, 1, 2, 3};
  for (const std::uint64_t t : {std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{65537},
                                std::uint64_t{1} << 40, (std::uint64_t{1} << 60) - 1}) {
    std::vector<std::uint64_t> message{0, t - 1, t / 2, (t + 1) / 2, 1 % t, (t - 1) / 2};
    for (std::size_t c = 0; c < 101; ++c) message.push_back((t / 101 * c + c) % t);
    for (const auto& backend : make_backends(basis)) {
      SCOPED_TRACE(describe(*backend));
      CoeffPoly lifted(primes.size(), 256);
      CoeffPoly looped(primes.size(), 256);
      CoeffPoly sums(primes.size(), 256);
      CoeffPoly looped_sums(primes.size(), 256);
      std::vector<std::uint64_t> scalars;
      for (const std::size_t i : primes) scalars.push_back(basis[i].value() - 1 - 2 * i);
      std::vector<std::uint64_t> other(message.rbegin(), message.rend());
      std::ranges::fill(lifted.view_for_writing().limb(3), 7);  // words of before
      backend->lift_message(lifted.view_for_writing(), message, t, primes);
      backend->Backend::lift_message(looped.view_for_writing(), message, t, primes);
      backend->combine_words(sums.view_for_writing(), message, other, t, scalars, primes);
      backend->Backend::combine_words(looped_sums.view_for_writing(), message, other, t, scalars,
                                      primes);
      for (const std::size_t i : primes) {
        const std::uint64_t q = basis[i].value();
        for (std::size_t c = 0; c < 256; ++c) {
          const std::uint64_t m = c < message.size() ? message[c] : 0;
          const std::uint64_t expected = m >= (t + 1) / 2 ? (q - (t - m) % q) % q : m % q;
          ASSERT_EQ(lifted.view().limb(i)[c], expected) << t << " " << i << " " << c;
          ASSERT_EQ(looped.view().limb(i)[c], expected) << t << " " << i << " " << c;
          const std::uint64_t b = c < message.size() ? other[c] : 0;
          const auto sum = static_cast<std::uint64_t>((uint128_t{m} * scalars[i] % q + b % q) % q);
          ASSERT_EQ(sums.view().limb(i)[c], sum) << t << " " << i << " " << c;
          ASSERT_EQ(looped_sums.view().limb(i)[c], sum) << t << " " << i << " " << c;
        }
      }
    }
  }
}

TEST_F(RnsScalingTest, FindsAResidueThatIsNotReduced) {
  const RnsBasis basis = make_basis_of_bits(256, {17, 50, 61});
  const Indices primes{2, 0, 1};
  for (const auto& backend : make_backends(basis)) {
    SCOPED_TRACE(describe(*backend));
    CoeffPoly poly(primes.size(), 256);
    for (std::size_t i = 0; i < primes.size(); ++i) {
      std::ranges::fill(poly.view_for_writing().limb(i), basis[primes[i]].value() - 1);
    }
    EXPECT_TRUE(backend->is_reduced(poly.view(), primes));
    EXPECT_TRUE(backend->Backend::is_reduced(poly.view(), primes));
    for (std::size_t i = 0; i < primes.size(); ++i) {
      for (const std::size_t c : {0u, 17u, 255u}) {
        std::uint64_t& word = poly.view_for_writing().limb(i)[c];
        ++word;
        EXPECT_FALSE(backend->is_reduced(poly.view(), primes)) << i << " " << c;
        EXPECT_FALSE(backend->Backend::is_reduced(poly.view(), primes)) << i << " " << c;
        word = ~std::uint64_t{0};
        EXPECT_FALSE(backend->is_reduced(poly.view(), primes)) << i << " " << c;
        word = 0;
      }
    }
  }
}

}  // namespace
}  // namespace ringlet::test
