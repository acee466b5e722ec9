// SPDX-License-Identifier: Apache-2.0
#include <cfenv>

#include "support/kernels/guarded_wide.hpp"
#include "support/memcheck.hpp"
#include "support/reference/wide_vectors.hpp"
#include "support/refusal.hpp"
#include "support/threads.hpp"
#include "support/values.hpp"
#include "wide_support.hpp"

// Element-wise operations on double words: lengths, layouts, places in memory and moduli.
// tests/property/ntt_wide.cpp checks millions of elements.

namespace ringlet::test {
namespace {

constexpr std::size_t kLongest = 40;

DoubleWords expected_of(const WideOperation& operation, const DoubleWords& a, const DoubleWords& b,
                        const WideModulus& q) {
  DoubleWords result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const mpz_class value = operation.reference(to_mpz(a[i]), to_mpz(b[i]));
    result.push_back(to_words<2>(modulo(value, to_mpz(q))));
  }
  return result;
}

DoubleWords prefix(const DoubleWords& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// Edges first, then random elements.
DoubleWords mixed_elements(const WideModulus& q, std::mt19937_64& rng) {
  DoubleWords values = random_elements(kLongest, q, rng);
  const DoubleWords edges = edge_elements(q);
  std::copy_n(edges.begin(), std::min(edges.size(), kLongest / 2), values.begin());
  std::shuffle(values.begin(), values.end(), rng);
  return values;
}

/// One modulus of each kind that a kernel may treat differently; the scalar is below all of them.
std::vector<WideModulus> sample_moduli() {
  return {generate_special_wide_primes(124, 1).front(),
          generate_wide_ntt_primes(124, 16, 1).front(), WideModulus::largest_prime(100),
          WideModulus::largest_prime(64)};
}

TEST(WideEltwise, EveryLengthAroundTheLanesInEveryLayoutAndPlace) {
  auto rng = make_rng();
  for (const WideModulus& q : sample_moduli()) {
    const DoubleWords a = mixed_elements(q, rng);
    const DoubleWords b = mixed_elements(q, rng);
    for (const WideOperation& operation : wide_operations()) {
      const DoubleWords expected = expected_of(operation, a, b, q);
      const DoubleWords expected_same = expected_of(operation, a, a, q);
      for (const std::string& kernel : wide_kernel_names(q)) {
        SCOPED_TRACE(kernel + " " + operation.name + " modulo " + q.to_string());
        const WideEltwise eltwise(q, KernelSelection(kernel));
        for (std::size_t count = 0; count <= kLongest; ++count) {
          for (const unsigned layouts : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U}) {
            GuardedWide x(prefix(a, count), (layouts & 1) != 0, count % 3);
            GuardedWide y(prefix(b, count), (layouts & 2) != 0, count % 5);
            GuardedWide z(DoubleWords(count), (layouts & 4) != 0, count % 7);
            operation.call(eltwise, z.view(), x.view(), y.view());
            ASSERT_EQ(z.values(), prefix(expected, count)) << count << ", layouts " << layouts;
            ASSERT_EQ(x.values(), prefix(a, count)) << "an operand was written";
            ASSERT_EQ(y.values(), prefix(b, count)) << "an operand was written";
            GuardedWide w = x;
            operation.call(eltwise, w.view(), w.view(), y.view());
            ASSERT_EQ(w.values(), prefix(expected, count)) << "result = a, " << count;
            operation.call(eltwise, y.view(), x.view(), y.view());
            ASSERT_EQ(y.values(), prefix(expected, count)) << "result = b, " << count;
            operation.call(eltwise, x.view(), x.view(), x.view());
            ASSERT_EQ(x.values(), prefix(expected_same, count)) << "result = a = b, " << count;
            for (const GuardedWide& vector : {x, y, z, w}) ASSERT_TRUE(vector.is_intact()) << count;
          }
        }
      }
    }
  }
}

TEST(WideEltwise, DotOfEveryLengthAroundTheLanes) {
  auto rng = make_rng();
  for (const WideModulus& q : sample_moduli()) {
    const DoubleWords a = mixed_elements(q, rng);
    const DoubleWords b = mixed_elements(q, rng);
    for (const std::string& kernel : wide_kernel_names(q)) {
      SCOPED_TRACE(kernel + " modulo " + q.to_string());
      const WideEltwise eltwise(q, KernelSelection(kernel));
      mpz_class sum;
      for (std::size_t count = 0; count <= kLongest; ++count) {
        for (const bool pairs : {false, true}) {
          GuardedWide x(prefix(a, count), pairs, count % 3);
          GuardedWide y(prefix(b, count), !pairs, count % 5);
          ASSERT_EQ(eltwise.dot(x.view(), y.view()), to_words<2>(sum)) << count;
        }
        if (count < kLongest) sum = (sum + to_mpz(a[count]) * to_mpz(b[count])) % to_mpz(q);
      }
    }
  }
}

TEST(WideEltwise, NoElementsNeedNoMemory) {
  const WideEltwise eltwise(WideModulus::largest_prime(124));
  const std::span<std::uint64_t> none;
  for (const WideOperation& operation : wide_operations()) {
    EXPECT_NO_THROW(
        operation.call(eltwise, WideResult(none), WideOperand(none), WideOperand(none)));
    EXPECT_NO_THROW(operation.call(eltwise, WideResult(none, none), WideOperand(none, none),
                                   WideOperand(none)));
  }
  EXPECT_EQ(eltwise.dot(WideOperand(none), WideOperand(none, none)), (DoubleWord{0, 0}));
  EXPECT_NO_THROW(eltwise.check(WideOperand(none)));
}

// Operands may overlap each other in any way.
TEST(WideEltwise, OperandsMayOverlapEachOther) {
  const WideModulus q = WideModulus::largest_prime(124);
  for (const std::string& kernel : wide_kernel_names(q)) {
    const WideEltwise eltwise(q, KernelSelection(kernel));
    AlignedVector<std::uint64_t> words(33);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = i;
    const std::span<const std::uint64_t> all(words);
    GuardedWide sum(DoubleWords(16), false);
    eltwise.add(sum.view(), WideOperand(all.first(32)), WideOperand(all.subspan(1, 32)));
    for (std::size_t i = 0; i < 16; ++i) {
      EXPECT_EQ(sum.values()[i], (DoubleWord{4 * i + 1, 4 * i + 3})) << kernel;
    }
    eltwise.add(sum.view(), WideOperand(all.first(16), all.first(16)),
                WideOperand(all.subspan(8, 16), all.subspan(1, 16)));
    for (std::size_t i = 0; i < 16; ++i) {
      EXPECT_EQ(sum.values()[i], (DoubleWord{2 * i + 8, 2 * i + 1})) << kernel;
    }
  }
}

TEST(WideEltwise, CheckNamesTheFirstElementThatIsNotReduced) {
  const WideModulus q = WideModulus::parse("21267647932558653966460912964485512497");
  const WideEltwise eltwise(q);
  const DoubleWord modulus = {q.value()[0], q.value()[1]};
  for (const bool pairs : {false, true}) {
    DoubleWords values(11, less_than_modulus(q, 1));
    EXPECT_NO_THROW(eltwise.check(GuardedWide(values, pairs, 1).view()));
    const auto refuses = [&](std::initializer_list<std::string> texts) {
      expect_refusal_of("WideEltwise::check", texts,
                        [&] { eltwise.check(GuardedWide(values, pairs, 1).view()); });
    };
    values[10] = {0, q.value()[1] + 1};
    refuses({"a[10] = 21267647932558653966460912964485513216"});
    values[7] = modulus;
    values[8] = {~std::uint64_t{0}, ~std::uint64_t{0}};
    refuses({"a[7] = " + q.to_string(), "below the modulus " + q.to_string(),
             "reduce the vector first"});
    values[0] = values[8];
    refuses({"a[0] = 340282366920938463463374607431768211455"});
  }
}

TEST(WideEltwise, TakesTheModuliOnItsLimitsAndRefusesThoseOutside) {
  EXPECT_EQ(WideEltwise(WideModulus({3, 0, 0})).modulus(), WideModulus({3, 0, 0}));
  const WideModulus largest({~std::uint64_t{0}, (std::uint64_t{1} << 60) - 1, 0});
  EXPECT_EQ(largest.bit_count(), 124);
  EXPECT_EQ(WideEltwise(largest).modulus(), largest);
  expect_refusal("value = 0", [] { WideEltwise{WideModulus({0, 0, 0})}; });
  expect_refusal("value = 1", [] { WideEltwise{WideModulus({1, 0, 0})}; });
  for (const WideInteger& words :
       {WideInteger{2, 0, 0}, WideInteger{0, 1, 0}, WideInteger{0, 1, 1},
        WideInteger{~std::uint64_t{1}, (std::uint64_t{1} << 60) - 1, 0}}) {
    const WideModulus q(words);
    expect_refusal_of("WideEltwise",
                      {"modulus = " + q.to_string(), ", even", "odd moduli of at most 124 bits",
                       "generate a wide prime"},
                      [&] { WideEltwise{q}; });
  }
  for (const WideModulus& q :
       {WideModulus({1, std::uint64_t{1} << 60, 0}), WideModulus::largest_prime(125),
        WideModulus::largest_prime(128), WideModulus({1, 0, 1}), WideModulus::largest_prime(135)}) {
    expect_refusal_of("WideEltwise",
                      {"modulus = " + q.to_string() + ", of " + std::to_string(q.bit_count()),
                       "at most 124 bits", "generate a wide prime"},
                      [&] { WideEltwise{q}; });
  }
}

TEST(WideEltwise, ScalarsAreReduced) {
  const WideModulus q = WideModulus::largest_prime(124);
  const WideEltwise eltwise(q);
  GuardedWide a(DoubleWords(9, {2, 0}), true);
  GuardedWide b(DoubleWords(9, {5, 0}), false);
  GuardedWide result(DoubleWords(9, {1, 1}), false);
  const auto before = result.words();
  const DoubleWord modulus = {q.value()[0], q.value()[1]};
  const DoubleWord next = {q.value()[0] + 1, q.value()[1]};
  const DoubleWord high = {0, q.value()[1] + 1};
  const DoubleWord ones = {~std::uint64_t{0}, ~std::uint64_t{0}};
  for (const DoubleWord& scalar : {modulus, next, high, ones}) {
    expect_refusal_of(
        "WideEltwise::multiply_scalar_add",
        {"scalar = ", "below the modulus " + q.to_string(), "reduce the scalar"},
        [&] { eltwise.multiply_scalar_add(result.view(), scalar, a.view(), b.view()); });
  }
  expect_refusal("scalar = 340282366920938463463374607431768211455",
                 [&] { eltwise.multiply_scalar_add(result.view(), ones, a.view(), b.view()); });
  EXPECT_EQ(result.words(), before);
  eltwise.multiply_scalar_add(result.view(), less_than_modulus(q, 1), a.view(), b.view());
  EXPECT_EQ(result.values(), DoubleWords(9, {3, 0})) << "-1 * 2 + 5";
}

TEST(WideEltwise, CopiesShareThePlanAndOutliveTheOriginal) {
  const WideModulus q = WideModulus::largest_prime(110);
  auto original = std::make_unique<WideEltwise>(q);
  const WideEltwise copy = *original;
  EXPECT_EQ(&copy.kernel_name(), &original->kernel_name());
  original.reset();
  EXPECT_EQ(copy.modulus(), q);
  GuardedWide a(DoubleWords(5, less_than_modulus(q, 3)), true);
  copy.multiply(a.view(), a.view(), a.view());
  EXPECT_EQ(a.values(), DoubleWords(5, {9, 0}));
}

TEST(WideEltwise, OnePlanServesManyThreads) {
  auto rng = make_rng();
  const WideModulus q = generate_wide_ntt_primes(124, 16, 1).front();
  const WideEltwise eltwise(q);
  const DoubleWords a = random_elements(301, q, rng);
  const DoubleWords b = random_elements(301, q, rng);
  const std::array expected{expected_of(wide_operations()[2], a, b, q),
                            expected_of(wide_operations()[3], a, b, q)};
  expect_in_threads(50, [&](std::size_t t, std::size_t i) {
    GuardedWide x(a, t % 2 == 0);
    GuardedWide y(b, t % 3 == 0);
    GuardedWide z(DoubleWords(301), t % 4 < 2);
    const WideOperation& operation = wide_operations()[2 + i % 2];
    operation.call(eltwise, z.view(), x.view(), y.view());
    return z.values() == expected[i % 2] && z.is_intact();
  });
}

/// Results of all operations and of both transforms, one after the other.
std::vector<DoubleWords> all_results(const WideModulus& q, const std::string& kernel,
                                     const DoubleWords& a, const DoubleWords& b) {
  const WideEltwise eltwise(q, KernelSelection(kernel));
  const WideNtt ntt(a.size(), q, WideRing::negacyclic, KernelSelection(kernel));
  GuardedWide x(a, false);
  GuardedWide y(b, false);
  GuardedWide z(a, false);
  std::vector<DoubleWords> results;
  const auto keep = [&] { results.push_back(z.values()); };
  for (const WideOperation& operation : wide_operations()) {
    operation.call(eltwise, z.view(), x.view(), y.view());
    keep();
  }
  ntt.forward(z.view(), x.view());
  keep();
  ntt.inverse(z.view(), y.view());
  keep();
  results.push_back({eltwise.dot(x.view(), y.view())});
  return results;
}

TEST(WideRounding, SameBitsInEveryRoundingModeWhichStaysAsItWas) {
  auto rng = make_rng();
  for (const WideModulus& q : {generate_wide_ntt_primes(124, 512, 1).front(),
                               generate_wide_ntt_primes(100, 512, 1).front()}) {
    const DoubleWords a = random_elements(512, q, rng);
    const DoubleWords b = random_elements(512, q, rng);
    const std::vector<DoubleWords> expected = all_results(q, "scalar64/shoup128", a, b);
    for (const std::string& kernel : wide_kernel_names(q)) {
      for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(mode);
        const std::vector<DoubleWords> results = all_results(q, kernel, a, b);
        const int after = std::fegetround();
        std::fesetround(FE_TONEAREST);
        EXPECT_EQ(results, expected) << kernel << ", rounding mode " << mode;
        EXPECT_EQ(after, mode) << kernel;
      }
    }
  }
}

