// SPDX-License-Identifier: Apache-2.0
// The primitives that leave a prime: lifting a digit, and dividing by the last prime.
#include <gmp.h>

#include "support/big_integer.hpp"
#include "support/ring_fixture.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

class RescaleTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  std::size_t degree() const { return GetParam(); }

  // floor((a + floor(p/2)) / p) modulo each prime but the last, by GMP.
  CoeffPoly expected_quotient(const CoeffPoly& a, PrimeIndices primes) const {
    CoeffPoly expected(primes.size() - 1, degree());
    const CoeffView view = expected.view_for_writing();
    const std::uint64_t p = basis_[primes.back()].value();
    Integer value;
    for (std::size_t i = 0; i < degree(); ++i) {
      reconstruct(value, a.view(), i, basis_, primes);
      mpz_add_ui(value.get(), value.get(), p / 2);
      mpz_fdiv_q_ui(value.get(), value.get(), p);
      for (std::size_t l = 0; l + 1 < primes.size(); ++l) {
        view.limb(l)[i] = mpz_fdiv_ui(value.get(), basis_[primes[l]].value());
      }
    }
    return expected;
  }

  // a / p on values, in and out in coefficient form.
  CoeffPoly quotient(const Backend& backend, const CoeffPoly& a, PrimeIndices primes,
                     bool in_place) const {
    NttPoly values(primes.size(), degree());
    backend.forward_ntt(values.view_for_writing(), a.view(), primes);
    NttPoly separate(primes.size() - 1, degree());
    const NttView result =
        in_place ? values.view_for_writing().first(primes.size() - 1) : separate.view_for_writing();
    backend.divide_and_round_by_last(result, values.view(), primes);
    CoeffPoly coefficients(primes.size() - 1, degree());
    backend.inverse_ntt(coefficients.view_for_writing(), result, primes.first(primes.size() - 1));
    return coefficients;
  }

  void expect_exact(const CoeffPoly& a, PrimeIndices primes) const {
    const Words expected = all_words(expected_quotient(a, primes));
    for (const auto& backend : backends_) {
      SCOPED_TRACE(describe(*backend));
      EXPECT_EQ(all_words(quotient(*backend, a, primes, false)), expected);
      EXPECT_EQ(all_words(quotient(*backend, a, primes, true)), expected);
    }
  }

  // Lifts `digit`, residues of the prime `source`, to all primes: as integers in [0, q), and from
  // NTT form by way of offset digits as residues of least absolute value.
  void expect_lifted(const Words& digit, std::size_t source) const {
    const std::vector<std::size_t> primes = first_primes(basis_.size());
    const auto q = static_cast<std::int64_t>(basis_[source].value());
    CoeffPoly expected(primes.size(), degree());
    CoeffPoly centred(primes.size(), degree());
    for (std::size_t l = 0; l < primes.size(); ++l) {
      const auto target = static_cast<std::int64_t>(basis_[l].value());
      for (std::size_t i = 0; i < degree(); ++i) {
        const auto d = static_cast<std::int64_t>(digit[i]);
        expected.view_for_writing().limb(l)[i] = digit[i] % basis_[l].value();
        const std::int64_t remainder = (d > q / 2 ? d - q : d) % target;
        centred.view_for_writing().limb(l)[i] =
            static_cast<std::uint64_t>(remainder < 0 ? remainder + target : remainder);
      }
    }
    for (const auto& backend : backends_) {
      SCOPED_TRACE(describe(*backend));
      CoeffPoly lifted(primes.size(), degree());
      backend->lift_digit(lifted.view_for_writing(), digit, source, primes);
      EXPECT_EQ(all_words(lifted), all_words(expected));

      const std::vector<std::size_t> own{source};
      CoeffPoly residues(1, degree());
      std::copy(digit.begin(), digit.end(), residues.view_for_writing().limb(0).begin());
      NttPoly values(1, degree());
      backend->forward_ntt(values.view_for_writing(), residues.view(), own);
      CoeffPoly offset(1, degree());
      backend->inverse_ntt_to_digits(offset.view_for_writing(), values.view(), own);
      for (std::size_t i = 0; i < degree(); ++i) {
        const std::uint64_t half = basis_[source].value() / 2;
        ASSERT_EQ(offset.view().limb(0)[i], (digit[i] + half) % basis_[source].value());
      }

      NttPoly expected_values(primes.size(), degree());
      backend->forward_ntt(expected_values.view_for_writing(), centred.view(), primes);
      NttPoly lifted_values(primes.size(), degree());
      backend->lift_digit_to_ntt(lifted_values.view_for_writing(), offset.view().limb(0), source,
                                 primes);
      EXPECT_EQ(all_words(lifted_values), all_words(expected_values));
    }
  }

  RnsBasis basis_ = make_basis(GetParam());
  std::vector<std::shared_ptr<const Backend>> backends_ = make_backends(basis_);
};

