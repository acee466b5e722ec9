// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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

// The variants of the radix-4 transform with the extended Harvey butterfly, and the radix-16
// passes: every degree from the smallest to 2^16, primes on both sides of the limit of each, all
// range factors, and operands at the ends of their ranges.

namespace ringlet::test {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::size_t kLargestDegree = std::size_t{1} << 16;
/// Short runs take one of the operands of a range above this degree.
constexpr std::size_t kAllOperandsDegree = 256;
constexpr std::size_t kRandomTransforms = 400;

constexpr std::string_view kAlgorithms[] = {"radix4", "radix4x4", "radix4-reverse", "r4r2",
                                            "radix16"};

std::vector<KernelInfo> extended_kernels() {
  std::vector<KernelInfo> kernels = transform_kernels();
  std::erase_if(kernels, [](const KernelInfo& kernel) {
    return std::ranges::find(kAlgorithms, kernel.algorithm) == std::end(kAlgorithms);
  });
  return kernels;
}

/// Primes just below the limit, half and a quarter of it, of some other sizes, and the smallest.
std::vector<Modulus> primes_below(std::uint64_t limit, std::size_t degree) {
  std::set<std::uint64_t> found{ntt_prime_next_to(2 * degree, degree, false)};
  for (const std::uint64_t divisor : {1, 2, 3, 4}) {
    found.insert(ntt_prime_next_to(limit / divisor, degree, true));
  }
  for (const int bits : {30, 40, 45}) {
    found.insert(ntt_prime_next_to(std::uint64_t{1} << bits, degree, true));
  }
  return {found.begin(), found.end()};
}

bool is_below(const Words& words, std::uint64_t limit) {
  return std::ranges::all_of(words, [=](std::uint64_t word) { return word < limit; });
}

class NttExtended : public ::testing::TestWithParam<KernelInfo> {
 protected:
  void SetUp() override {
    if (!GetParam().available) GTEST_SKIP() << "this processor cannot run " << GetParam().name;
  }
  static KernelSelection exact() {
    return KernelSelection(GetParam().table + "/" + GetParam().algorithm);
  }
  static Ntt reference(std::size_t degree, const Modulus& q, std::uint64_t root) {
    return {degree, q, root, KernelSelection("scalar64/radix2")};
  }

