// SPDX-License-Identifier: Apache-2.0
#include "arith/double_word.hpp"
#include "support/kernels/guarded_wide.hpp"
#include "support/refusal.hpp"
#include "support/release_watch.hpp"
#include "support/threads.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

constexpr std::array<WideRing, 2> kRings = {WideRing::negacyclic, WideRing::cyclic};

WideModulus general_prime() { return generate_wide_ntt_primes(124, kMaxWideNttDegree, 1).front(); }
WideModulus special_prime() { return generate_special_wide_primes(124, 1).front(); }

/// The transform of `a` matches the definition, and its inverse leads back to `a`.
void expect_definition(const WideNtt& ntt, const DoubleWords& a, bool pairs) {
  GuardedWide x(a, pairs);
  ntt.forward(x.view(), x.view());
  EXPECT_EQ(x.values(), transform_by_definition(a, ntt));
  ntt.inverse(x.view(), x.view());
  EXPECT_EQ(x.values(), a);
}

TEST(WideNtt, RefusesOtherDegrees) {
  const WideModulus q = general_prime();
  for (const std::size_t degree :
       std::vector<std::size_t>{0, 1, 8, 15, 17, 24, 1000, kMaxWideNttDegree + 16,
                                2 * kMaxWideNttDegree, ~std::size_t{0}}) {
    for (const WideRing ring : kRings) {
      const auto texts = {"degree = " + std::to_string(degree),
                          std::string("powers of two from 16 to 1048576")};
      expect_refusal_of("WideNtt", texts, [&] { WideNtt(degree, q, ring); });
      expect_refusal_of("WideNtt", texts, [&] { WideNtt(degree, q, ring, DoubleWord{1, 0}); });
    }
  }
}

TEST(WideNtt, RefusesModuliThatAreNotPrimeOrTooLong) {
  for (const WideInteger& words :
       {WideInteger{2, 0, 0}, WideInteger{0, 1, 0}, WideInteger{0, std::uint64_t{1} << 59, 0}}) {
    expect_refusal_of(
        "WideNtt",
        {"modulus = " + WideModulus(words).to_string(), ", even", "generate a wide prime"},
        [&] { WideNtt(16, WideModulus(words)); });
  }
  for (const int bits : {125, 128, 135}) {
    expect_refusal_of("WideNtt", {"of " + std::to_string(bits) + " bits", "at most 124 bits"},
                      [&] { WideNtt(16, WideModulus::largest_prime(bits)); });
  }
  // All moduli are 1 modulo 32: products of two small primes, a Carmichael number of Chernick's
  // form (6k + 1)(12k + 1)(18k + 1), and the product of the two largest such primes of 62 bits.
  const WideModulus small({97 * 193, 0, 0});
  const WideModulus square({97 * 97, 0, 0});
  const WideModulus carmichael = WideModulus::parse("6571504034962100284290022205801281");
  const WideModulus product = WideModulus::parse("21267647932558649991187565080077304993");
  for (const WideModulus& q : {small, square, carmichael, product}) {
    ASSERT_EQ(q.value()[0] % 32, 1U) << q.to_string();
    expect_refusal_of(
        "WideNtt",
        {"modulus = " + q.to_string() + ", composite", "primes", "generate a wide prime"},
        [&] { WideNtt(16, q); });
  }
}

struct NamedModulus {
  const char* decimal;
  std::size_t longest_cyclic;
};

/// The moduli of the paper's code and slides.
constexpr std::array<NamedModulus, 3> kPublished = {{
    {"21267647932558653966460912964485513157", 4},   // 2^124 - 59
    {"21267647932558653966460912964485512497", 16},  // 2^124 - 719
    {"15107846090143992465023504163010990279", 2},
}};

TEST(WideNtt, NamesTheLongestTransformOfAModulusThatHasNone) {
  for (const auto& [decimal, longest] : kPublished) {
    const WideModulus q = WideModulus::parse(decimal);
    for (const WideRing ring : kRings) {
      const bool cyclic = ring == WideRing::cyclic;
      const std::size_t own_longest = cyclic ? longest : longest / 2;
      const std::string kind = cyclic ? "cyclic" : "negacyclic";
      for (const std::size_t degree : {std::size_t{16}, std::size_t{32}, kMaxWideNttDegree}) {
        if (degree <= own_longest) {
          EXPECT_EQ(WideNtt(degree, q, ring).degree(), degree);
          continue;
        }
        expect_refusal_of(
            "WideNtt",
            {"degree = " + std::to_string(degree) + " for modulus = " + decimal,
             "longest " + kind + " transform of this modulus has length " +
                 std::to_string(own_longest),
             "1 mod " + std::to_string(cyclic ? degree : 2 * degree), "generate a wide prime"},
            [&] { WideNtt(degree, q, ring); });
      }
    }
  }
}

