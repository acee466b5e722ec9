// SPDX-License-Identifier: Apache-2.0
#include "ringlet/modular.hpp"
#include "support/ring_fixture.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

const std::vector<std::size_t> kPrimes = {1, 2, 3};

// a(X^g) by the definition: the term a_i X^i goes to X^(g*i), and X^N = -1.
Words substitute(const Words& a, std::uint64_t g, std::uint64_t q) {
  Words result(a.size(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::size_t exponent = g * i % (2 * a.size());
    const bool negative = exponent >= a.size();
    result[exponent % a.size()] = negative ? (q - a[i]) % q : a[i];
  }
  return result;
}

// Every odd element below 2N for small degrees; those of rotations and some others for large ones.
std::vector<std::uint64_t> galois_elements(std::size_t degree) {
  std::vector<std::uint64_t> elements;
  if (degree <= 64) {
    for (std::uint64_t g = 1; g < 2 * degree; g += 2) elements.push_back(g);
    return elements;
  }
  std::uint64_t rotation = 1;
  for (int i = 0; i < 5; ++i) {
    elements.push_back(rotation);
    rotation = rotation * 5 % (2 * degree);
  }
  elements.insert(elements.end(), {3, degree - 1, degree + 1, 2 * degree - 3, 2 * degree - 1});
  return elements;
}

class AutomorphismTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  RnsBasis basis_ = make_basis(GetParam());
  std::shared_ptr<const Backend> backend_ = make_cpu_backend(basis_);
};

TEST_P(AutomorphismTest, SubstitutesInCoefficientForm) {
  auto rng = make_rng(GetParam());
  const CoeffPoly a = random_poly<Form::coefficient>(basis_, kPrimes, rng);
  for (const std::uint64_t g : galois_elements(GetParam())) {
    CoeffPoly image(kPrimes.size(), GetParam());
    backend_->automorphism(image.view_for_writing(), a.view(), g, kPrimes);
    for (std::size_t l = 0; l < kPrimes.size(); ++l) {
      ASSERT_EQ(limb_words(image, l), substitute(limb_words(a, l), g, basis_[kPrimes[l]].value()))
          << "g = " << g;
    }
  }
}

TEST_P(AutomorphismTest, InNttFormIsTheSameMap) {
  auto rng = make_rng(GetParam());
  const CoeffPoly a = random_poly<Form::coefficient>(basis_, kPrimes, rng);
  NttPoly values(kPrimes.size(), GetParam());
  backend_->forward_ntt(values.view_for_writing(), a.view(), kPrimes);
  for (const std::uint64_t g : galois_elements(GetParam())) {
    CoeffPoly image(kPrimes.size(), GetParam());
    backend_->automorphism(image.view_for_writing(), a.view(), g, kPrimes);
    NttPoly expected(kPrimes.size(), GetParam());
    backend_->forward_ntt(expected.view_for_writing(), image.view(), kPrimes);
    NttPoly result(kPrimes.size(), GetParam());
    backend_->automorphism(result.view_for_writing(), values.view(), g, kPrimes);
    ASSERT_EQ(all_words(result), all_words(expected)) << "g = " << g;
  }
}

TEST_P(AutomorphismTest, ComposesAsItsElementsMultiply) {
  auto rng = make_rng(GetParam());
  const std::uint64_t order = 2 * GetParam();
  const NttPoly a = random_poly<Form::ntt>(basis_, kPrimes, rng);
  const auto apply = [&](const NttPoly& poly, std::uint64_t g) {
    NttPoly image(kPrimes.size(), GetParam());
    backend_->automorphism(image.view_for_writing(), poly.view(), g, kPrimes);
    return image;
  };
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t g = (rng() % order) | 1;
    const std::uint64_t h = (rng() % order) | 1;
    EXPECT_EQ(all_words(apply(apply(a, g), h)), all_words(apply(a, g * h % order)));
  }
}

INSTANTIATE_TEST_SUITE_P(Degrees, AutomorphismTest,
                         ::testing::Values(2, 4, 8, 16, 32, 64, 1024, 4096));

}  // namespace
}  // namespace ringlet::test
