// SPDX-License-Identifier: Apache-2.0
// The bound on noise, compared with measured noise and with its promise about sums; samplers
// against their definitions, from the stream's bytes; scaling of messages against GMP, at both
// sides of every rounding boundary for small t, and at random values.

#include "fv/message_scaling.hpp"
#include "fv/noise.hpp"
#include "fv/samplers.hpp"
#include "rlwe/random/random_stream.hpp"
#include "unit/fv/support.hpp"

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
    const FvBench bench(context, RandomSource::for_testing(rng()));
    double largest = 0;
    for (std::size_t i = 0; i < scaled(c.trials); ++i) {
      const fv::Message message = random_message(context, rng);
      const FlintIntegerPoly noise = open.noise(
          open.phase(bench.encryptor.encrypt(message), bench.keys.secret_key()), message);
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
fv::Ciphertext multiple_of(const fv::Context& context, const fv::Ciphertext& one,
                           std::uint64_t count) {
  if (count == 1) return one;
  const fv::Ciphertext half = multiple_of(context, one, count / 2);
  const fv::Ciphertext sum = context.add(half, half);
  return count % 2 == 1 ? context.add(sum, one) : sum;
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
        const FvBench bench(context);
        const fv::Message message = random_message(context, rng);
        const fv::Message found =
            bench.decryptor.decrypt(multiple_of(context, bench.encryptor.encrypt(message), count));
        for (std::size_t i = 0; i < message.size(); ++i) {
          ASSERT_EQ(found[i], message[i] * (count % t) % t) << count;
        }
      }
    }
  }
}

// Far beyond the promised number, sums do not decrypt: the promise is not an empty one.
TEST(FvNoise, SumsOfFarMoreDoNot) {
  const FvBench bench(toy_fv(105, 40, 2));
  const fv::Message ones(bench.degree, 1);
  const std::uint64_t count = 1025 * bench.context.max_additions() | 1;
  const auto sum = multiple_of(bench.context, bench.encryptor.encrypt(ones), count);
  EXPECT_NE(bench.decryptor.decrypt(sum), ones);
}

TEST(FvNoise, BudgetFallsByOneBitWithEachDoubling) {
  const FvBench bench(toy_fv(45, 60, 2));
  fv::Ciphertext sum = bench.encryptor.encrypt(fv::Message(bench.degree, 1));
  double budget = bench.decryptor.noise_budget(sum);
  EXPECT_GE(budget, 60 - 3 - bench.context.fresh_noise_bits());
  while (budget > 2) {
    sum = bench.context.add(sum, sum);
    const double next = bench.decryptor.noise_budget(sum);
    ASSERT_NEAR(next, budget - 1, 0.05);
    budget = next;
  }
  for (int i = 0; i < 40; ++i) sum = bench.context.add(sum, sum);
  EXPECT_GE(bench.decryptor.noise_budget(sum), 0);
}

// The formula itself, at a point computed by hand: n = 6, g = 2, V = 10.5 * 4 * 13 = 546,
// ln(12) + 192 ln 2 = 135.5692, B = sqrt(2 * 546 * 135.5692) = 384.7617.
TEST(FvNoise, TheFormula) {
  const fv::NoiseBound bound = fv::bound_noise(6, 2, WideModulus::parse("1000003"), 2);
  EXPECT_NEAR(bound.fresh, 385.2617, 0.001);
  EXPECT_EQ(bound.max_additions, 648u);  // 250000.75 / 385.2617 = 648.91
  // Here the largest possible value is smaller than the bound from the tail.
  EXPECT_NEAR(fv::bound_noise(2, 1, WideModulus::parse("1000003"), 2).fresh, 105.5, 0.001);
  EXPECT_EQ(fv::bound_noise(6, 2, WideModulus::largest_prime(135), 2).max_additions,
            ~std::uint64_t{0});
  EXPECT_EQ(fv::bound_noise(6, 2, WideModulus::parse("1000"), 2).max_additions, 0u);
}

using rlwe::RandomStream;
using rlwe::Seed;
using rlwe::StreamPurpose;

std::vector<std::uint8_t> bytes_of(const Seed& seed, StreamPurpose purpose, std::size_t blocks) {
  RandomStream stream(seed, {purpose});
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto block = stream.next_block();
    bytes.insert(bytes.end(), block.begin(), block.end());
  }
  return bytes;
}