// Small primes too: most words of their constants are empty.
TEST(WideNtt, PrimesOfEverySizeAreTheDefinition) {
  auto rng = make_rng();
  const std::vector<WideModulus> primes = {WideModulus({97, 0, 0}), WideModulus({12289, 0, 0}),
                                           WideModulus({4293918721, 0, 0}),
                                           WideModulus({0xffffffff00000001, 0, 0})};
  for (const WideModulus& q : primes) {
    for (const WideRing ring : kRings) {
      const DoubleWords a = random_elements(16, q, rng);
      for (const std::string& kernel : wide_kernel_names(q)) {
        SCOPED_TRACE(kernel + " modulo " + q.to_string());
        const WideNtt ntt(16, q, ring, KernelSelection(kernel));
        ASSERT_EQ(ntt.kernel_name(), kernel);
        expect_definition(ntt, a, false);
      }
    }
  }
}

/// The least odd power of a root: odd powers are all elements of its order.
DoubleWord least_odd_power(const DoubleWord& root, std::size_t order, const WideModulus& q) {
  mpz_class least = to_mpz(root);
  for (std::size_t e = 1; e < order; e += 2) {
    least = std::min(least, power_modulo(to_mpz(root), e, to_mpz(q)));
  }
  return to_words<2>(least);
}

TEST(WideNtt, TheRootIsTheSmallestOfItsOrder) {
  for (const WideModulus& q : {WideModulus({97, 0, 0}), special_prime(), general_prime()}) {
    for (const std::size_t degree : {16, 64}) {
      for (const WideRing ring : kRings) {
        const std::size_t order = degree * (ring == WideRing::negacyclic ? 2 : 1);
        if (q.bit_count() < 64 && order > 32) continue;  // 97 - 1 = 3 * 32: no longer order
        const WideNtt ntt(degree, q, ring);
        EXPECT_EQ(ntt.ring(), ring);
        EXPECT_TRUE(power_modulo(to_mpz(ntt.root_of_unity()), order / 2, to_mpz(q)) ==
                    to_mpz(q) - 1)
            << "root^(order/2) is not -1";
        EXPECT_EQ(ntt.root_of_unity(), least_odd_power(ntt.root_of_unity(), order, q));
      }
    }
  }
}

TEST(WideNtt, TakesARootOfTheCallersChoiceAndRefusesOthers) {
  auto rng = make_rng();
  constexpr std::size_t kDegree = 32;
  const WideModulus q = general_prime();
  for (const WideRing ring : kRings) {
    const unsigned long order = ring == WideRing::negacyclic ? 2 * kDegree : kDegree;
    const DoubleWord smallest = WideNtt(kDegree, q, ring).root_of_unity();
    const auto power = [&](unsigned long exponent) {
      return to_words<2>(power_modulo(to_mpz(smallest), exponent, to_mpz(q)));
    };
    const WideNtt ntt(kDegree, q, ring, power(5));
    EXPECT_EQ(ntt.root_of_unity(), power(5));
    expect_definition(ntt, random_elements(kDegree, q, rng), true);

    const std::string expected_order = "order 2^" + std::to_string(std::countr_zero(order));
    for (const DoubleWord& root :
         {DoubleWord{0, 0}, DoubleWord{1, 0}, less_than_modulus(q, 1), power(2), power(order / 4),
          to_words<2>(to_mpz(smallest) + to_mpz(q)), to_words<2>(to_mpz(q)),
          DoubleWord{~std::uint64_t{0}, ~std::uint64_t{0}}}) {
      expect_refusal_of("WideNtt",
                        {"root_of_unity = " + to_mpz(root).get_str(), expected_order,
                         "modulo " + q.to_string(), "leave the root out"},
                        [&] { WideNtt(kDegree, q, ring, root); });
    }
    // This root has the order of the other ring.
    const WideRing other = ring == WideRing::cyclic ? WideRing::negacyclic : WideRing::cyclic;
    expect_refusal_of("WideNtt", {"root_of_unity = "},
                      [&] { WideNtt(kDegree, q, other, smallest); });
  }
}

