// SPDX-License-Identifier: Apache-2.0
#include "estimates/noise_terms.hpp"

#include "estimates/tail_table.hpp"
#include "support/environment.hpp"

// Rules of docs/notes/noise_estimate.md, written out.

namespace ringlet::test {
namespace {

using estimates::Dependence;
using estimates::NoiseTerm;
using estimates::NoiseTerms;
using estimates::TailTable;

// log of (Gamma(p+1)^g * Gamma(i*p+1) * e^K)^(1/p), or with Gamma(g*p+1)/(g!)^p, for the best p.
long double log_of_tail(long double exponent, std::size_t degree, std::size_t power,
                        bool is_dependent) {
  const auto g = static_cast<long double>(degree);
  const auto i = static_cast<long double>(power);
  long double least = std::numeric_limits<long double>::max();
  for (long double p = 1; p <= 2 * exponent; p *= 1.01L) {
    const long double gaussians =
        is_dependent ? std::lgamma(g * p + 1) - p * std::lgamma(g + 1) : g * std::lgamma(p + 1);
    least = std::min(least, (gaussians + std::lgamma(i * p + 1) + exponent) / p);
  }
  return least;
}

TEST(TailTable, IsMarkovsInequalityWithTheBestMoment) {
  for (const long double exponent : {1.5L, 24.0L, 100.0L}) {
    const TailTable table(exponent);
    for (const Dependence dependence : {Dependence::independent, Dependence::dependent}) {
      const bool is_dependent = dependence == Dependence::dependent;
      for (const std::size_t degree : {24U, 0U, 1U, 2U, 7U}) {
        for (const std::size_t power : {0U, 24U, 1U, 3U}) {
          SCOPED_TRACE(testing::Message() << "degree " << degree << " power " << power
                                          << " dependent " << is_dependent);
          const NoiseTerm term{power, degree, 1, 0, 0};
          const long double expected = log_of_tail(exponent, degree, power, is_dependent);
          const long double found = std::log(table(term, dependence));
          // Moments are five percent apart: the table's is nearly the best one, and never better.
          EXPECT_GE(found, expected - 0.02L);
          EXPECT_LE(found, expected + 0.02L * (1 + static_cast<long double>(degree + power)));
          EXPECT_EQ(table(term, dependence), table(term, dependence));
        }
      }
    }
  }
}

long double binomial(std::size_t n, std::size_t k) {
  return k == 0 || k == n ? 1 : binomial(n - 1, k - 1) + binomial(n - 1, k);
}

TEST(NoiseTerms, ProductsOfDependentPartsGrowByBinomials) {
  for (std::size_t g = 0; g <= 12; ++g) {
    for (std::size_t h = 0; h <= 12; h += 3) {
      const NoiseTerms a({{1, g, 4, 0, 0}});
      const NoiseTerms b({{2, h, 9, 0, 0}});
      for (const Dependence dependence : {Dependence::independent, Dependence::dependent}) {
        const auto product = NoiseTerms::product(a, b, dependence).terms();
        ASSERT_EQ(product.size(), 1U);
        EXPECT_EQ(product[0].power, 3U);
        EXPECT_EQ(product[0].degree, g + h);
        const bool grows = dependence == Dependence::dependent;
        const long double expected = 36 * (grows ? binomial(g + h, g) : 1);
        EXPECT_NEAR(static_cast<double>(product[0].flat / expected), 1, 1e-15) << g << ' ' << h;
      }
    }
  }
  EXPECT_TRUE(NoiseTerms::product({}, NoiseTerms({{0, 1, 1, 0, 0}}), Dependence::dependent)
                  .terms()
                  .empty());
}

// Degrees differ within one operand: each pair has its own factor.
TEST(NoiseTerms, ProductsOfSumsHaveAPartForEachPair) {
  const NoiseTerms a({{0, 1, 1, 0, 0}, {0, 5, 1, 0, 0}});
  const NoiseTerms b({{0, 2, 1, 0, 0}, {0, 10, 1, 0, 0}});
  const auto product = NoiseTerms::product(a, b, Dependence::dependent).terms();
  ASSERT_EQ(product.size(), 4U);
  EXPECT_DOUBLE_EQ(static_cast<double>(product[0].flat), 3);     // 3 over 1
  EXPECT_DOUBLE_EQ(static_cast<double>(product[1].flat), 21);    // 7 over 2
  EXPECT_DOUBLE_EQ(static_cast<double>(product[2].flat), 11);    // 11 over 1
  EXPECT_DOUBLE_EQ(static_cast<double>(product[3].flat), 3003);  // 15 over 5
}

// Values at a few roots: `flat` everywhere, plus rest[z] at root z. A term keeps the mean and the
// largest of the latter.
struct AtRoots {
  long double flat;
  std::vector<long double> rest;

  NoiseTerm term(std::size_t degree) const {
    const long double sum = std::accumulate(rest.begin(), rest.end(), 0.0L);
    return {0, degree, flat, sum / static_cast<long double>(rest.size()),
            *std::ranges::max_element(rest)};
  }
};

// Deviations add root by root: their mean and largest value are at most what the terms give.
TEST(NoiseTerms, DeviationsAddAtEveryRoot) {
  std::mt19937_64 rng(test_seed());
  std::exponential_distribution<long double> value;
  const auto random = [&] {
    AtRoots at{rng() % 3 == 0 ? 0 : value(rng), {}};
    for (int k = 0; k < 8; ++k) at.rest.push_back(rng() % 2 == 0 ? 0 : value(rng));
    return at;
  };
  for (int trial = 0; trial < 1000; ++trial) {
    const AtRoots a = random();
    const AtRoots b = random();
    AtRoots both{0, {}};
    for (std::size_t k = 0; k < a.rest.size(); ++k) {
      const long double sum = std::sqrt(a.flat + a.rest[k]) + std::sqrt(b.flat + b.rest[k]);
      both.rest.push_back(sum * sum);
    }
    const std::size_t degree = rng() % 3;
    const auto dependence = degree == 0 ? Dependence::independent : Dependence::dependent;
    const NoiseTerms sum =
        NoiseTerms::sum(NoiseTerms({a.term(degree)}), NoiseTerms({b.term(degree)}), dependence);
    const NoiseTerm exact = both.term(degree);
    if (sum.terms().empty()) {
      EXPECT_EQ(exact.largest(), 0);
      continue;
    }
    const NoiseTerm& found = sum.terms().front();
    EXPECT_GE(found.average() * (1 + 1e-15L), exact.average());
    EXPECT_GE(found.largest() * (1 + 1e-15L), exact.largest());
    EXPECT_LE(found.average(), 2 * (a.term(0).average() + b.term(0).average()) * (1 + 1e-15L));
  }
}

}  // namespace
}  // namespace ringlet::test
