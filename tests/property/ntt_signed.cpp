// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cfenv>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "ringlet/error.hpp"
#include "ringlet/ntt.hpp"
#include "support/ntt_reference.hpp"
#include "support/refusal.hpp"
#include "support/transform_operands.hpp"
#include "support/values.hpp"

// The transforms on signed residues, in every arithmetic and on every instruction set: every degree
// up to 2^16, primes on both sides of every power of two that decides something, primes whose lower
// half is at an end of its range, all range factors, operands at the ends of their ranges, and
// every rounding mode.

namespace ringlet::test {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::size_t kLargestDegree = std::size_t{1} << 16;
/// Short runs take one of the operands of a range above the first of these degrees, and a few of
/// the primes above the second.
constexpr std::size_t kAllOperandsDegree = 64;
constexpr std::size_t kAllPrimesDegree = 512;
constexpr std::size_t kFewPrimes = 4;
constexpr std::size_t kRandomTransforms = 400;

constexpr std::string_view kAlgorithms[] = {"float", "float-long", "mont32", "mont64", "shoup64"};
constexpr int kBits[] = {20, 28, 29, 30, 31, 32, 47, 48, 49, 50,
                         51, 52, 53, 54, 55, 56, 58, 60, 61};

std::vector<KernelInfo> signed_kernels() {
  std::vector<KernelInfo> kernels = transform_kernels();
  std::erase_if(kernels, [](const KernelInfo& kernel) {
    return std::ranges::find(kAlgorithms, kernel.algorithm) == std::end(kAlgorithms);
  });
  return kernels;
}

/// Primes for N = degree below `limit`: the smallest ones, the largest, on both sides of powers of
/// two, 1 modulo 2^32, and with lower halves next to 2^31 and, as signed numbers, to -2^31.
std::vector<std::uint64_t> primes_below(std::uint64_t limit, std::size_t degree) {
  std::set<std::uint64_t> found{ntt_prime_next_to(2 * degree, degree, false),
                                ntt_prime_next_to(limit, degree, true)};
  for (const std::uint64_t q : {17, 257, 65537}) {
    if (q % (2 * degree) == 1) found.insert(q);
  }
  for (const int bits : kBits) {
    const std::uint64_t power = std::uint64_t{1} << bits;
    if (power > limit || power <= 4 * degree) continue;
    found.insert(ntt_prime_next_to(power, degree, true));
    found.insert(ntt_prime_next_to(power, degree, false));
    found.insert(ntt_prime_next_to(power / 4 * 3, degree, true));
    if (bits < 40) continue;
    constexpr std::size_t kHalfWord = std::size_t{1} << 31;
    found.insert(ntt_prime_next_to(power, std::max(kHalfWord, degree), true));
    const std::uint64_t middle = power / 8 * 7 + kHalfWord;
    found.insert(ntt_prime_next_to(middle, degree, true));
    found.insert(ntt_prime_next_to(middle, degree, false));
  }
  std::erase_if(found, [=](std::uint64_t q) { return q >= limit || q == 1; });
  return {found.begin(), found.end()};
}

/// Those of all transforms, and halves of q.
std::vector<Words> operands(std::size_t degree, std::uint64_t q, std::uint64_t factor,
                            std::mt19937_64& rng) {
  std::vector<Words> found = transform_operands(degree, q, factor, rng);
  found.emplace_back(degree, q / 2);
  found.emplace_back(degree, q / 2 + 1);
  Words halves(degree, q / 2);
  for (std::size_t i = 0; i < degree; i += 2) halves[i] = q / 2 + 1;
  found.push_back(std::move(halves));
  return found;
}

bool is_below(const Words& words, std::uint64_t limit) {
  return std::ranges::all_of(words, [=](std::uint64_t word) { return word < limit; });
}

class NttSigned : public ::testing::TestWithParam<KernelInfo> {
 protected:
  void SetUp() override {
    if (!GetParam().available) GTEST_SKIP() << "this processor cannot run " << GetParam().name;
  }
  static std::string name() { return GetParam().table + "/" + GetParam().algorithm; }
  static Ntt plan(std::size_t degree, const Modulus& q, std::uint64_t root) {
    return {degree, q, root, KernelSelection(name())};
  }
  static Ntt reference(std::size_t degree, const Modulus& q, std::uint64_t root) {
    return {degree, q, root, KernelSelection("scalar64/radix2")};
  }
  static std::string trace(std::size_t degree, const Modulus& q) {
    return "N = " + std::to_string(degree) + ", q = " + std::to_string(q.value());
  }

