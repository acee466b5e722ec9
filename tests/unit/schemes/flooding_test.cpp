// SPDX-License-Identifier: Apache-2.0
// The noise of results for sharing: its table against GMP, samples against the definition in big
// integers, and the distribution against the discrete Gaussian.
#include "schemes/sharing/flooding.hpp"

#include "support/reference/big_integer.hpp"
#include "unit/rlwe/rlwe_support.hpp"

namespace ringlet::test {
namespace {

using schemes::FloodingDistribution;
using schemes::FloodingNoise;
using schemes::kFloodingBound;
using schemes::kFloodingTable;

rlwe::Seed seed_of(std::uint64_t number) { return rlwe::Seed(RandomSource::for_testing(number)); }

// exp(-k^2 / (2 * 7.25^2)) = (e^(-8/841))^(k^2) for k = 0, 1, ..., times 2^700.
std::vector<Integer> gaussian_weights(std::size_t count) {
  constexpr int kBits = 700;
  Integer base = Integer(1) << kBits;
  Integer term = base;
  std::vector<Integer> weights{base};
  for (std::uint64_t n = 1; n < 200; ++n) {
    term = -(term * Integer(8) / Integer(841 * n));
    base = base + term;
  }
  const Integer square = base * base >> kBits;
  for (Integer ratio = base; weights.size() < count; ratio = ratio * square >> kBits) {
    weights.push_back(weights.back() * ratio >> kBits);
  }
  return weights;
}

Integer number_of(const std::array<std::uint64_t, schemes::kThresholdWords>& words) {
  Integer number;
  for (std::size_t w = words.size(); w-- > 0;) number = (number << 63) + Integer(words[w]);
  return number;
}

TEST(Flooding, TheTableIsTheCumulativeDistributionToTheLastBit) {
  const std::vector<Integer> weights = gaussian_weights(400);
  Integer total = -weights[0];
  for (const Integer& weight : weights) total = total + weight + weight;
  Integer sum = -weights[0];
  for (std::size_t k = 0; k < kFloodingBound; ++k) {
    sum = sum + weights[k] + weights[k];
    EXPECT_EQ(((sum << 190) + total) / (total << 1), number_of(kFloodingTable[k])) << "entry " << k;
  }
}

// Counts the thresholds that a sample reaches, by GMP.
int base_sample(std::span<const std::uint8_t> bytes) {
  std::array<std::uint64_t, schemes::kThresholdWords> words{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    words[i / 8] |= std::uint64_t{bytes[i]} << (8 * (i % 8));
  }
  const bool is_negative = words[0] >> 63 != 0;
  for (auto& word : words) word &= (std::uint64_t{1} << 63) - 1;
  const Integer u = number_of(words);
  int magnitude = 0;
  for (const auto& threshold : kFloodingTable) {
    if (u >= number_of(threshold)) ++magnitude;
  }
  return is_negative ? -magnitude : magnitude;
}

TEST(Flooding, BaseSamplesAreTheirDefinition) {
  const rlwe::Seed seed = seed_of(test_seed());
  const rlwe::StreamLabel label{rlwe::StreamPurpose::flooding, 3};
  for (const std::size_t count : {0u, 1u, 7u, 8u, 9u, 255u, 256u, 257u, 1000u}) {
    rlwe::RandomStream stream(seed, label);
    std::vector<std::int8_t> values(count + 1, 99);
    schemes::sample_flooding_base(std::span(values).first(count), stream);
    EXPECT_EQ(values[count], 99) << "beyond the end";
    rlwe::RandomStream again(seed, label);
    for (std::size_t i = 0; i < count;) {
      const auto block = again.next_block();
      for (std::size_t at = 0; at < block.size() && i < count; at += 24, ++i) {
        ASSERT_EQ(values[i], base_sample(block.subspan(at, 24))) << "sample " << i;
      }
    }
  }
}

// The bytes of an integer below 2^189 and a sign, as words.
std::vector<std::uint8_t> bytes_of(const Integer& number, bool is_negative) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t w = 0; w < schemes::kThresholdWords; ++w) {
    const Integer low = (number >> static_cast<int>(63 * w)) % (Integer(1) << 63);
    const std::uint64_t sign = w == 0 && is_negative ? std::uint64_t{1} << 63 : 0;
    const std::uint64_t word = mpz_get_ui(low.get()) | sign;
    for (int shift = 0; shift < 64; shift += 8) {
      bytes.push_back(static_cast<std::uint8_t>(word >> shift));
    }
  }
  return bytes;
}