/// Checks results in every layout and place, with scratch memory of the caller or of the call.
void check_places(const WideNtt& ntt, const DoubleWords& a, const DoubleWords& forward) {
  constexpr std::size_t kBeyond = 32;
  AlignedVector<std::uint64_t> scratch(ntt.scratch_words() + kBeyond, 7);
  for (const unsigned layouts : {0U, 1U, 2U, 3U}) {
    for (const std::size_t offset : {0, 1, 4, 7}) {
      const bool own_scratch = offset % 2 == 1;
      const std::span<std::uint64_t> room =
          own_scratch ? std::span<std::uint64_t>() : std::span(scratch);
      GuardedWide x(a, (layouts & 1) != 0, offset);
      GuardedWide y(DoubleWords(a.size()), (layouts & 2) != 0, 7 - offset);
      ntt.forward(y.view(), x.view(), room);
      ASSERT_EQ(y.values(), forward) << "layouts " << layouts << ", offset " << offset;
      ASSERT_EQ(x.values(), a) << "the operand was written";
      ntt.inverse(x.view(), y.view(), room);
      ASSERT_EQ(x.values(), a);
      ASSERT_EQ(y.values(), forward) << "the operand was written";
      ntt.forward(x.view(), x.view(), room);
      ASSERT_EQ(x.values(), forward) << "in place";
      ntt.inverse(y.view(), y.view(), room);
      ASSERT_EQ(y.values(), a) << "in place";
      ASSERT_TRUE(x.is_intact() && y.is_intact());
    }
  }
  for (std::size_t i = ntt.scratch_words(); i < scratch.size(); ++i) ASSERT_EQ(scratch[i], 7U);
}

