// SPDX-License-Identifier: Apache-2.0
#include "support/test.hpp"
#include "support/transform_test.hpp"

// The variants of the radix-4 transform with the extended Harvey butterfly, and the radix-16
// passes: primes on both sides of the limit of each.

namespace ringlet::test {
namespace {

constexpr std::string_view kAlgorithms[] = {"radix4", "radix4x4", "radix4-reverse", "r4r2",
                                            "radix16"};

class NttExtended : public TransformTest {
 protected:
  /// Just below the limit, half and a quarter of it, of some other sizes, and the smallest.
  std::vector<std::uint64_t> primes(std::size_t degree) const override {
    std::set<std::uint64_t> found{ntt_prime_next_to(2 * degree, degree, false)};
    for (const std::uint64_t divisor : {1, 2, 3, 4}) {
      found.insert(ntt_prime_next_to(GetParam().modulus_limit / divisor, degree, true));
    }
    for (const int bits : {30, 40, 45}) {
      found.insert(ntt_prime_next_to(std::uint64_t{1} << bits, degree, true));
    }
    return {found.begin(), found.end()};
  }
  std::size_t all_operands_degree() const override { return 256; }
  std::vector<unsigned> forward_ranges() const override { return {1, 4, 8, 16}; }
};

TEST_P(NttExtended, AgreesWithRadix2AtEveryDegreeAndUpToItsLimit) { agrees_with_radix2(); }
TEST_P(NttExtended, EveryValueIsThatOfTheDefinition) { agrees_with_the_definition(64); }
TEST_P(NttExtended, ProductsAreThoseOfFlint) { multiplies_as_flint(1024); }
TEST_P(NttExtended, RandomTransformsAgreeWithRadix2) { random_transforms_agree(8, 20); }
TEST_P(NttExtended, RefusesWhatIsBeyondItsLimits) { refuses_what_is_beyond_its_limits(); }

INSTANTIATE_TEST_SUITE_P(Kernels, NttExtended,
                         ::testing::ValuesIn(transform_kernels_of(kAlgorithms)),
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