// Random words reach no threshold exactly and never the last ones. These words equal a threshold,
// are one less, or differ from it only in the middle or high word.
TEST(Flooding, EveryThresholdIsMetExactly) {
  for (std::size_t k = 0; k < kFloodingBound; ++k) {
    for (const bool is_negative : {false, true}) {
      std::vector<std::uint8_t> bytes;
      std::vector<int> expected;
      for (const int bit : {0, 63, 126}) {
        const Integer at = number_of(kFloodingTable[k]);
        for (const Integer& number : {at, at - (Integer(1) << bit)}) {
          const auto more = bytes_of(number, is_negative);
          bytes.insert(bytes.end(), more.begin(), more.end());
          expected.push_back(base_sample(more));
        }
      }
      EXPECT_EQ(std::abs(expected[0]), static_cast<int>(k) + 1);
      EXPECT_EQ(std::abs(expected[1]), static_cast<int>(k));
      EXPECT_EQ(expected[0] < 0, is_negative);
      bytes.resize(schemes::kFloodingLanes * schemes::kFloodingSampleBytes);
      std::vector<std::int8_t> samples(expected.size());
      schemes::flooding_base_from(samples, bytes);
      EXPECT_EQ(std::vector<int>(samples.begin(), samples.end()), expected) << "threshold " << k;
    }
  }
}

Integer weight_of(const schemes::FloodingWeight& weight) {
  return Integer(weight.mantissa) << static_cast<int>(weight.shift);
}

double square_of(const Integer& weight) { return mpz_get_d((weight * weight).get()); }

TEST(Flooding, DeviationsAreMetAndWeightsAreSmoothEnough) {
  std::vector<double> wanted{
      1, 7.25, std::nextafter(7.25, 8), 10, 14, 29, 30, 31, 1000.5, 0x1p20, 0x1.8p60 * 7, 0x1p240};
  for (double bits = 3; bits < 240; bits += 0.37) wanted.push_back(std::exp2(bits));
  for (const double deviation : wanted) {
    SCOPED_TRACE(deviation);
    const FloodingDistribution distribution(deviation);
    const auto& weights = distribution.weights();
    double sum = 0;
    for (std::size_t j = 0; j + 1 < weights.size(); ++j) {
      ASSERT_EQ(weights[j].mantissa, 1u);
      ASSERT_EQ(weights[j].shift, 2 * static_cast<int>(j));
      sum += square_of(weight_of(weights[j]));
    }
    // The parameter of the sum over multiples of the last weight, in units of this weight.
    const double last = std::sqrt(square_of(weight_of(weights.back())));
    EXPECT_GE(last, 1);
    if (weights.size() > 1) {
      const double low = 7.25 * std::sqrt(sum);
      EXPECT_GE(low * 7.25 / std::hypot(low, last * 7.25), 1.7583);
      EXPECT_LE(last, std::exp2(2.0 * static_cast<double>(weights.size() - 1)));
    }
    sum += last * last;
    EXPECT_NEAR(distribution.deviation() / (7.25 * std::sqrt(sum)), 1, 1e-14);
    EXPECT_GE(distribution.deviation(), deviation * (1 - 1e-14));
    if (deviation > 30) {
      EXPECT_LE(distribution.deviation(), deviation * (1 + 1 / last + 0x1p-29));
    }
  }
}

// GMP computes the sum of weight times sample over all terms.
TEST(Flooding, ResiduesAreThoseOfTheWeightedSum) {
  for (const double deviation : {1.0, 11.0, 0x1.3p33, 0x1.7p125, 0x1p240}) {
    const FloodingDistribution distribution(deviation);
    const std::size_t count = 77;
    const rlwe::Seed seed = seed_of(test_seed() + 5);
    const FloodingNoise noise(distribution, count, seed);
    std::vector<Integer> sums(count);
    for (std::size_t j = 0; j < distribution.weights().size(); ++j) {
      rlwe::RandomStream stream(seed, {rlwe::StreamPurpose::flooding, j});
      std::vector<std::int8_t> term(count);
      schemes::sample_flooding_base(term, stream);
      const Integer weight = weight_of(distribution.weights()[j]);
      for (std::size_t i = 0; i < count; ++i) {
        sums[i] = sums[i] + weight * Integer::of(term[i]);
      }
    }
    for (const int bits : {14, 30, 49, 50, 60, 61}) {
      const Modulus q = generate_ntt_primes(bits, 64, 1).front();
      Words residues(count);
      noise.write(residues, q);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(residues[i], sums[i].residue(q.value())) << bits << " bits, sample " << i;
      }
    }
  }
}