TEST(WideVectors, EveryKernelGivesTheKnownAnswers) {
  std::set<std::string> operations;
  for (const WideCase& x :
       read_wide_cases(RINGLET_SOURCE_DIR "/tests/vectors/wide/known_answers.txt")) {
    operations.insert(x.operation);
    for (const std::string& kernel : wide_kernel_names(x.modulus())) {
      for (const bool pairs : {false, true}) {
        const auto result = run_wide_case(x, pairs, KernelSelection(kernel));
        ASSERT_TRUE(result.has_value()) << x.operation << " by " << kernel;
        EXPECT_EQ(*result, x.field("result")) << x.operation << " by " << kernel;
      }
    }
  }
  EXPECT_EQ(operations,
            (std::set<std::string>{"forward_negacyclic", "forward_cyclic", "add", "subtract",
                                   "multiply", "multiply_scalar_add", "dot", "reduce"}));
}

// The elements of double words decide no branch and no address; moduli, scalars and roots are
// public. Valgrind runs the tables up to avx2.

using AlignedWords = AlignedVector<std::uint64_t>;

/// Secret words of reduced elements.
AlignedWords secret_words(std::size_t count) {
  AlignedWords words(count, 3);
  make_secret(words.data(), words.size() * sizeof(words[0]));
  return words;
}