TEST_P(RescaleTest, DividesRandomValuesExactly) {
  auto rng = make_rng(degree());
  for (std::size_t count = 2; count <= basis_.size(); ++count) {
    std::vector<std::size_t> primes = first_primes(count);
    expect_exact(random_poly<Form::coefficient>(basis_, primes, rng), primes);
    std::shuffle(primes.begin(), primes.end(), rng);  // another last prime: larger, smaller, ...
    expect_exact(random_poly<Form::coefficient>(basis_, primes, rng), primes);
  }
}

TEST_P(RescaleTest, RoundsExactlyAtEveryEdge) {
  // Small integers and their negatives around 0, p/2, p and 3p/2; the product wraps to 0 there.
  for (const std::size_t last : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
    std::vector<std::size_t> primes = {0, 3, 4, 6, last};
    const std::uint64_t p = basis_[last].value();
    Words integers;
    for (const std::uint64_t centre : {std::uint64_t{2}, p / 2, p, p + p / 2}) {
      for (std::uint64_t x = centre - 2; x <= centre + 2; ++x) integers.push_back(x);
    }
    CoeffPoly a(primes.size(), degree());
    const std::size_t edges = 2 * integers.size();
    for (std::size_t first = 0; first < edges; first += degree()) {
      for (std::size_t l = 0; l < primes.size(); ++l) {
        const std::uint64_t q = basis_[primes[l]].value();
        for (std::size_t i = 0; i < degree(); ++i) {
          const std::size_t edge = (first + i) % edges;
          const std::uint64_t residue = integers[edge / 2] % q;
          a.view_for_writing().limb(l)[i] = edge % 2 == 0 ? residue : (q - residue) % q;
        }
      }
      expect_exact(a, primes);
    }
  }
}

TEST_P(RescaleTest, OfMultiplesIsExactDivision) {
  auto rng = make_rng(degree());
  const std::vector<std::size_t> primes = first_primes(basis_.size());
  const std::size_t kept = primes.size() - 1;
  const std::uint64_t p = basis_[kept].value();
  const CoeffPoly a = random_poly<Form::coefficient>(basis_, first_primes(kept), rng);
  CoeffPoly multiple(primes.size(), degree());
  for (std::size_t l = 0; l < kept; ++l) {
    for (std::size_t i = 0; i < degree(); ++i) {
      multiple.view_for_writing().limb(l)[i] =
          basis_[l].multiply(a.view().limb(l)[i], basis_[l].reduce(p));
    }
  }
  EXPECT_EQ(all_words(quotient(*backends_[0], multiple, primes, false)), all_words(a));
}

TEST_P(RescaleTest, LiftsDigitsOfEveryPrimeToEveryOther) {
  auto rng = make_rng(degree());
  for (std::size_t source = 0; source < basis_.size(); ++source) {
    SCOPED_TRACE(source);
    const std::uint64_t q = basis_[source].value();
    expect_lifted(scattered_residues(degree(), q, rng), source);
    expect_lifted(Words(degree(), q - 1), source);  // the largest input of every butterfly
  }
}

INSTANTIATE_TEST_SUITE_P(Degrees, RescaleTest, ::testing::Values(2, 4, 8, 64, 1024));

}  // namespace
}  // namespace ringlet::test
