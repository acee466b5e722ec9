// SPDX-License-Identifier: Apache-2.0
#include "support/test.hpp"
#include "unit/schemes/cyclotomic_support.hpp"

namespace ringlet::test {
namespace {

using Words = GeneralBench::Words;

class GeneralRings : public ::testing::TestWithParam<GeneralRing> {
 protected:
  GeneralBench bench_{GetParam()};
  std::mt19937_64 rng_ = make_rng(GetParam().m);
  Words a_ = bench_.random_message(rng_);
  Words b_ = bench_.random_message(rng_);
};

TEST_P(GeneralRings, DecryptWhatWasEncrypted) {
  EXPECT_EQ(bench_.decrypt(bench_.encrypt(a_)), a_);
  EXPECT_EQ(bench_.decrypt(bench_.encryptor.encrypt_symmetric(bench_.plain(b_))), b_);
  const Words zero(bench_.degree(), 0);
  EXPECT_EQ(bench_.decrypt(bench_.encrypt(zero)), zero);
  const Words top(bench_.degree(), bench_.t - 1);
  EXPECT_EQ(bench_.decrypt(bench_.encrypt(top)), top);
}

TEST_P(GeneralRings, SumsAreThoseOfTheRing) {
  const Ciphertext x = bench_.encrypt(a_);
  const Ciphertext y = bench_.encrypt(b_);
  EXPECT_EQ(bench_.decrypt(bench_.apply(&Evaluator::add, x, y)), bench_.sum(a_, b_));
  EXPECT_EQ(bench_.decrypt(bench_.apply(&Evaluator::sub, x, y)), bench_.difference(a_, b_));
  EXPECT_EQ(bench_.decrypt(bench_.apply(&Evaluator::negate, x)),
            bench_.difference(Words(bench_.degree(), 0), a_));
  EXPECT_EQ(bench_.decrypt(bench_.apply(&Evaluator::add_plain, x, bench_.plain(b_))),
            bench_.sum(a_, b_));
  EXPECT_EQ(bench_.decrypt(bench_.apply(&Evaluator::sub_plain, x, bench_.plain(b_))),
            bench_.difference(a_, b_));
}

TEST_P(GeneralRings, ProductsAreThoseOfTheRing) {
  const Ciphertext x = bench_.encrypt(a_);
  const Ciphertext y = bench_.encrypt(b_);
  const Ciphertext product = bench_.apply(&Evaluator::multiply, x, y);
  const Words expected = bench_.flint.product(a_, b_);
  EXPECT_EQ(bench_.decrypt(product), expected) << "of size 3";
  const Ciphertext relinearized = bench_.apply(&Evaluator::relinearize, product, bench_.relin_keys);
  EXPECT_EQ(relinearized.size(), 2u);
  EXPECT_EQ(bench_.decrypt(relinearized), expected);
  EXPECT_EQ(bench_.decrypt(bench_.apply(&Evaluator::square, x)), bench_.flint.product(a_, a_));
  EXPECT_EQ(bench_.decrypt(bench_.apply(&Evaluator::multiply_plain, x, bench_.plain(b_))),
            expected);
}

TEST_P(GeneralRings, AutomorphismsSubstitute) {
  const std::uint64_t m = bench_.context.ring().cyclotomic_index();
  std::vector<std::uint64_t> elements{bench_.context.ring().conjugation_element()};
  while (elements.size() < 3) {
    const std::uint64_t g = rng_() % m;
    if (bench_.context.ring().is_galois_element(g)) elements.push_back(g);
  }
  const GaloisKeys keys = bench_.keygen.create_galois_keys_for_elements(elements);
  const Ciphertext x = bench_.encrypt(a_);
  for (const std::uint64_t g : elements) {
    EXPECT_EQ(bench_.decrypt(bench_.apply(&Evaluator::apply_galois, x, g, keys)),
              bench_.flint.substitute(a_, g))
        << "g = " << g;
  }
}

TEST_P(GeneralRings, LevelsKeepMessages) {
  Ciphertext x = bench_.encrypt(a_);
  Ciphertext y = bench_.encrypt(b_);
  const ContextData* level = bench_.context.first_context_data()->next_context_data();
  if (level == nullptr) GTEST_SKIP() << "one level alone";
  bench_.evaluator.mod_switch_to_inplace(x, level->parms_id());
  EXPECT_EQ(bench_.decrypt(x), a_);
  bench_.evaluator.mod_switch_to_inplace(y, level->parms_id());
  EXPECT_EQ(bench_.decrypt(bench_.apply(&Evaluator::add, x, y)), bench_.sum(a_, b_));
  if (level->next_context_data() == nullptr) return;
  const Ciphertext product = bench_.multiply(x, y);
  EXPECT_EQ(bench_.decrypt(product), bench_.flint.product(a_, b_)) << "below the first level";
}

std::vector<GeneralRing> small_rings() {
  std::vector<GeneralRing> rings;
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    for (const std::uint64_t m : {3u, 7u, 15u, 21u, 45u, 105u, 385u, 511u}) {
      rings.push_back({scheme, m, 2, {49, 49, 49}, {49}});
    }
    // Other plain moduli, 4 | m, digits of several primes, primes of other sizes.
    rings.push_back({scheme, 9, 257, {45, 46, 49}, {49}});
    rings.push_back({scheme, 12, 5, {40, 41, 42}, {42}});
    rings.push_back({scheme, 60, 49, {50, 60, 61}, {61}});
    rings.push_back({scheme, 105, 1 << 16, {49, 49, 49, 49}, {49, 49}, 2});
    rings.push_back({scheme, 255, 4, {61, 61}, {61}});
    rings.push_back({scheme, 257, 1000, {45, 45, 45}, {45}});
  }
  return rings;
}

INSTANTIATE_TEST_SUITE_P(Small, GeneralRings, ::testing::ValuesIn(small_rings()),
                         [](const auto& test) { return name_of(test.param); });

// The rings of published experiments at 128 bits, and one whose degree is a multiple of neither 8
// nor the tile of basis conversions.
std::vector<GeneralRing> large_rings() {
  std::vector<GeneralRing> rings;
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    rings.push_back({scheme, 10773, 2, {}, {}});
    rings.push_back({scheme, 8191, 2, {}, {}});
    rings.push_back({scheme, 5913, 2, {49, 49}, {49}});
    rings.push_back({scheme, 2783, 2, {49, 49}, {49}});
  }
  return rings;
}

INSTANTIATE_TEST_SUITE_P(Large, GeneralRings, ::testing::ValuesIn(large_rings()),
                         [](const auto& test) { return name_of(test.param); });

}  // namespace
}  // namespace ringlet::test
