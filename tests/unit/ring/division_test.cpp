// SPDX-License-Identifier: Apache-2.0
// The primitives that leave a prime, over X^N + 1 and other rings: divisions by the last primes
// that preserve residues modulo t, in both forms, and digits.

#include "support/reference/big_integer.hpp"
#include "support/ring_fixture.hpp"

namespace ringlet::test {
namespace {

/// What is to be preserved: nothing, a power of two, primes on both sides of the smallest prime of
/// the basis, composite and large ones.
const std::vector<std::uint64_t> kPreserved = {
    1, 2, 3, 65537, std::uint64_t{1} << 32, 1152921504606846975};

/// Of Z[X]/Phi_m.
class DivisionTest : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  static Indices first_of(const Indices& primes, std::size_t count) {
    return {primes.begin(), primes.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  static Indices last_of(const Indices& primes, std::size_t count) {
    return {primes.end() - static_cast<std::ptrdiff_t>(count), primes.end()};
  }
  /// Large rings take long: of them the first and the last of kPreserved, and some last primes.
  bool is_large() const { return degree_ > 128; }
  bool skips(std::uint64_t t) const {
    return is_large() && t != kPreserved.front() && t != kPreserved.back();
  }

  /// Every multiple of P/2 and t*P/2 up to three of them, its neighbours and their negatives, and
  /// random residues.
  std::vector<CoeffPoly> operands(const Indices& primes, std::size_t dropped, std::uint64_t t) {
    const Integer divisor = product_of(basis_, last_of(primes, dropped));
    std::vector<Integer> edges;
    for (const std::uint64_t factor : t == 1 ? Words{1} : Words{1, t}) {
      for (std::uint64_t multiple = 0; multiple < 4; ++multiple) {
        for (std::int64_t offset = -2; offset <= 2; ++offset) {
          edges.push_back((divisor * Integer(multiple) * Integer(factor) >> 1) +
                          Integer::of(offset));
          edges.push_back(-edges.back());
        }
      }
    }
    std::vector<CoeffPoly> polys;
    for (std::size_t next = 0; next < edges.size();) {
      CoeffPoly& poly = polys.emplace_back(random_poly<Form::coefficient>(basis_, primes, rng_));
      for (std::size_t c = 0; c < degree_ && next < edges.size(); ++c, ++next) {
        for (std::size_t l = 0; l < primes.size(); ++l) {
          poly.view_for_writing().limb(l)[c] = edges[next].residue(basis_[primes[l]].value());
        }
      }
    }
    return polys;
  }

  /// By GMP; checks what the formula is for.
  Words expected_quotient(const CoeffPoly& a, const Indices& primes, std::size_t dropped,
                          std::uint64_t t) const {
    const std::size_t kept = primes.size() - dropped;
    const ConversionReference reference(basis_, last_of(primes, dropped));
    const Integer& divisor = reference.product();
    Words words(kept * degree_);
    for (std::size_t c = 0; c < degree_; ++c) {
      const Integer value = reconstruct(a.view(), c, basis_, primes);
      const Integer quotient = reference.quotient(value, t);
      EXPECT_EQ((quotient * divisor).residue(t), value.residue(t));
      if (t == 1 && dropped == 1) {
        EXPECT_EQ(quotient, (value + (divisor >> 1)) / divisor);
      }
      for (std::size_t l = 0; l < kept; ++l) {
        words[l * degree_ + c] = quotient.residue(basis_[primes[l]].value());
      }
    }
    return words;
  }

  static Words first_words(ConstResidueView view, std::size_t limbs) {
    Words words;
    for (std::size_t l = 0; l < limbs; ++l) {
      words.insert(words.end(), view.limb(l).begin(), view.limb(l).end());
    }
    return words;
  }

  /// Runs divide(backend, result view, operand view) in both forms, apart and in place.
  template <typename Divide>
  void expect_quotients(const Indices& primes, std::size_t dropped, std::uint64_t t,
                        const Divide& divide) {
    SCOPED_TRACE(::testing::Message() << "t = " << t << ", last prime " << primes.back()
                                      << ", dropped " << dropped << " of " << primes.size());
    const std::size_t kept = primes.size() - dropped;
    for (const CoeffPoly& a : operands(primes, dropped, t)) {
      const Words expected = expected_quotient(a, primes, dropped, t);
      for (const auto& backend : backends_) {
        SCOPED_TRACE(describe(*backend));
        CoeffPoly quotient(kept, degree_);
        divide(*backend, quotient.view_for_writing(), a.view());
        EXPECT_EQ(all_words(quotient), expected);
        CoeffPoly same = a;
        divide(*backend, same.view_for_writing().first(kept), same.view());
        EXPECT_EQ(first_words(same.view(), kept), expected);

        NttPoly values = to_values(*backend, a, primes);
        NttPoly quotient_values(kept, degree_);
        divide(*backend, quotient_values.view_for_writing(), values.view());
        divide(*backend, values.view_for_writing().first(kept), values.view());
        EXPECT_EQ(first_words(values.view(), kept), all_words(quotient_values));
        EXPECT_EQ(all_words(to_coefficients(*backend, quotient_values, first_of(primes, kept))),
                  expected);
      }
    }
  }

  RnsBasis basis_ = make_basis(RingSpec::cyclotomic(GetParam()));
  std::size_t degree_ = basis_.degree();
  std::vector<std::shared_ptr<const Backend>> backends_ = make_backends(basis_);
  std::mt19937_64 rng_ = make_rng(GetParam());
};

TEST_P(DivisionTest, ByEachPrimeIsItsFormula) {
  constexpr std::array<std::size_t, 4> kCounts = {8, 1, 5, 2};
  for (const std::uint64_t t : kPreserved) {
    if (skips(t)) continue;
    for (std::size_t last = 0; last < basis_.size(); ++last) {
      if (is_large() && last % 3 != 1) continue;
      Indices primes = first_primes(basis_.size());
      std::swap(primes[last], primes.back());
      std::shuffle(primes.begin(), primes.end() - 1, rng_);
      const Indices used = last_of(primes, kCounts[last % kCounts.size()]);
      expect_quotients(used, 1, t, [&](const Backend& backend, auto result, auto a) {
        backend.divide_and_round_by_last(result, a, used, t);
      });
    }
  }
}

TEST_P(DivisionTest, ByTheProductOfLastPrimesIsItsFormula) {
  Indices primes = first_primes(basis_.size());
  for (const std::uint64_t t : kPreserved) {
    if (skips(t)) continue;
    for (const std::size_t dropped : {1, 2, 3, 4}) {
      std::shuffle(primes.begin(), primes.end(), rng_);
      const Indices last = last_of(primes, dropped);
      const Indices others = first_of(primes, primes.size() - dropped);
      const BasisConversion conversion(basis_, last, others);
      for (const std::size_t kept : {std::size_t{1}, others.size()}) {  // of a level, of all
        Indices used = first_of(others, kept);
        used.insert(used.end(), last.begin(), last.end());
        expect_quotients(used, dropped, t, [&](const Backend& backend, auto result, auto a) {
          backend.divide_and_round(result, a, used, conversion, t);
        });
      }
    }
  }
}

TEST_P(DivisionTest, RefusesToPreserveMultiplesOfTheDivisor) {
  const Indices primes{0, 1, 5};
  const std::uint64_t t = 3 * basis_[5].value();
  const BasisConversion conversion(basis_, Indices{1, 5}, Indices{0});
  const NttPoly a(3, degree_);
  NttPoly result(2, degree_);
  for (const auto& backend : backends_) {
    EXPECT_THROW(backend->divide_and_round_by_last(result.view_for_writing(), a.view(), primes, t),
                 InvalidArgument);
    EXPECT_THROW(backend->divide_and_round(result.view_for_writing().first(1), a.view(), primes,
                                           conversion, t),
                 InvalidArgument);
  }
}

TEST_P(DivisionTest, DigitsOfEveryPrimeAreLiftedToEveryOther) {
  const Indices primes{4, 0, 6, 7, 1, 5, 2, 3};
  CoeffPoly largest(primes.size(), degree_);  // the largest input of every butterfly
  for (std::size_t l = 0; l < primes.size(); ++l) {
    std::ranges::fill(largest.view_for_writing().limb(l), basis_[primes[l]].value() - 1);
  }
  for (const CoeffPoly& a : {random_poly<Form::coefficient>(basis_, primes, rng_), largest}) {
    for (const auto& backend : backends_) {
      SCOPED_TRACE(describe(*backend));
      CoeffPoly digits(primes.size(), degree_);
      backend->to_digits(digits.view_for_writing(), a.view(), primes);
      CoeffPoly same = a;
      backend->to_digits(same.view_for_writing(), same.view(), primes);
      EXPECT_EQ(all_words(same), all_words(digits));
      CoeffPoly of_values(primes.size(), degree_);
      backend->inverse_ntt_to_digits(of_values.view_for_writing(),
                                     to_values(*backend, a, primes).view(), primes);
      EXPECT_EQ(all_words(of_values), all_words(digits));
      for (std::size_t source = 0; source < primes.size(); ++source) {
        const auto q = static_cast<std::int64_t>(basis_[primes[source]].value());
        const auto digit = a.view().limb(source);
        CoeffPoly whole(primes.size(), degree_);
        CoeffPoly centred(primes.size(), degree_);
        for (std::size_t i = 0; i < degree_; ++i) {
          const auto d = static_cast<std::int64_t>(digit[i]);
          ASSERT_EQ(digits.view().limb(source)[i], static_cast<std::uint64_t>((d + q / 2) % q));
          for (std::size_t l = 0; l < primes.size(); ++l) {
            const auto target = static_cast<std::int64_t>(basis_[primes[l]].value());
            const std::int64_t rest = (d > q / 2 ? d - q : d) % target;
            whole.view_for_writing().limb(l)[i] = static_cast<std::uint64_t>(d % target);
            centred.view_for_writing().limb(l)[i] =
                static_cast<std::uint64_t>(rest < 0 ? rest + target : rest);
          }
        }
        CoeffPoly lifted(primes.size(), degree_);
        backend->lift_digit(lifted.view_for_writing(), digit, primes[source], primes);
        ASSERT_EQ(all_words(lifted), all_words(whole));
        NttPoly values(primes.size(), degree_);
        backend->lift_digit_to_ntt(values.view_for_writing(), digits.view().limb(source),
                                   primes[source], primes);
        ASSERT_EQ(all_words(values), all_words(to_values(*backend, centred, primes)));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rings, DivisionTest,
                         ::testing::ValuesIn(rings({4, 8, 16, 128, 2048, 7, 12, 105, 2783})),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace ringlet::test