TEST(FvSamplers, BinaryCoefficientsAreTheBitsOfTheStream) {
  const Seed seed(RandomSource::for_testing(1));
  const auto bytes = bytes_of(seed, StreamPurpose::binary, 2);
  constexpr std::size_t kOneBlock = 8 * RandomStream::kBlockBytes;
  for (const std::size_t count : {std::size_t{1}, std::size_t{7}, std::size_t{2420}, kOneBlock,
                                  kOneBlock + 1, 2 * kOneBlock}) {
    std::vector<std::int8_t> values(count, 77);
    RandomStream stream(seed, {StreamPurpose::binary});
    fv::sample_binary(values, stream);
    std::size_t ones = 0;
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(values[i], bytes[i / 8] >> (i % 8) & 1) << i;
      ones += static_cast<std::size_t>(values[i]);
    }
    // Within 6 standard deviations of one half.
    const double n = static_cast<double>(count);
    EXPECT_LE(std::abs(static_cast<double>(ones) - n / 2), 3 * std::sqrt(n));
  }
}

TEST(FvSamplers, SecretsFollowTheirDistribution) {
  const Seed seed(RandomSource::for_testing(2));
  for (const auto distribution :
       {fv::SecretDistribution::ternary, fv::SecretDistribution::binary}) {
    std::vector<std::int8_t> values(60000);
    fv::sample_secret(values, distribution, seed);
    const double wanted = distribution == fv::SecretDistribution::ternary ? 3 : 2;
    const int lowest = distribution == fv::SecretDistribution::ternary ? -1 : 0;
    for (int value = lowest; value <= 1; ++value) {
      const auto count = static_cast<double>(std::ranges::count(values, value));
      EXPECT_NEAR(count, 60000 / wanted, 6 * std::sqrt(60000 / wanted)) << value;
    }
    EXPECT_TRUE(std::ranges::all_of(values, [&](int v) { return v >= lowest && v <= 1; }));
  }
}

// Rejection by GMP from the same bytes gives the same coefficients, for every size of q.
TEST(FvSamplers, UniformCoefficientsAreTheWordsBelowQ) {
  const Seed seed(RandomSource::for_testing(3));
  std::vector<WideModulus> moduli;
  for (const int bits : {2, 3, 20, 63, 64, 65, 100, 125, 127, 128, 129, 135}) {
    moduli.push_back(WideModulus::largest_prime(bits));
    // Half of all words are rejected for q = 2^(bits - 1) + 1.
    WideInteger low{1, 0, 0};
    low[static_cast<std::size_t>((bits - 1) / 64)] |= std::uint64_t{1} << ((bits - 1) % 64);
    moduli.emplace_back(low);
  }
  for (const WideModulus& q : moduli) {
    SCOPED_TRACE(q.to_string());
    const std::size_t words = q.word_count();
    WidePoly poly(1500, words);
    RandomStream stream(seed, {StreamPurpose::wide_uniform});
    fv::sample_uniform(poly, q, stream);
    const auto bytes = bytes_of(seed, StreamPurpose::wide_uniform, 20);
    std::size_t at = 0;
    for (std::size_t i = 0; i < poly.degree(); ++i) {
      Integer value;
      do {
        ASSERT_LE(at + 8 * words, bytes.size());
        mpz_import(value.get(), 8 * words, -1, 1, 0, 0, bytes.data() + at);
        value = value % (Integer(1) << q.bit_count());
        at += 8 * words;
      } while (value >= to_integer(q.value()));
      ASSERT_EQ(to_integer(poly[i]), value) << i;
    }
    WidePoly again(1500, words);
    fv::expand_uniform(again, q, seed);
    EXPECT_EQ(again, poly);
  }
}

std::string text_of(const Integer& value) {
  const std::unique_ptr<char, decltype(&std::free)> digits(mpz_get_str(nullptr, 10, value.get()),
                                                           &std::free);
  return digits.get();
}

struct Scaling {
  Scaling(const WideModulus& modulus, std::uint64_t plain_modulus)
      : q(to_integer(modulus.value())), t(plain_modulus), scaling(modulus, plain_modulus) {}

