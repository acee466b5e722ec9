// SPDX-License-Identifier: Apache-2.0
// Estimates by known messages leave no trace of these in released memory.

#include "ringlet/estimates/noise_estimator.hpp"
#include "support/circuits/circuit_sets.hpp"
#include "support/circuits/trace_watch.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

using Doubles = std::vector<double>;

constexpr std::size_t kDegree = 1024;
constexpr std::uint64_t kPlainModulus = 65537;

EncryptionParameters parameters(SchemeType scheme) {
  return shaped_parameters(scheme, kDegree, {{50, 50, 50}, {51}}, kPlainModulus);
}

Words random_message() {
  std::mt19937_64 rng(test_seed());
  return random_residues(kDegree, kPlainModulus, rng);
}

// factor * m in (-t/2, t/2].
Doubles lifted(const Words& message, std::uint64_t factor) {
  Doubles result;
  for (const std::uint64_t word : message) {
    const auto residue = static_cast<std::int64_t>(word * factor % kPlainModulus);
    const auto t = static_cast<std::int64_t>(kPlainModulus);
    result.push_back(static_cast<double>(2 * residue > t ? residue - t : residue));
  }
  return result;
}

// t * round(q/t * m) - q * m, a residue of -q * m modulo t in [-t/2, t/2].
Doubles scaling_errors(const Words& message, const EncryptionParameters& parms) {
  std::uint64_t q = 1;
  for (const Modulus& prime : parms.data_primes()) {
    q = q * (prime.value() % kPlainModulus) % kPlainModulus;
  }
  return lifted(message, kPlainModulus - q);
}

using EstimatesWiping = WipingTest;

TEST_F(EstimatesWiping, TheWatchSeesWordsAndNumbers) {
  const Words message = random_message();
  const Doubles numbers = lifted(message, 1);
  EXPECT_EQ(traces({pattern_of(message), pattern_of(numbers)},
                   [&] {
                     for (int i = 0; i < 5; ++i) {
                       Words words = message;
                       asm volatile("" : : "r"(words.data()) : "memory");
                     }
                     Doubles copy = numbers;
                     asm volatile("" : : "r"(copy.data()) : "memory");
                   }),
            6U);
}

TEST_F(EstimatesWiping, KnownMessages) {
  const Words message = random_message();
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    const EncryptionParameters parms = parameters(scheme);
    const NoiseEstimator estimator(parms);
    const NoiseEstimate zero = estimator.encrypt_zero();
    const NoiseEstimate switched = estimator.mod_switch_to_next(zero);
    Patterns patterns{pattern_of(message), pattern_of(lifted(message, 1)),
                      pattern_of(lifted(message, switched.correction_factor()))};
    if (scheme == SchemeType::bfv) {
      patterns.push_back(pattern_of(scaling_errors(message, parms)));
    } else {
      EXPECT_NE(switched.correction_factor(), 1U) << "the third pattern is one of its own";
    }
    EXPECT_EQ(traces(std::move(patterns),
                     [&] {
                       PlainEstimate plain = estimator.known_plain(message);
                       const PlainEstimate copy = plain;
                       estimator.encrypt(copy);
                       estimator.add_plain(zero, plain);
                       estimator.add_plain(switched, plain);
                       estimator.multiply_plain(zero, plain);
                       plain = estimator.uniform_plain();
                     }),
              0U);
  }
}

// The transform of a constant is that constant at every root.
TEST_F(EstimatesWiping, ValuesAtTheRoots) {
  const std::uint64_t constant = 30103;
  const Doubles values{static_cast<double>(constant), 0, static_cast<double>(constant), 0};
  const std::span<const double> all(values);
  Patterns patterns(1, std::vector<std::uint8_t>(all.size_bytes()));
  std::memcpy(patterns[0].data(), all.data(), all.size_bytes());
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    const NoiseEstimator estimator(parameters(scheme));
    EXPECT_EQ(traces(patterns,
                     [&] {
                       const PlainEstimate plain = estimator.known_plain({&constant, 1});
                       estimator.add_plain(estimator.encrypt_zero(), plain);
                     }),
              0U);
  }
}

}  // namespace
}  // namespace ringlet::test