  /// Output ranges, in place and not.
  static void check_forward(const Ntt& ntt, const Words& a, int input, const Words& expected) {
    const std::uint64_t q = ntt.modulus().value();
    Words values(a.size());
    for (const unsigned output : {1U, 4U}) {
      for (const bool in_place : {false, true}) {
        std::ranges::fill(values, ~std::uint64_t{0});
        if (in_place) values = a;
        ntt.forward(values, in_place ? values : a, input, static_cast<int>(output));
        ASSERT_TRUE(is_below(values, output * q)) << "forward " << input << "->" << output;
        ASSERT_EQ(reduced(values, q), expected) << "forward " << input << "->" << output;
      }
    }
  }
  static void check_inverse(const Ntt& ntt, const Words& a, int input, const Words& expected) {
    const std::uint64_t q = ntt.modulus().value();
    Words values(a.size());
    for (const unsigned output : {1U, 2U}) {
      for (const bool in_place : {false, true}) {
        std::ranges::fill(values, ~std::uint64_t{0});
        if (in_place) values = a;
        ntt.inverse(values, in_place ? values : a, input, static_cast<int>(output));
        ASSERT_TRUE(is_below(values, output * q)) << "inverse " << input << "->" << output;
        ASSERT_EQ(reduced(values, q), expected) << "inverse " << input << "->" << output;
      }
    }
  }

  static void compare(std::size_t degree, const Modulus& q, std::uint64_t root,
                      std::mt19937_64& rng) {
    SCOPED_TRACE(trace(degree, q));
    const Ntt ntt = plan(degree, q, root);
    ASSERT_EQ(ntt.kernel_name() + "/ntt", GetParam().name);
    const Ntt scalar = reference(degree, q, root);
    for (const std::uint64_t factor : {1, 2, 4}) {
      std::vector<Words> inputs = operands(degree, q.value(), factor, rng);
      if (test_scale() == 1 && degree > kAllOperandsDegree) {
        std::swap(inputs[0], inputs[rng() % inputs.size()]);
        inputs.resize(1);
      }
      for (const Words& a : inputs) {
        const Words residues = reduced(a, q.value());
        Words expected(degree);
        scalar.forward(expected, residues);
        check_forward(ntt, a, static_cast<int>(factor), expected);
        if (HasFatalFailure()) return;
        Words back(degree);
        ntt.inverse(back, expected);
        ASSERT_EQ(back, residues) << "inverse after forward";
        // The inverse transform takes factors 1 and 2.
        const unsigned input = factor == 1 ? 1 : 2;
        Words b = a;
        for (std::uint64_t& word : b) word %= input * q.value();
        scalar.inverse(expected, residues);
        check_inverse(ntt, b, static_cast<int>(input), expected);
        if (HasFatalFailure()) return;
      }
    }
  }

