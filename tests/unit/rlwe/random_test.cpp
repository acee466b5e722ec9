// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/random.hpp"

#include "ringlet/schemes/encryptor.hpp"
#include "rlwe/random/random_stream.hpp"
#include "rlwe/random/samplers.hpp"
#include "rlwe_support.hpp"
#include "support/threads.hpp"

namespace ringlet::test {
namespace {

using rlwe::RandomStream;
using rlwe::Seed;
using rlwe::StreamPurpose;
using SeedBytes = std::array<std::uint8_t, kSeedBytes>;

SeedBytes draw(const RandomSource& source) {
  SeedBytes seed{};
  source.draw_seed(seed);
  return seed;
}

// Python's hashlib gave the expected hashes, and OpenSSL's command line the AES output, from the
// byte strings that the header documents.
TEST(Random, DerivationIsAsDocumented) {
  const RandomSource source = RandomSource::for_testing(1);
  const Seed seed(source);
  EXPECT_EQ(hex_of(seed.bytes()),
            "1add1e83f373338c24bb2c0ec68b946877243600911fd5e5700fe06a314bb366");
  const Seed public_seed(seed, {StreamPurpose::public_seed});
  EXPECT_EQ(hex_of(public_seed.bytes()),
            "bc9ea7ea2fac359178604a14753e8480695d385ff7c01d9dd88a9e194e5e3c34");
  RandomStream stream(seed, {StreamPurpose::error, 5, 7});
  EXPECT_EQ(hex_of(stream.next_block().first(16)), "4190690b624fc882030a94b00f78e546");
  EXPECT_EQ(hex_of(stream.next_block().first(16)), "8420f8a97b0bf0fd635cedafc3075e8c");
}

TEST(Random, SystemSeedsDiffer) {
  const RandomSource source;
  EXPECT_FALSE(source.is_for_testing());
  const RandomSource copy = source;
  std::set<SeedBytes> seeds;
  for (int i = 0; i < 50; ++i) {
    seeds.insert(draw(source));
    seeds.insert(draw(copy));
    seeds.insert(draw(RandomSource()));
  }
  EXPECT_EQ(seeds.size(), 150u);
  // 150 * 256 fair bits: six standard deviations of the number of ones are 588.
  int ones = 0;
  for (const SeedBytes& seed : seeds) {
    for (const std::uint8_t byte : seed) ones += __builtin_popcount(byte);
  }
  EXPECT_NEAR(ones, 150 * 128, 588);
}

TEST(Random, TestingSourceRepeatsItself) {
  const RandomSource source = RandomSource::for_testing(7);
  const RandomSource again = RandomSource::for_testing(7);
  EXPECT_TRUE(source.is_for_testing());
  const SeedBytes first = draw(source);
  const SeedBytes second = draw(source);
  EXPECT_NE(first, second);
  EXPECT_EQ(draw(again), first);
  const RandomSource copy = again;
  EXPECT_EQ(draw(copy), second) << "copies go on with the same draws";
  EXPECT_NE(draw(RandomSource::for_testing(8)), first);
}

TEST(Random, LabelsSeparateStreams) {
  const RandomSource source = RandomSource::for_testing(test_seed());
  const Seed seed(source);
  const Seed other(source);
  std::set<std::string> starts;
  for (const StreamPurpose purpose :
       {StreamPurpose::uniform, StreamPurpose::ternary, StreamPurpose::error}) {
    for (std::uint64_t poly = 0; poly < 3; ++poly) {
      for (std::uint64_t limb = 0; limb < 3; ++limb) {
        RandomStream stream(seed, {purpose, poly, limb});
        starts.insert(hex_of(stream.next_block().first(16)));
        RandomStream same(seed, {purpose, poly, limb});
        EXPECT_EQ(starts.count(hex_of(same.next_block().first(16))), 1u);
      }
    }
  }
  RandomStream stream(other, {StreamPurpose::uniform});
  starts.insert(hex_of(stream.next_block().first(16)));
  EXPECT_EQ(starts.size(), 28u);
}

// Runs `make` in a forked child and in this process, and returns this process's result first.
template <typename Make>
std::array<SeedBytes, 2> in_parent_and_child(Make make) {
  std::array<SeedBytes, 2> results{};
  int ends[2] = {-1, -1};
  EXPECT_EQ(pipe(ends), 0);
  const int status = status_of_child([&] {
    const SeedBytes made = make();
    return write(ends[1], made.data(), made.size()) == ssize_t{kSeedBytes} ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  results[0] = make();
  if (status == 0) {
    EXPECT_EQ(read(ends[0], results[1].data(), kSeedBytes), ssize_t{kSeedBytes});
  }
  close(ends[0]);
  close(ends[1]);
  return results;
}

TEST(Random, ForkNeverRepeatsASeed) {
  const RandomSource source;
  draw(source);
  const auto [parent, child] = in_parent_and_child([&] { return draw(source); });
  EXPECT_NE(parent, child);
  EXPECT_NE(child, SeedBytes{});
}

TEST(Random, ForkNeverRepeatsAnEncryption) {
  const Context context = toy_context(256, {30, 31});
  const KeyGenerator keys(context);
  const Encryptor encryptor(context, keys.create_public_key(), keys.secret_key());
  encryptor.encrypt_zero();
  for (const bool symmetric : {false, true}) {
    const auto [parent, child] = in_parent_and_child([&] {
      const Ciphertext zero =
          symmetric ? encryptor.encrypt_zero_symmetric() : encryptor.encrypt_zero();
      SeedBytes start{};
      std::memcpy(start.data(), zero.ntt_view(1).limb(0).data(), start.size());
      return start;
    });
    EXPECT_NE(parent, child);
    EXPECT_NE(child, SeedBytes{});
  }
}

TEST(Random, ThreadsNeverShareASeed) {
  const RandomSource source = RandomSource::for_testing(3);
  std::array<std::vector<SeedBytes>, kThreads> drawn;
  in_threads([&](std::size_t thread) {
    const RandomSource copy = source;  // NOLINT(performance-unnecessary-copy-initialization)
    for (int i = 0; i < 100; ++i) drawn[thread].push_back(draw(copy));
  });
  std::set<SeedBytes> all;
  for (const auto& seeds : drawn) all.insert(seeds.begin(), seeds.end());
  EXPECT_EQ(all.size(), 100 * kThreads);
}

constexpr std::size_t kSamples = std::size_t{1} << 18;

Seed test_stream_seed() { return Seed(RandomSource::for_testing(test_seed())); }

// Python gave the expected values, by the rules of the header, from the stream of OpenSSL's command
// line.
TEST(Samplers, AreTheDocumentedFunctionsOfTheStream) {
  const Seed seed(RandomSource::for_testing(1));
  const Seed public_seed(seed, {StreamPurpose::public_seed});
  RandomStream uniform(public_seed, {StreamPurpose::uniform});
  std::array<std::uint64_t, 4> residues{};
  rlwe::sample_uniform(residues, Modulus(0xffffee001), uniform);
  EXPECT_EQ(residues,
            (std::array<std::uint64_t, 4>{0x60c3a9922, 0xde8e57050, 0xcb17a39cb, 0x93b8dce9f}));
  RandomStream ternary(seed, {StreamPurpose::ternary});
  std::array<std::int8_t, 12> signs{};
  rlwe::sample_ternary(signs, ternary);
  EXPECT_EQ(signs, (std::array<std::int8_t, 12>{0, -1, 1, -1, -1, 1, 0, -1, 0, 0, 1, -1}));
  RandomStream error(seed, {StreamPurpose::error});
  std::array<std::int8_t, 12> noise{};
  rlwe::sample_error(noise, error);
  EXPECT_EQ(noise, (std::array<std::int8_t, 12>{-3, -3, -2, 4, 4, 7, -3, -4, 4, -3, -1, 0}));
}

TEST(Samplers, TernaryIsUniformOnThreeValues) {
  RandomStream stream(test_stream_seed(), {StreamPurpose::ternary});
  rlwe::SmallPoly values(kSamples);
  rlwe::sample_ternary(values, stream);
  std::vector<std::size_t> counts(3);
  for (const int value : values) {
    ASSERT_GE(value, -1);
    ASSERT_LE(value, 1);
    ++counts[static_cast<std::size_t>(value + 1)];
  }
  const ChiSquare test = chi_square(counts, {1 / 3.0, 1 / 3.0, 1 / 3.0});
  EXPECT_LT(test.statistic, test.limit);
}

// With enough samples the statistic must detect the bias of byte % 3 (86 : 85 : 85).
TEST(Samplers, TheTestForUniformityHasPower) {
  std::vector<std::size_t> counts(3);
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t byte = 0; byte < 256; ++byte) counts[byte % 3] += kSamples / 256;
  }
  const ChiSquare test = chi_square(counts, {1 / 3.0, 1 / 3.0, 1 / 3.0});
  EXPECT_GT(test.statistic, test.limit);
}

double binomial_probability(int ones) {
  double logarithm = -42 * std::log(2.0);
  logarithm += std::lgamma(43) - std::lgamma(ones + 1) - std::lgamma(43 - ones);
  return std::exp(logarithm);
}

TEST(Samplers, ErrorIsCentredBinomial) {
  RandomStream stream(test_stream_seed(), {StreamPurpose::error});
  rlwe::SmallPoly values(kSamples);
  rlwe::sample_error(values, stream);
  // Values above 12 are as rare as one in 10^4, so each tail is one class.
  constexpr int kTail = 13;
  std::vector<std::size_t> counts(2 * kTail + 1);
  std::vector<double> probabilities(counts.size());
  for (int value = -rlwe::kErrorBits; value <= rlwe::kErrorBits; ++value) {
    probabilities[static_cast<std::size_t>(std::clamp(value, -kTail, kTail) + kTail)] +=
        binomial_probability(value + rlwe::kErrorBits);
  }
  double sum = 0;
  double squares = 0;
  for (const int value : values) {
    ASSERT_LE(std::abs(value), rlwe::kErrorBits);
    ++counts[static_cast<std::size_t>(std::clamp(value, -kTail, kTail) + kTail)];
    sum += value;
    squares += value * value;
  }
  const ChiSquare test = chi_square(counts, probabilities);
  EXPECT_LT(test.statistic, test.limit);
  const double n = kSamples;
  EXPECT_NEAR(sum / n, 0, 6 * std::sqrt(10.5 / n));
  // The variance of a squared sample is 2 * 10.5^2 minus a little.
  EXPECT_NEAR(squares / n, 10.5, 6 * 10.5 * std::sqrt(2 / n));
}

TEST(Samplers, ErrorCountsTheBitsOfEveryWord) {
  const Seed seed = test_stream_seed();
  RandomStream expected_stream(seed, {StreamPurpose::error, 9});
  RandomStream stream(seed, {StreamPurpose::error, 9});
  rlwe::SmallPoly values(3000);  // more than one block, and no whole number of blocks
  rlwe::sample_error(values, stream);
  std::size_t done = 0;
  while (done < values.size()) {
    const auto block = expected_stream.next_block();
    for (std::size_t i = 0; i + 6 <= block.size() && done < values.size(); i += 6, ++done) {
      int expected = 0;
      for (std::size_t bit = 0; bit < 42; ++bit) {
        expected += (block[i + bit / 8] >> bit % 8 & 1) * (bit < 21 ? 1 : -1);
      }
      ASSERT_EQ(values[done], expected) << done;
    }
  }
}

class Uniform : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Uniform, IsUniformBelowTheModulus) {
  const Modulus q(GetParam());
  RandomStream stream(test_stream_seed(), {StreamPurpose::uniform, 0, q.value()});
  Words values(kSamples);
  rlwe::sample_uniform(values, q, stream);
  // Classes of equal width up to rounding; for small q every residue is a class.
  const std::uint64_t classes = std::min<std::uint64_t>(q.value(), 257);
  const auto first_of = [&](std::uint64_t index) {
    return static_cast<std::uint64_t>((static_cast<uint128_t>(index) * q.value() + classes - 1) /
                                      classes);
  };
  std::vector<std::size_t> counts(classes);
  std::vector<double> probabilities;
  for (std::uint64_t index = 0; index < classes; ++index) {
    probabilities.push_back(static_cast<double>(first_of(index + 1) - first_of(index)) /
                            static_cast<double>(q.value()));
  }
  for (const std::uint64_t value : values) {
    ASSERT_LT(value, q.value());
    ++counts[static_cast<std::size_t>(static_cast<uint128_t>(value) * classes / q.value())];
  }
  const ChiSquare test = chi_square(counts, probabilities);
  EXPECT_LT(test.statistic, test.limit);
}

// Just above a power of two half of the words are rejected, just below hardly any.
INSTANTIATE_TEST_SUITE_P(
    BothSidesOfPowersOfTwo, Uniform,
    ::testing::Values(2, 3, 5, 17, 31, 257, 65537, (std::uint64_t{1} << 32) - 5,
                      (std::uint64_t{1} << 49) + 69, (std::uint64_t{1} << 50) - 27,
                      (std::uint64_t{1} << 60) + 33, (std::uint64_t{1} << 61) - 1,
                      (std::uint64_t{1} << 62) - 57));

TEST(Samplers, LowBitsAreUniformToo) {
  const Modulus q((std::uint64_t{1} << 60) + 33);
  RandomStream stream(test_stream_seed(), {StreamPurpose::uniform, 1});
  Words values(kSamples);
  rlwe::sample_uniform(values, q, stream);
  std::vector<std::size_t> counts(256);
  for (const std::uint64_t value : values) ++counts[value % 256];
  const ChiSquare test = chi_square(counts, std::vector<double>(256, 1 / 256.0));
  EXPECT_LT(test.statistic, test.limit);
}

TEST(Samplers, SmallValuesAreLiftedToEveryPrime) {
  // Primes below a value need more than one addition.
  const RnsBasis basis(2, {Modulus(5), Modulus(13), Modulus(29), generate_ntt_primes(61, 2, 1)[0]});
  const std::array<std::size_t, 4> primes{0, 1, 2, 3};
  const auto expect_lifted = [&](std::int32_t value, const auto& write) {
    CoeffPoly poly(4, 2);
    write(poly.view_for_writing());
    for (std::size_t i = 0; i < 4; ++i) {
      const auto q = static_cast<std::int64_t>(basis[i].value());
      for (std::size_t n = 0; n < 2; ++n) {
        const std::int64_t expected = (((n == 0 ? value : -value) % q) + q) % q;
        EXPECT_EQ(poly.view().limb(i)[n], static_cast<std::uint64_t>(expected))
            << value << " " << q;
      }
    }
  };
  for (int value = -rlwe::kErrorBits; value <= rlwe::kErrorBits; ++value) {
    const std::array values{static_cast<std::int8_t>(value), static_cast<std::int8_t>(-value)};
    expect_lifted(value,
                  [&](const CoeffView& view) { rlwe::write_small(view, values, basis, primes); });
  }
  for (const std::int32_t value : {0, 1, -1, 28, 29, -30, 3999, 4000, -4000}) {
    const std::array values{value, -value};
    expect_lifted(value, [&](const CoeffView& view) {
      rlwe::write_small(view, values, 4000, basis, primes);
    });
  }
}

TEST(Samplers, CentredWordsAreThoseOfLeastAbsoluteValue) {
  for (const std::uint64_t t : Words{2, 3, 4, 17, 65537, 1ull << 59, (1ull << 60) - 1}) {
    Words words(2500);  // more than two blocks
    for (std::size_t n = 0; n < words.size(); ++n) {
      words[n] = (n % 2 == 0 ? t / 2 + n / 2 : 2 * t - 1 - n / 2 % t) % t;
    }
    std::vector<std::int64_t> result(words.size());
    rlwe::write_centred(result, words, Modulus(t));
    for (std::size_t n = 0; n < words.size(); ++n) {
      const auto word = static_cast<std::int64_t>(words[n]);
      const auto expected = 2 * words[n] >= t ? word - static_cast<std::int64_t>(t) : word;
      ASSERT_EQ(result[n], expected) << t << " " << words[n];
    }
  }
}

TEST(Samplers, EmptyRequestsAreFine) {
  RandomStream stream(test_stream_seed(), {StreamPurpose::uniform});
  rlwe::sample_uniform({}, Modulus(17), stream);
  rlwe::sample_ternary({}, stream);
  rlwe::sample_error(std::span<std::int8_t>{}, stream);
  std::array<std::uint64_t, 1> one{99};
  rlwe::sample_uniform(one, Modulus(17), stream);
  EXPECT_LT(one[0], 17u);
}

}  // namespace
}  // namespace ringlet::test