WideResult vector_of(AlignedWords& words, bool pairs) {
  const std::span<std::uint64_t> all(words);
  const std::size_t half = all.size() / 2;
  return pairs ? WideResult(all) : WideResult(all.first(half), all.last(half));
}

/// Calls all operations on secret operands, and returns the number of calls.
std::size_t run_eltwise(const WideModulus& q, const std::string& kernel, std::size_t count) {
  const WideEltwise eltwise(q, KernelSelection(kernel));
  std::size_t calls = 0;
  for (const bool pairs : {false, true}) {
    AlignedWords words_a = secret_words(2 * count);
    AlignedWords words_b = secret_words(2 * count);
    AlignedWords words(2 * count);
    const WideOperand a = vector_of(words_a, pairs);
    const WideOperand b = vector_of(words_b, !pairs);
    const WideResult result = vector_of(words, pairs);
    const auto expect_secret = [&] {
      EXPECT_TRUE(is_secret(words.data(), sizeof(words[0]))) << kernel << ": nothing was followed";
      ++calls;
    };
    eltwise.add(result, a, b);
    expect_secret();
    eltwise.subtract(result, a, b);
    expect_secret();
    eltwise.multiply(result, a, b);
    expect_secret();
    eltwise.multiply_scalar_add(result, {5, 0}, a, b);
    expect_secret();
    eltwise.reduce(result, a);
    expect_secret();
    const DoubleWord sum = eltwise.dot(a, b);
    EXPECT_TRUE(is_secret(sum.data(), sizeof(sum[0]))) << kernel << ": nothing was followed";
    ++calls;
  }
  return calls;
}