  static void compare_at(std::size_t degree, bool few, std::mt19937_64& rng) {
    std::vector<std::uint64_t> primes = primes_below(GetParam().modulus_limit, degree);
    if (few) {
      std::shuffle(primes.begin(), primes.end(), rng);
      primes.resize(std::min(primes.size(), kFewPrimes));
      primes.push_back(ntt_prime_next_to(GetParam().modulus_limit, degree, true));
    }
    for (const std::uint64_t value : primes) {
      const Modulus q(value);
      compare(degree, q, minimal_primitive_root(2 * degree, q), rng);
      if (HasFatalFailure()) return;
    }
  }
};

TEST_P(NttSigned, AgreesWithRadix2AtEveryDegreeAndUpToItsLimit) {
  auto rng = make_rng();
  for (std::size_t degree = GetParam().min_degree; degree <= kLargestDegree; degree *= 2) {
    compare_at(degree, degree > kAllPrimesDegree && test_scale() == 1, rng);
    if (HasFatalFailure()) return;
  }
}

/// Above the degrees of the test of every prime: the largest primes alone in short runs.
TEST_P(NttSigned, TheLargestDegreesAgreeWithRadix2) {
  auto rng = make_rng();
  for (std::size_t degree = 2 * kLargestDegree; degree <= kMaxNttDegree; degree *= 2) {
    if (test_scale() == 1 && degree != kMaxNttDegree) continue;
    const Modulus q(ntt_prime_next_to(GetParam().modulus_limit, degree, true));
    const std::uint64_t root = minimal_primitive_root(2 * degree, q);
    SCOPED_TRACE(trace(degree, q));
    const Ntt ntt = plan(degree, q, root);
    const Ntt scalar = reference(degree, q, root);
    for (const Words& a : {mixed_values(degree, q.value(), 1, rng), Words(degree, q.value() - 1)}) {
      Words expected(degree);
      Words values(degree);
      scalar.forward(expected, a);
      ntt.forward(values, a);
      ASSERT_EQ(values, expected) << "forward";
      scalar.inverse(expected, a);
      ntt.inverse(values, a);
      ASSERT_EQ(values, expected) << "inverse";
    }
  }
}

/// By the definition, so that an error that radix-2 had too would be seen.
TEST_P(NttSigned, EveryValueIsThatOfTheDefinition) {
  auto rng = make_rng();
  for (std::size_t degree = GetParam().min_degree; degree <= 2 * GetParam().min_degree;
       degree *= 2) {
    for (const std::uint64_t value : primes_below(GetParam().modulus_limit, degree)) {
      const Modulus q(value);
      SCOPED_TRACE(trace(degree, q));
      const std::uint64_t root = pow_mod(minimal_primitive_root(2 * degree, q), rng() | 1, q);
      const Ntt ntt = plan(degree, q, root);
      for (const Words& a : {mixed_values(degree, value, 1, rng), Words(degree, value - 1),
                             Words(degree, value / 2)}) {
        Words expected(degree);
        for (std::size_t i = 0; i < degree; ++i) expected[i] = ntt_value(a, i, root, q);
        check_forward(ntt, a, 1, expected);
        check_inverse(ntt, expected, 1, a);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(NttSigned, ProductsAreThoseOfFlint) {
  auto rng = make_rng();
  for (std::size_t degree = GetParam().min_degree; degree <= 2048; degree *= 2) {
    for (const std::uint64_t value : primes_below(GetParam().modulus_limit, degree)) {
      const Modulus q(value);
      const Ntt ntt = plan(degree, q, minimal_primitive_root(2 * degree, q));
      const Words a = mixed_values(degree, value, 1, rng);
      const Words b = mixed_values(degree, value, 1, rng);
      Words product(degree);
      ntt.multiply(product, a, b);
      ASSERT_EQ(product, negacyclic_product(a, b, value)) << trace(degree, q);
    }
  }
}

/// Any degree, prime, root and ranges.
TEST_P(NttSigned, RandomTransformsAgreeWithRadix2) {
  auto rng = make_rng();
  for (std::size_t i = 0; i < scaled(kRandomTransforms); ++i) {
    const std::size_t degree = GetParam().min_degree << (rng() % 7);
    const std::uint64_t bound = GetParam().modulus_limit >> (rng() % 12);
    const Modulus q(ntt_prime_next_to(bound - rng() % (bound / 2), degree, true));
    const std::uint64_t root = pow_mod(minimal_primitive_root(2 * degree, q), rng() | 1, q);
    SCOPED_TRACE(trace(degree, q) + ", root = " + std::to_string(root));
    const Ntt ntt = plan(degree, q, root);
    const Ntt scalar = reference(degree, q, root);
    Words expected(degree);
    Words values(degree);
    const unsigned input = 1U << (rng() % 3);
    Words a = random_residues(degree, input * q.value(), rng);
    ntt.forward(values, a, static_cast<int>(input), 1);
    scalar.forward(expected, a, static_cast<int>(input), 1);
    ASSERT_EQ(values, expected);
    for (std::uint64_t& word : a) word %= 2 * q.value();
    ntt.inverse(values, a, 2, 1);
    scalar.inverse(expected, a, 2, 1);
    ASSERT_EQ(values, expected);
  }
}

/// The arithmetic in doubles has its own rounding mode, and leaves the caller's as it was.
TEST_P(NttSigned, EveryRoundingModeGivesTheSameBits) {
  auto rng = make_rng();
  const std::size_t degree = 4096;
  for (const int bits : kBits) {
    if ((std::uint64_t{1} << bits) > GetParam().modulus_limit) break;
    const Modulus q(ntt_prime_next_to(std::uint64_t{1} << bits, degree, true));
    const Ntt ntt = plan(degree, q, minimal_primitive_root(2 * degree, q));
    const Words a = mixed_values(degree, q.value(), 1, rng);
    Words forward(degree);
    Words inverse(degree);
    ntt.forward(forward, a);
    ntt.inverse(inverse, a);
    const int before = std::fegetround();
    for (const int mode : {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
      Words forward_in_mode(degree);
      Words inverse_in_mode(degree);
      std::fesetround(mode);
      ntt.forward(forward_in_mode, a);
      const int after_forward = std::fegetround();
      ntt.inverse(inverse_in_mode, a);
      const int after_inverse = std::fegetround();
      std::fesetround(before);
      EXPECT_EQ(after_forward, mode);
      EXPECT_EQ(after_inverse, mode);
      ASSERT_EQ(forward_in_mode, forward) << trace(degree, q) << ", mode " << mode;
      ASSERT_EQ(inverse_in_mode, inverse) << trace(degree, q) << ", mode " << mode;
    }
  }
}

TEST_P(NttSigned, RefusesWhatIsBeyondItsLimits) {
  const std::uint64_t limit = GetParam().modulus_limit;
  const std::string limit_text = "modulus below " + std::to_string(limit);
  for (std::size_t degree = GetParam().min_degree; degree <= kLargestDegree; degree *= 2) {
    const Modulus above(ntt_prime_next_to(limit, degree, false));
    expect_refusal_of("Ntt with kernel " + name(),
                      {std::to_string(above.value()), limit_text, "name the table alone"},
                      [&] { Ntt(degree, above, KernelSelection(name())); });
    // Without the exact name there is a kernel for it.
    EXPECT_NE(Ntt(degree, above, KernelSelection(GetParam().table)).kernel_name(), name());
  }
  const std::size_t below = GetParam().min_degree / 2;
  const Modulus q(ntt_prime_next_to(limit, below, true));
  expect_refusal_of("Ntt with kernel " + name(),
                    {"degree from " + std::to_string(GetParam().min_degree)},
                    [&] { Ntt(below, q, KernelSelection(name())); });
}

INSTANTIATE_TEST_SUITE_P(Kernels, NttSigned, ::testing::ValuesIn(signed_kernels()),
                         transform_kernel_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NttSigned);

#if defined(__x86_64__)
TEST(NttSignedCatalog, HasEveryArithmetic) {
  std::set<std::string> names;
  for (const KernelInfo& kernel : kernel_catalog()) {
    if (kernel.operation == "ntt") names.insert(kernel.table + "/" + kernel.algorithm);
  }
  for (const char* name :
       {"avx2/float", "avx2/mont32", "avx2/mont64", "avx512dq/float", "avx512dq/float-long",
        "avx512dq/mont32", "avx512dq/mont64", "avx512dq/shoup64"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}
#endif

}  // namespace
}  // namespace ringlet::test
