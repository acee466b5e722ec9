// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ntt.hpp"

#include "ringlet/aligned.hpp"
#include "ringlet/error.hpp"
#include "support/ntt_reference.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

using Words = std::vector<std::uint64_t>;

Words forward(const Ntt& ntt, const Words& a) {
  Words result(a.size());
  ntt.forward(result, a);
  return result;
}

/// True if the message of the InvalidArgument that `call` throws has all four parts.
template <typename Call>
::testing::AssertionResult refuses(Call call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    if (error.operation().empty() || error.offending().empty() || error.limit().empty() ||
        error.remedy().empty()) {
      return ::testing::AssertionFailure() << "a part is missing: " << error.what();
    }
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "accepted";
}

TEST(Ntt, EqualsTheDefinitionForEveryKernelAndSmallDegree) {
  for (const std::string& kernel : ntt_kernel_names().available) {
    const std::string table = kernel.substr(0, kernel.find('/'));
    for (std::size_t degree = 2; degree <= 256; degree *= 2) {
      const Modulus q = generate_ntt_primes(30, degree, 1)[0];
      const Ntt ntt(degree, q, KernelSelection(table));
      auto rng = make_rng(degree);
      const Words a = mixed_values(degree, q.value(), 1, rng);
      const Words result = forward(ntt, a);
      for (std::size_t i = 0; i < degree; ++i) {
        ASSERT_EQ(result[i], ntt_value(a, i, ntt.root_of_unity(), q))
            << ntt.kernel_name() << " N = " << degree << " i = " << i;
      }
    }
  }
}

TEST(Ntt, EveryMissingKernelIsReported) {
  const NttKernelNames names = ntt_kernel_names();
  ASSERT_GE(names.available.size(), 1U);
  if (!names.missing.empty()) {
    std::string list;
    for (const std::string& kernel : names.missing) list += " " + kernel;
    GTEST_SKIP() << "this processor cannot run:" << list;
  }
}

TEST(Ntt, TakesPrimesUpToItsLimitAndRefusesThoseAbove) {
  for (const std::size_t degree : {std::size_t{2}, std::size_t{1024}, kMaxNttDegree}) {
    const std::uint64_t limit = std::uint64_t{1} << kMaxNttModulusBits;
    const std::uint64_t below = ntt_prime_next_to(limit, degree, true);
    const std::uint64_t above = ntt_prime_next_to(limit, degree, false);
    EXPECT_EQ(Ntt(degree, below).modulus().value(), below);
    EXPECT_TRUE(refuses([&] { Ntt(degree, above); }));
    const std::uint64_t largest = ntt_prime_next_to(std::uint64_t{1} << 63, degree, true);
    EXPECT_TRUE(refuses([&] { Ntt(degree, largest); })) << "63 bits";
  }
}

TEST(Ntt, EveryKernelTakesPrimesBelowItsLimitAndRefusesThoseAbove) {
  const std::size_t degree = 1024;
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.operation != "ntt" || !info.available) continue;
    const std::string name = info.table + "/" + info.algorithm;
    const Modulus below = ntt_prime_next_to(info.modulus_limit, degree, true);
    const Modulus above = ntt_prime_next_to(info.modulus_limit, degree, false);
    EXPECT_EQ(Ntt(degree, below, KernelSelection(name)).kernel_name(), name);
    EXPECT_TRUE(refuses([&] { Ntt(degree, above, KernelSelection(name)); })) << name;
    if (above.bit_count() > kMaxNttModulusBits) continue;
    EXPECT_NE(Ntt(degree, above, KernelSelection(info.table)).kernel_name(), name)
        << "the table alone falls back to a lower one";
  }
}

TEST(Ntt, RefusesEveryUnusableDegreeAndModulus) {
  const Modulus q = generate_ntt_primes(40, 4096, 1)[0];
  for (const std::size_t degree : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{12},
                                   std::size_t{4095}, 2 * kMaxNttDegree, ~std::size_t{0}}) {
    EXPECT_TRUE(refuses([&] { Ntt(degree, q); })) << degree;
  }
  EXPECT_TRUE(refuses([&] { Ntt(8, Modulus(2)); }));
  EXPECT_TRUE(refuses([&] { Ntt(8, Modulus(1ULL << 40)); })) << "even";
  EXPECT_TRUE(refuses([&] { Ntt(8, Modulus(17 * 97)); })) << "composite, 1 mod 16";
  EXPECT_TRUE(refuses([&] { Ntt(8, Modulus(19)); })) << "prime, 3 mod 16";
  EXPECT_TRUE(refuses([&] { Ntt(16, Modulus(17)); })) << "prime, 1 mod 16 but not 1 mod 32";
  EXPECT_NO_THROW(Ntt(8, Modulus(17)));
}