TEST(WideNtt, EveryLayoutAndPlaceHasTheSameValues) {
  auto rng = make_rng();
  for (const WideModulus& q : {special_prime(), general_prime()}) {
    for (const std::size_t degree : {16, 32, 64, 128, 256, 512, 4096}) {
      const WideRing ring = degree == 64 ? WideRing::cyclic : WideRing::negacyclic;
      const DoubleWords a = random_elements(degree, q, rng);
      GuardedWide reference(a, false);
      WideNtt(degree, q, ring, KernelSelection("scalar64"))
          .forward(reference.view(), reference.view());
      for (const std::string& kernel : wide_kernel_names(q)) {
        SCOPED_TRACE(kernel + ", degree " + std::to_string(degree));
        const WideNtt ntt(degree, q, ring, KernelSelection(kernel));
        EXPECT_GT(ntt.table_bytes(), 2 * degree * sizeof(DoubleWord));
        check_places(ntt, a, reference.values());
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// The largest element with ones in its `low_bits` low bits (two limbs or one word), or q - 1.
DoubleWord full_limbs(const WideModulus& q, unsigned low_bits) {
  const uint128_t largest = join_words(q.value()[0], q.value()[1]) - 1;
  const uint128_t period = static_cast<uint128_t>(1) << low_bits;
  const uint128_t x = largest - (largest + 1) % period;
  return {low_word(x), high_word(x)};
}

/// No kernel reduces between the stages; sums grow as far as they can here.
TEST(WideNtt, HoldsSumsOfFullLimbs) {
  for (const WideModulus& q : {special_prime(), general_prime()}) {
    for (const std::size_t degree : {16, 32, 64, 128, 256, 1024}) {
      const WideNtt reference(degree, q, WideRing::negacyclic, KernelSelection("scalar64"));
      for (const unsigned low_bits : {0U, 64U, 2 * 46U, 2 * 52U}) {
        const DoubleWord full = full_limbs(q, low_bits);
        // All are full, or every other run of `run` elements: differences are as large as possible.
        for (std::size_t run = 1; run <= degree; run *= 2) {
          DoubleWords a(degree);
          for (std::size_t i = 0; i < degree; ++i) a[i] = i / run % 2 == 0 ? full : DoubleWord{};
          GuardedWide forward(a, false);
          reference.forward(forward.view(), forward.view());
          GuardedWide inverse(a, false);
          reference.inverse(inverse.view(), inverse.view());
          for (const std::string& kernel : wide_kernel_names(q)) {
            SCOPED_TRACE(kernel + ", degree " + std::to_string(degree) + ", " +
                         std::to_string(low_bits) + " low bits, runs of " + std::to_string(run));
            const WideNtt ntt(degree, q, WideRing::negacyclic, KernelSelection(kernel));
            GuardedWide x(a, false);
            ntt.forward(x.view(), x.view());
            ASSERT_EQ(x.values(), forward.values());
            ntt.inverse(x.view(), x.view());
            ASSERT_EQ(x.values(), a);
            ntt.inverse(x.view(), x.view());
            ASSERT_EQ(x.values(), inverse.values());
          }
        }
      }
    }
  }
}

TEST(WideNtt, CopiesShareTheirTablesAndOutliveTheOriginal) {
  auto rng = make_rng();
  const WideModulus q = special_prime();
  auto original = std::make_unique<WideNtt>(64, q, WideRing::cyclic);
  const WideNtt copy = *original;
  EXPECT_EQ(&copy.modulus(), &original->modulus());
  EXPECT_EQ(copy.table_bytes(), original->table_bytes());
  original.reset();
  EXPECT_EQ(copy.degree(), 64U);
  EXPECT_EQ(copy.ring(), WideRing::cyclic);
  expect_definition(copy, random_elements(64, q, rng), true);
}

TEST(WideNttThreads, ShareOnePlan) {
  auto rng = make_rng();
  for (const WideModulus& q : {special_prime(), general_prime()}) {
    for (const std::size_t degree : {16, 1024}) {
      const WideNtt ntt(degree, q);
      std::vector<DoubleWords> operands;
      std::vector<DoubleWords> expected;
      for (std::size_t t = 0; t < kThreads; ++t) {
        operands.push_back(random_elements(degree, q, rng));
        GuardedWide x(operands[t], false);
        ntt.forward(x.view(), x.view());
        expected.push_back(x.values());
      }
      SCOPED_TRACE(degree);
      expect_in_threads(40, [&](std::size_t t, std::size_t) {
        const WideNtt copy = ntt;  // NOLINT(performance-unnecessary-copy-initialization)
        GuardedWide x(operands[t], t % 2 == 0);
        copy.forward(x.view(), x.view());
        const bool forward_right = x.values() == expected[t];
        ntt.inverse(x.view(), x.view());
        return forward_right && x.values() == operands[t];
      });
    }
  }
}

TEST(WideNttThreads, MakePlansAtTheSameTime) {
  const WideModulus q = special_prime();
  expect_in_threads(20, [&](std::size_t t, std::size_t i) {
    const std::size_t degree = std::size_t{16} << (t + i) % 5;
    const WideNtt ntt(degree, q);
    DoubleWords x(degree);
    x[1] = {1, 0};
    GuardedWide words(x, i % 2 == 0);
    ntt.forward(words.view(), words.view());  // transforms X: the first value is the root itself
    return words.values()[0] == ntt.root_of_unity();
  });
}

TEST(WideNtt, ScratchMemoryOfTheCallItselfIsWiped) {
  if (!kReleasesAreWatched) GTEST_SKIP() << "ThreadSanitizer keeps its own operator delete";
  auto rng = make_rng();
  const WideModulus q = general_prime();
  for (const std::string& kernel : wide_kernel_names(q)) {
    const WideNtt ntt(1024, q, WideRing::negacyclic, KernelSelection(kernel));
    GuardedWide x(random_elements(1024, q, rng), true);
    const std::size_t bytes = ntt.scratch_words() * sizeof(std::uint64_t);
    for (const bool inverse : {false, true}) {
      release_watch().watch_next(bytes);
      inverse ? ntt.inverse(x.view(), x.view()) : ntt.forward(x.view(), x.view());
      EXPECT_EQ(release_watch().releases(), 1) << kernel;
      EXPECT_EQ(release_watch().nonzero_bytes(), 0U) << kernel;
    }
    // The watch finds memory that is not wiped: the same words in memory of the caller.
    release_watch().watch_next(bytes);
    {
      AlignedVector<std::uint64_t> scratch(ntt.scratch_words());
      ntt.forward(x.view(), x.view(), scratch);
    }
    EXPECT_EQ(release_watch().releases(), 1) << kernel;
    EXPECT_GT(release_watch().nonzero_bytes(), bytes / 2) << kernel;
  }
}

}  // namespace
}  // namespace ringlet::test