  /// Every output range, in place and not.
  static void check_forward(const Ntt& ntt, const Words& a, int input, const Words& expected) {
    const std::uint64_t q = ntt.modulus().value();
    Words values(a.size());
    for (const unsigned output : {1U, 4U, 8U, 16U}) {
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

  /// All factors; all operands at small degrees and in long runs, else one of them, drawn anew.
  static void compare(std::size_t degree, const Modulus& q, std::uint64_t root,
                      std::mt19937_64& rng) {
    const Ntt ntt(degree, q, root, exact());
    ASSERT_EQ(ntt.kernel_name() + "/ntt", GetParam().name);
    const Ntt scalar = reference(degree, q, root);
    const bool is_short = test_scale() == 1;
    for (const std::uint64_t factor : {1, 2, 4}) {
      std::vector<Words> inputs = transform_operands(degree, q.value(), factor, rng);
      if (is_short && degree > kAllOperandsDegree) {
        std::swap(inputs[0], inputs[rng() % inputs.size()]);
        inputs.resize(1);
      }
      for (const Words& a : inputs) {
        const Words residues = reduced(a, q.value());
        Words expected(degree);
        scalar.forward(expected, residues);
        check_forward(ntt, a, static_cast<int>(factor), expected);
        if (HasFatalFailure()) return;
        // The inverse transform takes factors 1 and 2.
        const int back = factor == 1 ? 1 : 2;
        Words b = a;
        for (std::uint64_t& word : b) word %= static_cast<unsigned>(back) * q.value();
        scalar.inverse(expected, residues);
        check_inverse(ntt, b, back, expected);
        if (HasFatalFailure()) return;
      }
    }
  }
};

TEST_P(NttExtended, AgreesWithRadix2AtEveryDegreeAndUpToItsLimit) {
  auto rng = make_rng();
  for (std::size_t degree = GetParam().min_degree; degree <= kLargestDegree; degree *= 2) {
    for (const Modulus& q : primes_below(GetParam().modulus_limit, degree)) {
      SCOPED_TRACE("N = " + std::to_string(degree) + ", q = " + std::to_string(q.value()));
      compare(degree, q, minimal_primitive_root(2 * degree, q), rng);
      if (HasFatalFailure()) return;
    }
  }
}

/// By the definition, so that an error that radix-2 had too would be seen.
TEST_P(NttExtended, EveryValueIsThatOfTheDefinition) {
  auto rng = make_rng();
  for (std::size_t degree = GetParam().min_degree; degree <= 64; degree *= 2) {
    const Modulus q(ntt_prime_next_to(GetParam().modulus_limit, degree, true));
    const std::uint64_t root = pow_mod(minimal_primitive_root(2 * degree, q), rng() | 1, q);
    const Ntt ntt(degree, q, root, exact());
    for (const Words& a : transform_operands(degree, q.value(), 1, rng)) {
      Words expected(degree);
      for (std::size_t i = 0; i < degree; ++i) expected[i] = ntt_value(a, i, root, q);
      check_forward(ntt, a, 1, expected);
      check_inverse(ntt, expected, 1, a);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(NttExtended, ProductsAreThoseOfFlint) {
  auto rng = make_rng();
  for (std::size_t degree = GetParam().min_degree; degree <= 1024; degree *= 2) {
    for (const Modulus& q : primes_below(GetParam().modulus_limit, degree)) {
      const Ntt ntt(degree, q, exact());
      const Words a = mixed_values(degree, q.value(), 1, rng);
      const Words b = mixed_values(degree, q.value(), 1, rng);
      Words product(degree);
      ntt.multiply(product, a, b);
      ASSERT_EQ(product, negacyclic_product(a, b, q.value()))
          << "N = " << degree << ", q = " << q.value();
    }
  }
}

/// Any degree, prime, root and ranges.
TEST_P(NttExtended, RandomTransformsAgreeWithRadix2) {
  auto rng = make_rng();
  for (std::size_t i = 0; i < scaled(kRandomTransforms); ++i) {
    const std::size_t degree = GetParam().min_degree << (rng() % 8);
    const std::uint64_t limit = GetParam().modulus_limit;
    const std::uint64_t bound = limit >> (rng() % 20);
    const Modulus q(ntt_prime_next_to(bound - rng() % (bound / 2), degree, true));
    const std::uint64_t root = pow_mod(minimal_primitive_root(2 * degree, q), rng() | 1, q);
    SCOPED_TRACE("N = " + std::to_string(degree) + ", q = " + std::to_string(q.value()) +
                 ", root = " + std::to_string(root));
    const Ntt ntt(degree, q, root, exact());
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

TEST_P(NttExtended, RefusesWhatIsBeyondItsLimits) {
  const std::string name = GetParam().table + "/" + GetParam().algorithm;
  const std::uint64_t limit = GetParam().modulus_limit;
  const std::string limit_text = "modulus below " + std::to_string(limit);
  for (std::size_t degree = GetParam().min_degree; degree <= kLargestDegree; degree *= 2) {
    const Modulus above(ntt_prime_next_to(limit, degree, false));
    expect_refusal_of("Ntt with kernel " + name,
                      {std::to_string(above.value()), limit_text, "name the table alone"},
                      [&] { Ntt(degree, above, exact()); });
    // Without the exact name there is a kernel for it.
    EXPECT_NE(Ntt(degree, above, KernelSelection(GetParam().table)).kernel_name(), name);
  }
  const std::size_t below = GetParam().min_degree / 2;
  const Modulus q(ntt_prime_next_to(limit, below, true));
  expect_refusal_of("Ntt with kernel " + name,
                    {"degree from " + std::to_string(GetParam().min_degree)},
                    [&] { Ntt(below, q, exact()); });
}

INSTANTIATE_TEST_SUITE_P(Kernels, NttExtended, ::testing::ValuesIn(extended_kernels()),
                         transform_kernel_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NttExtended);

TEST(NttExtendedCatalog, HasEveryVariant) {
  std::set<std::string> names;
  for (const KernelInfo& kernel : kernel_catalog()) {
    if (kernel.operation == "ntt" && kernel.named_only) {
      names.insert(kernel.table + "/" + kernel.algorithm);
    }
  }
  for (const char* name : {"scalar64/radix4", "scalar64/radix4x4", "scalar64/radix4-reverse"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
#if defined(__x86_64__)
  for (const char* name : {"ifma52/radix4", "ifma52/r4r2", "ifma52/radix16"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
#endif
}

}  // namespace
}  // namespace ringlet::test
