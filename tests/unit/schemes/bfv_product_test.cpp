// SPDX-License-Identifier: Apache-2.0
// Products of BFV word by word: round(t/Q * tensor) over the integers, by GMP and FLINT.

#include "support/test.hpp"
#include "unit/schemes/exact_support.hpp"

namespace ringlet::test {
namespace {

/// Products with the representatives that BasisConversion documents: centred modulo Q, but for a
/// window at the edge whose size falls with that of the primes.
class ProductReference {
 public:
  ProductReference(const Context& context, const ContextData& level)
      : context_(context),
        level_(level),
        lift_(context.backend().basis(), level.primes()),
        t_(context.plain_modulus().value()) {}

  std::vector<Integers> product(const Ciphertext& a, const Ciphertext& b) {
    std::vector<Integers> result = tensor_of(lifted(a), lifted(b));
    for (Integers& poly : result) {
      for (Integer& value : poly) value = divided(value);
    }
    return result;
  }

 private:
  Integer representative(const Integer& value) {
    Integer result = lift_.representative(value);
    const Integer centre = lift_.centred(value);
    if (mpz_cmp(result.get(), centre.get()) != 0) {
      EXPECT_FALSE(lift_.is_certain(centre));
      ++off_centre_;
    }
    return result;
  }
  std::vector<Integers> lifted(const Ciphertext& a) {
    auto polys = integers_of(context_, a);
    for (Integers& poly : polys) {
      for (Integer& value : poly) value = representative(value);
    }
    return polys;
  }
  // (t*x - [t*x]_Q) / Q: where the representative is centred, t/Q*x rounded.
  Integer divided(const Integer& x) {
    const Integer q = modulus_of(context_, level_);
    Integer product;
    mpz_mul_ui(product.get(), x.get(), t_);
    Integer remainder;
    mpz_fdiv_r(remainder.get(), product.get(), q.get());
    const std::size_t before = off_centre_;
    remainder = representative(remainder);
    Integer quotient;
    mpz_sub(quotient.get(), product.get(), remainder.get());
    EXPECT_NE(mpz_divisible_p(quotient.get(), q.get()), 0);
    mpz_divexact(quotient.get(), quotient.get(), q.get());
    if (off_centre_ == before) {
      Integer rounded;  // floor((2*t*x + Q) / (2*Q))
      mpz_mul_2exp(rounded.get(), product.get(), 1);
      mpz_add(rounded.get(), rounded.get(), q.get());
      mpz_fdiv_q(rounded.get(), rounded.get(), q.get());
      mpz_fdiv_q_2exp(rounded.get(), rounded.get(), 1);
      EXPECT_EQ(mpz_cmp(quotient.get(), rounded.get()), 0);
    }
    return quotient;
  }

  const Context& context_;
  const ContextData& level_;
  ConversionReference lift_;
  std::uint64_t t_;
  std::size_t off_centre_ = 0;
};

class BfvProduct : public ::testing::TestWithParam<ExactShape> {
 protected:
  BfvProduct() : rng_(make_rng()) {}

  void expect_products(const ContextData& level, std::size_t size_a, std::size_t size_b) {
    SCOPED_TRACE(testing::Message()
                 << level.prime_count() << " primes, sizes " << size_a << ", " << size_b);
    const Ciphertext a = random_ciphertext(exact_.context, level, size_a, rng_);
    const Ciphertext b = random_ciphertext(exact_.context, level, size_b, rng_);
    ProductReference reference(exact_.context, level);
    Ciphertext product;
    exact_.evaluator.multiply(a, b, product);
    expect_polynomials(exact_, product, reference.product(a, b), level);
    if (size_a == size_b) {
      exact_.evaluator.square(a, product);
      expect_polynomials(exact_, product, reference.product(a, a), level);
    }
  }

  Exact exact_{SchemeType::bfv, GetParam()};
  std::mt19937_64 rng_;
};

TEST_P(BfvProduct, IsTheRoundedQuotientAtEveryLevel) {
  for (const ContextData* level : exact_.levels()) expect_products(*level, 2, 2);
}

TEST_P(BfvProduct, SizesFromTwoToSixteen) {
  const ContextData& level = *exact_.levels().front();
  std::vector<std::pair<std::size_t, std::size_t>> sizes{{2, 3}, {3, 2}, {3, 3}};
  if (exact_.degree() <= 4) {
    for (std::size_t size = 2; size <= 15; ++size) sizes.emplace_back(size, 17 - size);
  } else if (exact_.degree() <= 64) {
    sizes.insert(sizes.end(), {{2, 15}, {8, 9}});
  }
  for (const auto& [a, b] : sizes) expect_products(level, a, b);
}

TEST_P(BfvProduct, ExtremeOperands) {
  // The largest integers that there are: all coefficients (Q-1)/2 in absolute value, of one sign,
  // so that the middle polynomial is as large as it gets.
  const ContextData& level = *exact_.levels().front();
  Integer half = modulus_of(exact_.context, level);
  mpz_fdiv_q_2exp(half.get(), half.get(), 1);
  Integer negative;
  mpz_neg(negative.get(), half.get());
  const std::size_t size = exact_.degree() <= 4 ? 8 : 2;
  const Integers high(exact_.degree(), half);
  const Integers low(exact_.degree(), negative);
  ProductReference reference(exact_.context, level);
  for (const Integers& x : {high, low}) {
    std::vector<Integers> polys(size + 1, high);
    // t/Q*x*y may vanish modulo Q: a ciphertext without a secret.
    polys.back() = random_integers(exact_.degree(), modulus_of(exact_.context, level), rng_);
    const Ciphertext a = ciphertext_of(exact_.context, level, std::vector<Integers>(size, x));
    const Ciphertext b = ciphertext_of(exact_.context, level, polys);
    Ciphertext product;
    exact_.evaluator.multiply(a, b, product);
    expect_polynomials(exact_, product, reference.product(a, b), level);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BfvProduct, ::testing::ValuesIn(exact_shapes()),
                         [](const auto& test) { return std::to_string(test.index); });

}  // namespace
}  // namespace ringlet::test