/// Samples of a deviation below 2^50, as integers.
std::vector<std::int64_t> samples_of(const FloodingDistribution& distribution, std::size_t count,
                                     std::uint64_t number) {
  const Modulus q = generate_ntt_primes(61, 64, 1).front();
  Words residues(count);
  FloodingNoise(distribution, count, seed_of(number)).write(residues, q);
  std::vector<std::int64_t> samples(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<std::int64_t>(residues[i]);
    samples[i] = residues[i] > q.value() / 2 ? value - static_cast<std::int64_t>(q.value()) : value;
  }
  return samples;
}

// All moments are within six deviations of those of normal samples.
TEST(Flooding, MomentsAreThoseOfAGaussian) {
  const std::size_t count = scaled(1000000);
  const double n = static_cast<double>(count);
  for (const double wanted : {7.25, 8.0, 25.0, 1000.0, 0x1.4p20, 0x1.1p45}) {
    SCOPED_TRACE(wanted);
    const FloodingDistribution distribution(wanted);
    const double deviation = distribution.deviation();
    const auto samples = samples_of(distribution, count, test_seed() + 7);
    std::array<double, 5> moments{};  // of order 0 to 4
    double neighbours = 0;
    double last = 0;
    for (const std::int64_t sample : samples) {
      const double x = static_cast<double>(sample) / deviation;
      double power = 1 / n;
      for (double& moment : moments) {
        moment += power;
        power *= x;
      }
      neighbours += x * last / n;
      last = x;
    }
    EXPECT_NEAR(moments[1], 0, 6 / std::sqrt(n));
    EXPECT_NEAR(moments[2], 1, 6 * std::sqrt(2 / n));
    EXPECT_NEAR(moments[3], 0, 6 * std::sqrt(15 / n));
    EXPECT_NEAR(moments[4], 3, 6 * std::sqrt(96 / n));
    EXPECT_NEAR(neighbours, 0, 6 / std::sqrt(n));
  }
}

// Each integer is as frequent as in the discrete Gaussian, also between the multiples of a weight:
// a sum that is not smooth would prefer or avoid these.
TEST(Flooding, IntegersAreAsFrequentAsTheDiscreteGaussianHasThem) {
  const std::size_t count = scaled(1000000);
  for (const double wanted : {7.25, 10.2, 14.0, 29.0, 60.0}) {
    SCOPED_TRACE(wanted);
    const FloodingDistribution distribution(wanted);
    const double deviation = distribution.deviation();
    const auto limit = static_cast<std::int64_t>(3.5 * deviation);
    // The last count is for all samples outside.
    std::vector<std::size_t> found(static_cast<std::size_t>(2 * limit + 2));
    for (const std::int64_t sample : samples_of(distribution, count, test_seed() + 11)) {
      ++(std::abs(sample) > limit ? found.back() : found[static_cast<std::size_t>(sample + limit)]);
    }
    const auto weight = [&](std::int64_t k) {
      const double x = static_cast<double>(k) / deviation;
      return std::exp(-x * x / 2);
    };
    double total = 0;
    for (std::int64_t k = -20 * limit; k <= 20 * limit; ++k) total += weight(k);
    std::vector<double> probabilities;
    for (std::int64_t k = -limit; k <= limit; ++k) probabilities.push_back(weight(k) / total);
    probabilities.push_back(1 - std::accumulate(probabilities.begin(), probabilities.end(), 0.0));
    const auto freedom = static_cast<double>(2 * limit + 1);
    EXPECT_NEAR(chi_square(found, probabilities).statistic, freedom, 7 * std::sqrt(2 * freedom));
  }
}

TEST(Flooding, SamplesFollowFromTheSeedAlone) {
  const FloodingDistribution distribution(0x1p30);
  const auto first = samples_of(distribution, 1000, 1);
  EXPECT_EQ(first, samples_of(distribution, 1000, 1));
  const auto other = samples_of(distribution, 1000, 2);
  EXPECT_LE(std::inner_product(first.begin(), first.end(), other.begin(), 0, std::plus<>(),
                               std::equal_to<>()),
            1);
}

}  // namespace
}  // namespace ringlet::test
