// SPDX-License-Identifier: Apache-2.0
#include "support/threads.hpp"

#include "ringlet/arith/primes.hpp"
#include "ringlet/ntt/ntt.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// One plan in many threads at once, each with vectors of its own; ThreadSanitizer watches in the
// long run.

namespace ringlet::test {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::size_t kCalls = 50;

TEST(NttThreads, ShareOnePlan) {
  for (const std::size_t degree : {2, 64, 1024, 4096}) {
    for (const int bits : {49, 61}) {
      const Ntt ntt(degree, generate_ntt_primes(bits, degree, 1)[0]);
      auto rng = make_rng();
      // A transform, its way back, a product and sums of products.
      const auto work = [degree](const Ntt& plan, const Words& a) {
        const std::vector<Ntt::Operand> operands{a, a};
        std::vector<Words> results(5, Words(degree));
        plan.forward(results[0], a);
        plan.inverse(results[1], results[0]);
        plan.multiply(results[2], a, a);
        plan.multiply_accumulate(results[3], operands, operands);
        plan.inner_product(std::vector<Ntt::Result>{results[4]}, operands, operands);
        return results;
      };
      std::vector<Words> operands;
      std::vector<std::vector<Words>> expected;
      for (std::size_t t = 0; t < kThreads; ++t) {
        operands.push_back(mixed_values(degree, ntt.modulus().value(), 1, rng));
        expected.push_back(work(ntt, operands[t]));
      }
      std::vector<std::size_t> right(kThreads);
      in_threads([&](std::size_t t) {
        const Ntt copy = ntt;  // NOLINT(performance-unnecessary-copy-initialization)
        for (std::size_t i = 0; i < kCalls; ++i) {
          right[t] += work(i % 2 == 0 ? copy : ntt, operands[t]) == expected[t] ? 1 : 0;
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
