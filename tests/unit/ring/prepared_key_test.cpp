// SPDX-License-Identifier: Apache-2.0
// Keys as a backend reads them, and products of digits with them.

#include <flint/ulong_extras.h>

#include "support/ring_fixture.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using Indices = std::vector<std::size_t>;

class PreparedKeyTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  static constexpr std::size_t kKeyPrimes = 6;  // the basis has more than a key
  static constexpr std::size_t kDigits = 7;

  PreparedKeyTest() {
    auto rng = make_rng(GetParam());
    const Indices key_primes = first_primes(kKeyPrimes);
    for (std::size_t j = 0; j < kDigits; ++j) {
      b_.push_back(random_poly<Form::ntt>(basis_, key_primes, rng));
      a_.push_back(random_poly<Form::ntt>(basis_, key_primes, rng));
      digits_.push_back(random_poly<Form::ntt>(basis_, primes_, rng));
    }
  }

  static std::vector<ConstNttView> views(const std::vector<NttPoly>& polys) {
    std::vector<ConstNttView> views;
    for (const NttPoly& poly : polys) views.push_back(poly.view());
    return views;
  }

  /// sum over j in [first, end) of digit j times key j, on top of `start`.
  Words expected(const NttPoly& start, const std::vector<NttPoly>& key, std::size_t first,
                 std::size_t end) const {
    Words words;
    for (std::size_t l = 0; l < primes_.size(); ++l) {
      const std::uint64_t q = basis_[primes_[l]].value();
      for (std::size_t c = 0; c < GetParam(); ++c) {
        std::uint64_t sum = start.view().limb(l)[c];
        for (std::size_t j = first; j < end; ++j) {
          const std::uint64_t factor = key[j].view().limb(primes_[l])[c];
          sum = n_addmod(sum, n_mulmod2(digits_[j].view().limb(l)[c], factor, q), q);
        }
        words.push_back(sum);
      }
    }
    return words;
  }

  const Indices primes_{4, 0, 5, 2};
  RnsBasis basis_ = make_basis(GetParam());
  std::vector<std::shared_ptr<const Backend>> backends_ = make_backends(basis_);
  std::vector<NttPoly> b_;
  std::vector<NttPoly> a_;
  std::vector<NttPoly> digits_;
};

TEST_P(PreparedKeyTest, InnerProductsAddUpWhateverTheGroups) {
  const NttPoly zero(primes_.size(), GetParam());
  const Words expected_b = expected(zero, b_, 0, kDigits);
  const Words expected_a = expected(zero, a_, 0, kDigits);
  const std::vector<ConstNttView> digits = views(digits_);
  for (const auto& backend : backends_) {
    SCOPED_TRACE(describe(*backend));
    const auto key = backend->prepare_key(views(b_), views(a_));
    for (const std::size_t group : {1, 2, 3, 4, 7}) {
      auto rng = make_rng();
      NttPoly sum_b = random_poly<Form::ntt>(basis_, primes_, rng);  // of no account at first
      NttPoly sum_a = random_poly<Form::ntt>(basis_, primes_, rng);
      for (std::size_t first = 0; first < kDigits; first += group) {
        const std::size_t count = std::min(group, kDigits - first);
        backend->key_inner_product(sum_b.view_for_writing(), sum_a.view_for_writing(),
                                   std::span(digits).subspan(first, count), first, *key, primes_);
      }
      EXPECT_EQ(all_words(sum_b), expected_b) << "groups of " << group;
      EXPECT_EQ(all_words(sum_a), expected_a) << "groups of " << group;
    }
  }
}

TEST_P(PreparedKeyTest, ALaterDigitAddsToWhatTheSumHolds) {
  auto rng = make_rng();
  const NttPoly start = random_poly<Form::ntt>(basis_, primes_, rng);
  for (const auto& backend : backends_) {
    const auto key = backend->prepare_key(views(b_), views(a_));
    for (const std::size_t count : {1, 3}) {
      NttPoly sum_b = start;
      NttPoly sum_a = start;
      const std::vector<ConstNttView> digits = views(digits_);
      backend->key_inner_product(sum_b.view_for_writing(), sum_a.view_for_writing(),
                                 std::span(digits).subspan(2, count), 2, *key, primes_);
      EXPECT_EQ(all_words(sum_b), expected(start, b_, 2, 2 + count));
      EXPECT_EQ(all_words(sum_a), expected(start, a_, 2, 2 + count));
    }
  }
}

TEST_P(PreparedKeyTest, TheCompositionOfPrimitivesGivesTheSameBits) {
  const std::vector<ConstNttView> digits = views(digits_);
  for (const auto& backend : backends_) {
    const auto key = backend->Backend::prepare_key(views(b_), views(a_));
    NttPoly sum_b(primes_.size(), GetParam());
    NttPoly sum_a(primes_.size(), GetParam());
    for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, 4}, {4, 3}}) {
      backend->Backend::key_inner_product(sum_b.view_for_writing(), sum_a.view_for_writing(),
                                          std::span(digits).subspan(first, count), first, *key,
                                          primes_);
    }
    const NttPoly zero(primes_.size(), GetParam());
    EXPECT_EQ(all_words(sum_b), expected(zero, b_, 0, kDigits));
    EXPECT_EQ(all_words(sum_a), expected(zero, a_, 0, kDigits));
  }
}

INSTANTIATE_TEST_SUITE_P(Degrees, PreparedKeyTest, ::testing::Values(2, 8, 1024, 2048));

}  // namespace
}  // namespace ringlet::test