TEST(Ntt, TakesARootOfTheCallersChoiceAndRefusesOthers) {
  const std::size_t degree = 64;
  const Modulus q = generate_ntt_primes(40, degree, 1)[0];
  const std::uint64_t smallest = minimal_primitive_root(2 * degree, q);
  EXPECT_EQ(Ntt(degree, q).root_of_unity(), smallest);
  const std::uint64_t other = pow_mod(smallest, 5, q);
  const Ntt ntt(degree, q, other);
  EXPECT_EQ(ntt.root_of_unity(), other);
  auto rng = make_rng();
  const Words a = random_residues(degree, q.value(), rng);
  const Words result = forward(ntt, a);
  for (std::size_t i = 0; i < degree; ++i) ASSERT_EQ(result[i], ntt_value(a, i, other, q));
  Words back(degree);
  ntt.inverse(back, result);
  EXPECT_EQ(back, a);
  for (const std::uint64_t root : {std::uint64_t{0}, std::uint64_t{1}, q.value() - 1,
                                   pow_mod(smallest, 2, q), q.value(), smallest + q.value()}) {
    EXPECT_TRUE(refuses([&] { Ntt(degree, q, root); })) << root;
  }
}

TEST(Ntt, RefusesUnusableBuffersAndLeavesThemAlone) {
  const std::size_t degree = 64;
  const Modulus q = generate_ntt_primes(40, degree, 1)[0];
  const Ntt ntt(degree, q);
  auto rng = make_rng();
  const Words original = random_residues(2 * degree, q.value(), rng);
  Words words = original;
  const std::span<std::uint64_t> all(words);
  const auto whole = all.first(degree);
  std::uint64_t* const none = nullptr;
  const auto refuses_both = [&](std::span<std::uint64_t> result, std::span<std::uint64_t> operand) {
    return refuses([&] { ntt.forward(result, operand); }) &&
           refuses([&] { ntt.inverse(result, operand); });
  };
  EXPECT_TRUE(refuses_both(all.first(degree - 1), whole));
  EXPECT_TRUE(refuses_both(whole, all.first(degree + 1)));
  EXPECT_TRUE(refuses_both(whole, all.first(0)));
  EXPECT_TRUE(refuses_both({none, degree}, whole));
  EXPECT_TRUE(refuses_both(whole, {none, degree}));
  EXPECT_TRUE(refuses_both(all.subspan(1, degree), whole)) << "overlap from above";
  EXPECT_TRUE(refuses_both(whole, all.subspan(degree - 1, degree))) << "overlap from below";
  auto* const odd = reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(words.data()) + 4);
  EXPECT_TRUE(refuses_both({odd, degree}, all.subspan(degree, degree)));
  EXPECT_EQ(words, original);
  EXPECT_NO_THROW(ntt.forward(whole, all.subspan(degree, degree)));
}

TEST(Ntt, RefusesOtherRangeFactors) {
  const Ntt ntt(16, Modulus(97));
  Words words(16, 5);
  for (const int factor : {-1, 0, 3, 5, 32}) {
    EXPECT_TRUE(refuses([&] { ntt.forward(words, words, factor, 1); })) << factor;
    EXPECT_TRUE(refuses([&] { ntt.forward(words, words, 1, factor); })) << factor;
    EXPECT_TRUE(refuses([&] { ntt.inverse(words, words, factor, 1); })) << factor;
    EXPECT_TRUE(refuses([&] { ntt.inverse(words, words, 1, factor); })) << factor;
  }
  EXPECT_TRUE(refuses([&] { ntt.forward(words, words, 8, 1); }));
  EXPECT_TRUE(refuses([&] { ntt.forward(words, words, 1, 2); }));
  EXPECT_TRUE(refuses([&] { ntt.inverse(words, words, 4, 1); }));
  EXPECT_TRUE(refuses([&] { ntt.inverse(words, words, 1, 4); }));
  EXPECT_EQ(words, Words(16, 5));
}

TEST(Ntt, CopiesShareTheirTablesAndOutliveTheOriginal) {
  auto original = std::make_unique<Ntt>(1024, generate_ntt_primes(49, 1024, 1)[0]);
  const Ntt copy = *original;
  EXPECT_EQ(copy.table_bytes(), original->table_bytes());
  auto rng = make_rng();
  const Words a = random_residues(1024, copy.modulus().value(), rng);
  const Words expected = forward(*original, a);
  original.reset();
  EXPECT_EQ(forward(copy, a), expected);
}

TEST(Ntt, OnePlanServesManyThreads) {
  const Ntt ntt(4096, generate_ntt_primes(49, 4096, 1)[0]);
  auto rng = make_rng();
  const Words a = random_residues(4096, ntt.modulus().value(), rng);
  const Words expected = forward(ntt, a);
  std::vector<int> equal(4, 0);
  std::vector<std::thread> threads;
  for (int& count : equal) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) count += forward(ntt, a) == expected ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, std::vector<int>(4, 50));
}

}  // namespace
}  // namespace ringlet::test
