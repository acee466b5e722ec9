// SPDX-License-Identifier: Apache-2.0
// Samplers of FV against their definitions: from the stream's bytes, by GMP and FLINT.

#include "rlwe/random_stream.hpp"
#include "schemes/fv/samplers.hpp"
#include "support/test.hpp"
#include "unit/schemes/fv_support.hpp"

namespace ringlet::test {
namespace {

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

// The same rejection by GMP, and the same from one byte stream for every size of q.
TEST(FvSamplers, UniformCoefficientsAreTheWordsBelowQ) {
  const Seed seed(RandomSource::for_testing(3));
  std::vector<WideModulus> moduli;
  for (const int bits : {2, 3, 20, 63, 64, 65, 100, 125, 127, 128, 129, 135}) {
    moduli.push_back(WideModulus::largest_prime(bits));
    // Half of all words are rejected: 2^(bits - 1) + 1.
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
        mpz_fdiv_r_2exp(value.get(), value.get(), static_cast<mp_bitcnt_t>(q.bit_count()));
        at += 8 * words;
      } while (mpz_cmp(value.get(), to_integer(q.value()).get()) >= 0);
      ASSERT_EQ(mpz_cmp(to_integer(poly[i]).get(), value.get()), 0) << i;
    }
    WidePoly again(1500, words);
    fv::expand_uniform(again, q, seed);
    EXPECT_EQ(again, poly);
  }
}

}  // namespace
}  // namespace ringlet::test
