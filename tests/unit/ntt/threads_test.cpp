// SPDX-License-Identifier: Apache-2.0
#include "support/threads.hpp"

#include "ringlet/ntt.hpp"
#include "ringlet/primes.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// One plan in many threads at once, each with vectors of its own; ThreadSanitizer watches in the
// long run.

namespace ringlet::test {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::size_t kCalls = 100;

TEST(NttThreads, ShareOnePlan) {
  for (const std::size_t degree : {2, 64, 1024}) {
    for (const int bits : {49, 61}) {
      const Modulus q = generate_ntt_primes(bits, degree, 1)[0];
      const Ntt ntt(degree, q);
      auto rng = make_rng();
      std::vector<Words> operands;
      std::vector<Words> expected;
      for (std::size_t t = 0; t < kThreads; ++t) {
        operands.push_back(mixed_values(degree, q.value(), 1, rng));
        expected.emplace_back(degree);
        ntt.forward(expected[t], operands[t]);
      }
      std::vector<std::size_t> right(kThreads);
      in_threads([&](std::size_t t) {
        const Ntt copy = ntt;  // NOLINT(performance-unnecessary-copy-initialization)
        Words words(degree);
        for (std::size_t i = 0; i < kCalls; ++i) {
          copy.forward(words, operands[t]);
          const bool forward_right = words == expected[t];
          ntt.inverse(words);
          right[t] += forward_right && words == operands[t] ? 1 : 0;
        }
      });
      EXPECT_EQ(right, std::vector<std::size_t>(kThreads, kCalls)) << degree << ", " << bits;
    }
  }
}

TEST(NttThreads, MakePlansAtTheSameTime) {
  std::vector<std::size_t> right(kThreads);
  in_threads([&](std::size_t t) {
    for (std::size_t i = 0; i < kCalls; ++i) {
      const std::size_t degree = std::size_t{2} << (t + i) % 8;
      const Ntt ntt(degree, generate_ntt_primes(30, degree, 1)[0]);
      Words words(degree);
      words[1] = 1;
      ntt.forward(words);  // of X: the root itself comes first
      right[t] += words[0] == ntt.root_of_unity() ? 1 : 0;
    }
  });
  EXPECT_EQ(right, std::vector<std::size_t>(kThreads, kCalls));
}

}  // namespace
}  // namespace ringlet::test