std::size_t run_transforms(const WideModulus& q, const std::string& kernel, std::size_t degree,
                           WideRing ring) {
  const WideNtt ntt(degree, q, ring, KernelSelection(kernel));
  for (const bool pairs : {false, true}) {
    AlignedWords words = secret_words(2 * degree);
    ntt.forward(vector_of(words, pairs), vector_of(words, pairs));
    EXPECT_TRUE(is_secret(words.data(), sizeof(words[0]))) << kernel;
    words = secret_words(2 * degree);
    AlignedWords result(2 * degree);
    ntt.inverse(vector_of(result, pairs), vector_of(words, !pairs));
    EXPECT_TRUE(is_secret(result.data(), sizeof(words[0]))) << kernel;
  }
  return 4;
}

TEST(DISABLED_WideConstantTimeBody, EveryKernel) {
  ASSERT_TRUE(under_valgrind()) << "the tests of WideConstantTime run this";
  std::size_t runs = 0;
  const std::vector<WideModulus> primes = {generate_special_wide_primes(124, 1).front(),
                                           generate_wide_ntt_primes(124, 1024, 1).front(),
                                           generate_wide_ntt_primes(100, 1024, 1).front()};
  for (const WideModulus& q : primes) {
    for (const std::string& kernel : wide_kernel_names(q)) {
      runs += run_eltwise(q, kernel, 21);
      for (const std::size_t degree : {16, 256}) {
        runs += run_transforms(q, kernel, degree, WideRing::negacyclic);
        runs += run_transforms(q, kernel, degree, WideRing::cyclic);
      }
      std::printf("%s\n", kernel.c_str());
    }
  }
  for (const WideModulus& q : {WideModulus::largest_prime(63), WideModulus::largest_prime(65)}) {
    for (const std::string& kernel : wide_kernel_names(q)) runs += run_eltwise(q, kernel, 21);
  }
  EXPECT_GE(runs, 100U);
  std::printf("%zu calls with secret data\n", runs);
}

TEST(DISABLED_WideConstantTimeControl, ABranchOnAResultIsFound) {
  ASSERT_TRUE(under_valgrind()) << "the tests of WideConstantTime run this";
  const WideModulus q = WideModulus::largest_prime(124);
  AlignedWords words = secret_words(10);
  const WideResult view = vector_of(words, true);
  WideEltwise(q).multiply(view, view, view);
  // The check stops at the first element that is not reduced: it is for public data.
  EXPECT_NO_THROW(WideEltwise(q).check(view));
}

TEST(WideConstantTime, NoBranchOrAddressDependsOnTheData) {
  expect_nothing_found("DISABLED_WideConstantTimeBody", {"calls with secret data", "scalar64/"});
}

TEST(WideConstantTime, TheCheckSeesABranch) { expect_found("DISABLED_WideConstantTimeControl"); }

}  // namespace
}  // namespace ringlet::test
