// SPDX-License-Identifier: Apache-2.0
// Divisions by the last primes that preserve residues modulo t, in both forms.

#include "ringlet/basis_conversion.hpp"
#include "ringlet/error.hpp"
#include "support/big_integer.hpp"
#include "support/ring_fixture.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using Indices = std::vector<std::size_t>;

/// What is to be preserved: nothing, a power of two, primes on both sides of the smallest prime of
/// the basis, composite and large ones.
const std::vector<std::uint64_t> kPreserved = {
    1, 2, 3, 65537, std::uint64_t{1} << 32, 1152921504606846975};

class DivisionTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  std::size_t degree() const { return GetParam(); }

  static Indices first_of(const Indices& primes, std::size_t count) {
    return {primes.begin(), primes.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  static Indices last_of(const Indices& primes, std::size_t count) {
    return {primes.end() - static_cast<std::ptrdiff_t>(count), primes.end()};
  }

  /// Residues of integers around 0, multiples of P/2 and of t*P, and of random ones.
  CoeffPoly interesting(const Indices& primes, std::size_t dropped, std::uint64_t t,
                        std::mt19937_64& rng) const {
    CoeffPoly poly = random_poly<Form::coefficient>(basis_, primes, rng);
    const Integer divisor = product_of(basis_, last_of(primes, dropped));
    for (std::size_t c = 0; c < degree(); ++c) {
      if (rng() % 2 == 0) continue;
      Integer value;
      mpz_mul_ui(value.get(), divisor.get(), rng() % 4);
      if (rng() % 2 == 0) mpz_mul_ui(value.get(), value.get(), t);
      mpz_fdiv_q_2exp(value.get(), value.get(), 1);
      mpz_add_ui(value.get(), value.get(), rng() % 4);
      mpz_sub_ui(value.get(), value.get(), rng() % 4);
      if (rng() % 2 == 0) mpz_neg(value.get(), value.get());
      for (std::size_t l = 0; l < primes.size(); ++l) {
        poly.view_for_writing().limb(l)[c] = value.residue(basis_[primes[l]].value());
      }
    }
    return poly;
  }

  /// (a - delta) / P by GMP, with delta from ConversionReference; checks what the formula is for.
  Words expected_quotient(const CoeffPoly& a, const Indices& primes, std::size_t dropped,
                          std::uint64_t t) const {
    const std::size_t kept = primes.size() - dropped;
    const Indices last = last_of(primes, dropped);
    const ConversionReference reference(basis_, last);
    const Integer preserved(t);
    Integer inverse;
    mpz_invert(inverse.get(), preserved.get(), reference.product().get());
    Words words(kept * degree());
    Integer value;
    for (std::size_t c = 0; c < degree(); ++c) {
      reconstruct(value, a.view(), c, basis_, primes);
      Integer delta;
      mpz_mul(delta.get(), value.get(), inverse.get());
      mpz_fdiv_r(delta.get(), delta.get(), reference.product().get());
      delta = reference.representative(delta);
      mpz_mul(delta.get(), delta.get(), preserved.get());
      Integer quotient;
      mpz_sub(quotient.get(), value.get(), delta.get());
      EXPECT_TRUE(mpz_divisible_p(quotient.get(), reference.product().get()));
      mpz_divexact(quotient.get(), quotient.get(), reference.product().get());
      Integer back;  // quotient * P = a modulo t
      mpz_mul(back.get(), quotient.get(), reference.product().get());
      EXPECT_EQ(back.residue(t), value.residue(t));
      for (std::size_t l = 0; l < kept; ++l) {
        words[l * degree() + c] = quotient.residue(basis_[primes[l]].value());
      }
    }
    return words;
  }

  /// Runs divide(result view, operand view) in both forms, apart and in place.
  template <typename Divide>
  void expect_quotients(const Backend& backend, const CoeffPoly& a, const Indices& primes,
                        const Words& expected, const Divide& divide) const {
    const std::size_t kept = expected.size() / degree();
    CoeffPoly quotient(kept, degree());
    divide(quotient.view_for_writing(), a.view());
    EXPECT_EQ(all_words(quotient), expected);
    CoeffPoly same = a;
    divide(same.view_for_writing().first(kept), same.view());
    EXPECT_EQ(first_words(same.view(), kept), expected);

    NttPoly values(primes.size(), degree());
    backend.forward_ntt(values.view_for_writing(), a.view(), primes);
    NttPoly quotient_values(kept, degree());
    divide(quotient_values.view_for_writing(), values.view());
    divide(values.view_for_writing().first(kept), values.view());
    EXPECT_EQ(first_words(values.view(), kept), all_words(quotient_values));
    backend.inverse_ntt(quotient.view_for_writing(), quotient_values.view(),
                        first_of(primes, kept));
    EXPECT_EQ(all_words(quotient), expected);
  }

  static Words first_words(ConstResidueView view, std::size_t limbs) {
    Words words;
    for (std::size_t l = 0; l < limbs; ++l) {
      words.insert(words.end(), view.limb(l).begin(), view.limb(l).end());
    }
    return words;
  }

  RnsBasis basis_ = make_basis(GetParam());
  std::vector<std::shared_ptr<const Backend>> backends_ = make_backends(basis_);
};

TEST_P(DivisionTest, ByTheLastPrimeIsItsFormula) {
  auto rng = make_rng(degree());
  Indices primes = first_primes(basis_.size());
  for (const std::uint64_t t : kPreserved) {
    std::shuffle(primes.begin(), primes.end(), rng);
    for (const std::size_t count : {1, 2, 5, 8}) {
      const Indices used = first_of(primes, count);
      SCOPED_TRACE(::testing::Message() << "t = " << t << ", last prime " << used.back());
      const CoeffPoly a = interesting(used, 1, t, rng);
      const Words expected = expected_quotient(a, used, 1, t);
      for (const auto& backend : backends_) {
        SCOPED_TRACE(describe(*backend));
        expect_quotients(*backend, a, used, expected, [&](auto result, auto operand) {
          backend->divide_and_round_by_last(result, operand, used, t);
        });
      }
    }
  }
}

TEST_P(DivisionTest, ByTheProductOfLastPrimesIsItsFormula) {
  auto rng = make_rng(degree());
  Indices primes = first_primes(basis_.size());
  for (const std::uint64_t t : kPreserved) {
    for (const std::size_t dropped : {1, 2, 3, 4}) {
      std::shuffle(primes.begin(), primes.end(), rng);
      const Indices last = last_of(primes, dropped);
      const Indices others = first_of(primes, primes.size() - dropped);
      const BasisConversion conversion(basis_, last, others);
      for (const std::size_t kept : {std::size_t{1}, others.size()}) {  // of a level, of all
        Indices used = first_of(others, kept);
        used.insert(used.end(), last.begin(), last.end());
        SCOPED_TRACE(::testing::Message() << "t = " << t << ", dropped " << dropped);
        const CoeffPoly a = interesting(used, dropped, t, rng);
        const Words expected = expected_quotient(a, used, dropped, t);
        for (const auto& backend : backends_) {
          SCOPED_TRACE(describe(*backend));
          expect_quotients(*backend, a, used, expected, [&](auto result, auto operand) {
            backend->divide_and_round(result, operand, used, conversion, t);
          });
          SCOPED_TRACE("by the composition of other primitives");
          expect_quotients(*backend, a, used, expected, [&](auto result, auto operand) {
            backend->Backend::divide_and_round(result, operand, used, conversion, t);
          });
        }
      }
    }
  }
}

TEST_P(DivisionTest, ByOnePrimeIsTheSameBothWays) {
  auto rng = make_rng(degree());
  const Indices primes{4, 0, 6, 2, 5};
  const BasisConversion conversion(basis_, Indices{5}, Indices{4, 0, 6, 2, 7});
  const NttPoly a = random_poly<Form::ntt>(basis_, primes, rng);
  for (const std::uint64_t t : kPreserved) {
    for (const auto& backend : backends_) {
      NttPoly by_prime(4, degree());
      backend->divide_and_round_by_last(by_prime.view_for_writing(), a.view(), primes, t);
      NttPoly by_product(4, degree());
      backend->divide_and_round(by_product.view_for_writing(), a.view(), primes, conversion, t);
      EXPECT_EQ(all_words(by_product), all_words(by_prime));
    }
  }
}

TEST_P(DivisionTest, RefusesToPreserveMultiplesOfTheDivisor) {
  const Indices primes{0, 1, 5};  // the prime of 22 bits last
  const std::uint64_t t = 3 * basis_[5].value();
  const BasisConversion conversion(basis_, Indices{1, 5}, Indices{0});
  const NttPoly a(3, degree());
  NttPoly result(2, degree());
  for (const auto& backend : backends_) {
    EXPECT_THROW(backend->divide_and_round_by_last(result.view_for_writing(), a.view(), primes, t),
                 InvalidArgument);
    EXPECT_THROW(backend->divide_and_round(result.view_for_writing().first(1), a.view(), primes,
                                           conversion, t),
                 InvalidArgument);
  }
}

TEST_P(DivisionTest, DigitsOfCoefficientsAreThoseOfTheirValues) {
  auto rng = make_rng(degree());
  const Indices primes{4, 0, 6, 5, 2};
  const CoeffPoly a = random_poly<Form::coefficient>(basis_, primes, rng);
  for (const auto& backend : backends_) {
    SCOPED_TRACE(describe(*backend));
    NttPoly values(primes.size(), degree());
    backend->forward_ntt(values.view_for_writing(), a.view(), primes);
    CoeffPoly expected(primes.size(), degree());
    backend->inverse_ntt_to_digits(expected.view_for_writing(), values.view(), primes);
    CoeffPoly digits(primes.size(), degree());
    backend->to_digits(digits.view_for_writing(), a.view(), primes);
    EXPECT_EQ(all_words(digits), all_words(expected));
    for (std::size_t l = 0; l < primes.size(); ++l) {
      const std::uint64_t q = basis_[primes[l]].value();
      for (std::size_t c = 0; c < degree(); ++c) {
        ASSERT_EQ(digits.view().limb(l)[c], (a.view().limb(l)[c] + q / 2) % q);
      }
    }
    CoeffPoly same = a;
    backend->to_digits(same.view_for_writing(), same.view(), primes);
    EXPECT_EQ(all_words(same), all_words(expected));
  }
}

INSTANTIATE_TEST_SUITE_P(Degrees, DivisionTest, ::testing::Values(2, 4, 64, 1024));

}  // namespace
}  // namespace ringlet::test
