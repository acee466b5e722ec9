// SPDX-License-Identifier: Apache-2.0
// The bound on noise: above what is measured, not far above, and what it promises about sums.

#include "schemes/fv/noise.hpp"
#include "support/environment.hpp"
#include "support/test.hpp"
#include "unit/schemes/fv_support.hpp"

namespace ringlet::test {
namespace {

using fv::SecretDistribution;

struct NoiseCase {
  std::uint64_t index;
  SecretDistribution secrets;
  std::size_t trials;
  double slack;  // bits that the bound may lie above the largest noise
};

TEST(FvNoise, MeasuredNoiseIsWithinTheBoundAndNearIt) {
  auto rng = make_rng();
  const std::vector<NoiseCase> cases{
      {7, SecretDistribution::ternary, 300, 4},   {16, SecretDistribution::ternary, 300, 4},
      {105, SecretDistribution::ternary, 200, 7}, {441, SecretDistribution::ternary, 100, 7},
      {512, SecretDistribution::ternary, 60, 5},  {2783, SecretDistribution::binary, 2, 7},
      {3485, SecretDistribution::binary, 2, 9},   {10773, SecretDistribution::ternary, 2, 8},
      {8191, SecretDistribution::ternary, 2, 5}};
  for (const NoiseCase& c : cases) {
    const fv::Context context = toy_fv(c.index, 125, 13, c.secrets);
    const OpenFv open(context);
    double largest = 0;
    const fv::KeyGenerator keys(context, RandomSource::for_testing(rng()));
    const fv::Encryptor encryptor(context, keys.create_public_key(),
                                  RandomSource::for_testing(rng()));
    for (std::size_t i = 0; i < scaled(c.trials); ++i) {
      const fv::Message message = random_message(context, rng);
      const FlintIntegerPoly noise =
          open.noise(open.phase(encryptor.encrypt(message), keys.secret_key()), message);
      largest = std::max(largest, OpenFv::log2_norm(noise));
    }
    const double bound = context.fresh_noise_bits();
    std::printf("m = %llu: largest noise 2^%.2f, bound 2^%.2f\n",
                static_cast<unsigned long long>(c.index), largest, bound);
    EXPECT_LE(largest, bound) << c.index;
    EXPECT_GE(largest, bound - c.slack) << c.index;
  }
}

// count * one, by doubling.
fv::Ciphertext multiple_of(const fv::Context& context, fv::Ciphertext one, std::uint64_t count) {
  fv::Ciphertext sum;
  bool is_empty = true;
  for (; count != 0; count /= 2) {
    if (count % 2 == 1) {
      sum = is_empty ? one : context.add(sum, one);
      is_empty = false;
    }
    if (count > 1) one = context.add(one, one);
  }
  return sum;
}

TEST(FvNoise, SumsOfAsManyAsPromisedDecrypt) {
  auto rng = make_rng();
  for (const std::uint64_t index : {7u, 16u, 45u, 105u}) {
    for (const int bits : {26, 40, 60, 64, 70, 100, 135}) {
      for (const std::uint64_t t : {2u, 11u, 257u}) {
        if (index % 2 == 0 && t == 2) continue;
        const fv::Context context = toy_fv(index, bits, t);
        SCOPED_TRACE(describe(context.parameters()));
        const std::uint64_t count = context.max_additions();
        const fv::KeyGenerator keys(context);
        const fv::Encryptor encryptor(context, keys.create_public_key());
        const fv::Decryptor decryptor(context, keys.secret_key());
        const fv::Message message = random_message(context, rng);
        const fv::Message found =
            decryptor.decrypt(multiple_of(context, encryptor.encrypt(message), count));
        for (std::size_t i = 0; i < message.size(); ++i) {
          ASSERT_EQ(found[i], message[i] * (count % t) % t) << count;
        }
      }
    }
  }
}

// Far beyond the promise sums no longer decrypt: the promise means something.
TEST(FvNoise, SumsOfFarMoreDoNot) {
  const fv::Context context = toy_fv(105, 40, 2);
  const fv::KeyGenerator keys(context);
  const fv::Encryptor encryptor(context, keys.create_public_key());
  const fv::Decryptor decryptor(context, keys.secret_key());
  const fv::Message ones(context.parameters().ring.degree(), 1);
  const std::uint64_t count = 1025 * context.max_additions() | 1;
  EXPECT_NE(decryptor.decrypt(multiple_of(context, encryptor.encrypt(ones), count)), ones);
}

TEST(FvNoise, BudgetFallsByOneBitWithEachDoubling) {
  const fv::Context context = toy_fv(45, 60, 2);
  const fv::KeyGenerator keys(context);
  const fv::Decryptor decryptor(context, keys.secret_key());
  const fv::Message message(context.parameters().ring.degree(), 1);
  fv::Ciphertext sum = fv::Encryptor(context, keys.create_public_key()).encrypt(message);
  double budget = decryptor.noise_budget(sum);
  EXPECT_GE(budget, 60 - 3 - context.fresh_noise_bits());
  while (budget > 2) {
    sum = context.add(sum, sum);
    const double next = decryptor.noise_budget(sum);
    ASSERT_NEAR(next, budget - 1, 0.05);
    budget = next;
  }
  for (int i = 0; i < 40; ++i) sum = context.add(sum, sum);
  EXPECT_GE(decryptor.noise_budget(sum), 0);
}

// The formula itself, at a point computed by hand: n = 6, g = 2, V = 10.5 * 4 * 13 = 546,
// ln(12) + 192 ln 2 = 135.5692, B = sqrt(2 * 546 * 135.5692) = 384.7617.
TEST(FvNoise, TheFormula) {
  const fv::NoiseBound bound = fv::bound_noise(6, 2, WideModulus::parse("1000003"), 2);
  EXPECT_NEAR(bound.fresh, 385.2617, 0.001);
  EXPECT_EQ(bound.max_additions, 648u);  // 250000.75 / 385.2617 = 648.91
  // Where the largest possible value is smaller than what the tail allows.
  EXPECT_NEAR(fv::bound_noise(2, 1, WideModulus::parse("1000003"), 2).fresh, 105.5, 0.001);
  EXPECT_EQ(fv::bound_noise(6, 2, WideModulus::largest_prime(135), 2).max_additions,
            ~std::uint64_t{0});
  EXPECT_EQ(fv::bound_noise(6, 2, WideModulus::parse("1000"), 2).max_additions, 0u);
}

}  // namespace
}  // namespace ringlet::test
