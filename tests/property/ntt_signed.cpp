// SPDX-License-Identifier: Apache-2.0
#include <cfenv>

#include "support/test.hpp"
#include "support/transform_test.hpp"

// The transforms on signed residues, in every arithmetic and on every instruction set: primes on
// both sides of every power of two that decides something, primes whose lower half is at an end of
// its range, and every rounding mode.

namespace ringlet::test {
namespace {

/// Short runs take a few of the primes above this degree.
constexpr std::size_t kAllPrimesDegree = 512;
constexpr std::size_t kFewPrimes = 4;

constexpr std::string_view kAlgorithms[] = {"float", "float-long", "mont32", "mont64", "shoup64"};
constexpr int kBits[] = {20, 28, 29, 30, 31, 32, 47, 48, 49, 50,
                         51, 52, 53, 54, 55, 56, 58, 60, 61};

class NttSigned : public TransformTest {
 protected:
  /// The smallest ones, the largest, on both sides of powers of two, 1 modulo 2^32, and with lower
  /// halves next to 2^31 and, as signed numbers, to -2^31.
  std::vector<std::uint64_t> primes(std::size_t degree) const override {
    const std::uint64_t limit = GetParam().modulus_limit;
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
  std::vector<std::uint64_t> few_primes(std::size_t degree, std::mt19937_64& rng) const override {
    std::vector<std::uint64_t> found = primes(degree);
    if (degree <= kAllPrimesDegree) return found;
    std::shuffle(found.begin(), found.end(), rng);
    found.resize(std::min(found.size(), kFewPrimes));
    found.push_back(ntt_prime_next_to(GetParam().modulus_limit, degree, true));
    return found;
  }
  /// Those of all transforms, and halves of q.
  std::vector<Words> operands(std::size_t degree, std::uint64_t q, std::uint64_t factor,
                              std::mt19937_64& rng) const override {
    std::vector<Words> found = transform_operands(degree, q, factor, rng);
    found.emplace_back(degree, q / 2);
    found.emplace_back(degree, q / 2 + 1);
    Words halves(degree, q / 2);
    for (std::size_t i = 0; i < degree; i += 2) halves[i] = q / 2 + 1;
    found.push_back(std::move(halves));
    return found;
  }
  std::vector<Words> few_operands(std::size_t degree, std::uint64_t q,
                                  std::mt19937_64& rng) const override {
    return {mixed_values(degree, q, 1, rng), Words(degree, q - 1), Words(degree, q / 2)};
  }
  std::size_t all_operands_degree() const override { return 64; }
  std::vector<unsigned> forward_ranges() const override { return {1, 4}; }
};

TEST_P(NttSigned, AgreesWithRadix2AtEveryDegreeAndUpToItsLimit) { agrees_with_radix2(); }
TEST_P(NttSigned, EveryValueIsThatOfTheDefinition) {
  agrees_with_the_definition(2 * GetParam().min_degree);
}
TEST_P(NttSigned, ProductsAreThoseOfFlint) { multiplies_as_flint(2048); }
TEST_P(NttSigned, RandomTransformsAgreeWithRadix2) { random_transforms_agree(7, 12); }
TEST_P(NttSigned, RefusesWhatIsBeyondItsLimits) { refuses_what_is_beyond_its_limits(); }

/// Above the degrees of the test of every prime: the largest primes alone in short runs.
TEST_P(NttSigned, TheLargestDegreesAgreeWithRadix2) {
  auto rng = make_rng();
  for (std::size_t degree = 2 * kLargestDegree; degree <= kMaxNttDegree; degree *= 2) {
    if (test_scale() == 1 && degree != kMaxNttDegree) continue;
    const Modulus q(ntt_prime_next_to(GetParam().modulus_limit, degree, true));
    const std::uint64_t root = minimal_primitive_root(2 * degree, q);
    SCOPED_TRACE(trace(degree, q));
    const Ntt ntt = plan(degree, q, root);
    const Ntt scalar = radix2_transform(degree, q, root);
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

INSTANTIATE_TEST_SUITE_P(Kernels, NttSigned, ::testing::ValuesIn(transform_kernels_of(kAlgorithms)),
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
