// SPDX-License-Identifier: Apache-2.0
#include "support/threads.hpp"

#include "ringlet/eltwise.hpp"
#include "support/eltwise_sample.hpp"
#include "support/test.hpp"

// One plan in many threads at once, each with vectors of its own; ThreadSanitizer watches in the
// long run.

namespace ringlet::test {
namespace {

constexpr std::size_t kCalls = 200;

TEST(EltwiseThreads, ShareOnePlan) {
  for (const std::uint64_t q : {(std::uint64_t{1} << 49) - 69, (std::uint64_t{1} << 61) - 1}) {
    const Eltwise eltwise(q);
    for (const std::string operation : kEltwiseNames) {
      std::vector<EltwiseSample> samples;
      std::vector<Words> expected;
      auto rng = make_rng();
      for (std::size_t t = 0; t < kThreads; ++t) {
        const auto factors = factors_of(operation, q);
        samples.emplace_back(operation, 100 + t, q, factors[t % factors.size()], rng);
        expected.push_back(expected_by_flint(operation, samples[t].operands(), q));
      }
      std::vector<std::size_t> right(kThreads);
      in_threads([&](std::size_t t) {
        const EltwiseOperands operands = samples[t].operands();
        for (std::size_t i = 0; i < kCalls; ++i) {
          right[t] += run_eltwise(eltwise, operation, operands) == expected[t] ? 1 : 0;
        }
      });
      EXPECT_EQ(right, std::vector<std::size_t>(kThreads, kCalls)) << operation << ", q = " << q;
    }
  }
}

TEST(EltwiseThreads, MakePlansAndReadTheCatalogAtTheSameTime) {
  const std::size_t kernels = kernel_catalog().size();
  std::vector<std::size_t> right(kThreads);
  in_threads([&](std::size_t t) {
    Words words(33, 5);
    for (std::size_t i = 0; i < kCalls; ++i) {
      const std::uint64_t q = 97 + t + i;
      const Eltwise eltwise{Modulus(q)};
      const Eltwise copy = eltwise;  // NOLINT(performance-unnecessary-copy-initialization)
      copy.multiply(words, words, words);
      const bool same = words == Words(33, 25 % q) && kernel_catalog().size() == kernels;
      right[t] += same ? 1 : 0;
      words.assign(33, 5);
    }
  });
  EXPECT_EQ(right, std::vector<std::size_t>(kThreads, kCalls));
}

}  // namespace
}  // namespace ringlet::test