  void expect_unscale(const Integer& w) const {
    if (w < Integer(0) || w >= q) return;
    ASSERT_EQ(scaling.unscale(to_wide(w)), rounded_quotient(w * Integer(t), q).residue(t))
        << "w = " << text_of(w);
  }
  void expect_scale(std::uint64_t m) const {
    const Integer scaled = to_integer(scaling.scale(m));
    ASSERT_EQ(scaled, rounded_quotient(q * Integer(m), Integer(t))) << "m = " << m;
    ASSERT_LT(scaled, q);
  }
  // w around (2m - 1) * q / (2t), where the message goes from m - 1 to m, and around m * q / t.
  void expect_boundary(std::uint64_t m) const {
    for (const std::uint64_t twice : {2 * m, 2 * m + 1}) {
      const Integer w = q * Integer(twice) / Integer(2 * t);
      for (int step = -2; step <= 2; ++step) expect_unscale(w + Integer::of(step));
    }
  }

  Integer q;
  std::uint64_t t;
  fv::MessageScaling scaling;
};

// Primes, powers of two and their neighbours, at all sizes.
std::vector<WideModulus> moduli() {
  std::vector<WideModulus> result;
  for (int bits = 2; bits <= kMaxWideModulusBits; ++bits) {
    const Integer power = Integer(1) << (bits - 1);
    for (const Integer& q : {power, power + Integer(1), power + power - Integer(1)}) {
      result.emplace_back(to_wide(q));
    }
  }
  return result;
}

constexpr std::uint64_t kPlainModuli[] = {
    2,          3,          4,          5,          16,
    17,         255,        256,        65537,      1000003,
    0x7fffffff, 0x80000000, 0xfffffffb, 0xffffffff, std::uint64_t{1} << 32};

TEST(FvScaling, BoundariesRandomValuesAndEdges) {
  auto rng = make_rng();
  for (const WideModulus& q : moduli()) {
    for (const std::uint64_t t : kPlainModuli) {
      if (q.word_count() == 1 && t > q.value()[0]) continue;
      SCOPED_TRACE("q = " + q.to_string() + ", t = " + std::to_string(t));
      const Scaling scaling(q, t);
      std::vector<std::uint64_t> messages{0, 1, t / 2, t - 1};
      if (t <= 17) messages.resize(t);
      if (t <= 17) std::iota(messages.begin(), messages.end(), 0);
      for (std::size_t i = 0; i < scaled(3); ++i) messages.push_back(rng() % t);
      for (const std::uint64_t m : messages) {
        scaling.expect_scale(m);
        scaling.expect_boundary(m);
      }
      for (std::size_t i = 0; i < scaled(3); ++i) {
        scaling.expect_unscale(random_integer(scaling.q, rng));
      }
      scaling.expect_unscale(scaling.q - Integer(1));
      scaling.expect_unscale(Integer(0));
      ASSERT_FALSE(::testing::Test::HasFailure());
    }
  }
}

TEST(FvScaling, PolynomialsAreScaledInPlaceAndNoiseIsFound) {
  auto rng = make_rng();
  for (const int bits : {20, 64, 65, 125, 128, 129, 135}) {
    const WideModulus q = WideModulus::largest_prime(bits);
    const Scaling scaling(q, 5);
    const std::vector<std::uint64_t> message = random_values(37, 5, rng);
    WidePoly poly(message.size(), q.word_count());
    // Coefficient i starts as q - 1 - i, that is as -(1 + i).
    for (std::size_t i = 0; i < poly.degree(); ++i) {
      poly.set(i, to_wide(scaling.q - Integer(1 + i)));
    }
    scaling.scaling.add_scaled(poly, message);
    for (std::size_t i = 0; i < poly.degree(); ++i) {
      const Integer wanted = rounded_quotient(scaling.q * Integer(message[i]), Integer(5));
      EXPECT_EQ(poly[i], to_wide((wanted - Integer(1 + i)) % scaling.q));
    }
    std::vector<std::uint64_t> back(message.size());
    scaling.scaling.unscale(back, poly);
    EXPECT_EQ(back, message);
    EXPECT_EQ(scaling.scaling.largest_noise(poly, message), (WideInteger{message.size(), 0, 0}));
  }
}

}  // namespace
}  // namespace ringlet::test
