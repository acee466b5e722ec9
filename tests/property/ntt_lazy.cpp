// SPDX-License-Identifier: Apache-2.0
#include "support/test.hpp"
#include "support/transform_test.hpp"

// The lazy kernels, ifma52/lazy and any variant of it, where their schedule of reductions changes:
// every degree from 2^3 to 2^17, primes next to the limits of all decisions about reductions, and
// operands that drive values to the ends of their ranges. Where a kernel does not take a degree,
// what its table has instead is tested.

namespace ringlet::test {
namespace {

constexpr std::size_t kSmallestDegree = 8;
constexpr std::size_t kLargestDegree = std::size_t{1} << 17;
/// Short runs take one of the operands above the first of these degrees, a few primes above the
/// second, and a few of them with FLINT above the third.
constexpr std::size_t kAllOperandsDegree = 1024;
constexpr std::size_t kAllPrimesDegree = 8192;
constexpr std::size_t kAllProductsDegree = 256;
constexpr std::size_t kFewPrimes = 4;
constexpr std::size_t kRandomTransforms = 6000;
constexpr std::uint64_t kMostUnits = 20;

/// The neighbours of 2^52/units, some of which are the limits up to which `units` times q fit a
/// word: those of every decision about reductions are among them.
std::vector<Modulus> primes_at_the_limits(std::size_t degree, std::uint64_t modulus_limit) {
  std::set<std::uint64_t> found{ntt_prime_next_to(modulus_limit, degree, true)};
  for (std::uint64_t units = 5; units <= kMostUnits; ++units) {
    const std::uint64_t limit = (std::uint64_t{1} << 52) / units;
    for (const bool below : {true, false}) found.insert(ntt_prime_next_to(limit, degree, below));
  }
  std::vector<Modulus> primes;
  for (const std::uint64_t q : found) {
    if (q < modulus_limit) primes.emplace_back(q);
  }
  return primes;
}

/// How many random transforms the run made, for its end.
class RandomTransformCount : public ::testing::Environment {
 public:
  static std::size_t& count() {
    static std::size_t count = 0;
    return count;
  }
  void TearDown() override {
    if (count() != 0) std::printf("random transforms by lazy kernels: %zu\n", count());
  }
};

const ::testing::Environment* const kRandomTransformCount =
    ::testing::AddGlobalTestEnvironment(new RandomTransformCount);

std::vector<KernelInfo> lazy_kernels() {
  std::vector<KernelInfo> kernels = transform_kernels();
  std::erase_if(kernels, [](const KernelInfo& kernel) {
    return kernel.table != "ifma52" || !kernel.algorithm.starts_with("lazy");
  });
  return kernels;
}

class NttLazy : public ::testing::TestWithParam<KernelInfo> {
 protected:
  void SetUp() override {
    if (!GetParam().available) GTEST_SKIP() << "this processor cannot run " << GetParam().name;
  }

  /// The plan under test; of the kernel's table where the kernel itself has no such degree.
  static Ntt plan(std::size_t degree, const Modulus& q, std::uint64_t root) {
    const KernelInfo& kernel = GetParam();
    if (degree < kernel.min_degree) return {degree, q, root, KernelSelection(kernel.table)};
    return {degree, q, root, KernelSelection(kernel.table + "/" + kernel.algorithm)};
  }
  static std::uint64_t limit() { return GetParam().modulus_limit; }

  /// Calls body(q, root) for the primes at the limits; for a few of them if `few`.
  template <typename Body>
  static void for_each_prime(std::size_t degree, bool few, std::mt19937_64& rng, Body body) {
    std::vector<Modulus> primes = primes_at_the_limits(degree, limit());
    if (few) {
      std::ranges::shuffle(primes, rng);
      primes.erase(primes.begin() + kFewPrimes, primes.end());
    }
    for (const Modulus& q : primes) {
      SCOPED_TRACE("N = " + std::to_string(degree) + ", q = " + std::to_string(q.value()));
      body(q, minimal_primitive_root(2 * degree, q));
      if (HasFatalFailure()) return;
    }
  }

  /// Every output range of the forward transform, and the way back.
  static void check_forward(const Ntt& ntt, const Words& a, int factor, const Words& expected) {
    const std::uint64_t q = ntt.modulus().value();
    Words values(a.size());
    for (const unsigned output : {4U, 8U, 16U}) {
      ntt.forward(values, a, factor, static_cast<int>(output));
      ASSERT_TRUE(is_below(values, output * q)) << "forward x" << factor << ", output x" << output;
      ASSERT_EQ(reduced(values, q), expected) << "forward x" << factor << ", output x" << output;
    }
    values = a;
    ntt.forward(values, values, factor, 1);
    ASSERT_EQ(values, expected) << "forward x" << factor;
    ntt.inverse(values);
    ASSERT_EQ(values, reduced(a, q)) << "inverse after forward x" << factor;
  }

  /// Both output ranges of the inverse transform.
  static void check_inverse(const Ntt& ntt, const Words& a, int factor, const Words& expected) {
    const std::uint64_t q = ntt.modulus().value();
    Words values(a.size());
    ntt.inverse(values, a, factor, 2);
    ASSERT_TRUE(is_below(values, 2 * q)) << "inverse x" << factor;
    ASSERT_EQ(reduced(values, q), expected) << "inverse x" << factor << ", output x2";
    values = a;
    ntt.inverse(values, values, factor, 1);
    ASSERT_EQ(values, expected) << "inverse x" << factor;
  }
};

TEST_P(NttLazy, EveryValueIsThatOfTheDefinition) {
  auto rng = make_rng();
  for (std::size_t degree = kSmallestDegree; degree <= 64; degree *= 2) {
    for_each_prime(degree, false, rng, [&](const Modulus& q, std::uint64_t root) {
      const Ntt ntt = plan(degree, q, root);
      for (const Words& a : transform_operands(degree, q.value(), 1, rng)) {
        Words expected(degree);
        for (std::size_t i = 0; i < degree; ++i) expected[i] = ntt_value(a, i, root, q);
        check_forward(ntt, a, 1, expected);
        check_inverse(ntt, expected, 1, a);
        if (HasFatalFailure()) return;
      }
    });
    if (HasFatalFailure()) return;
  }
}

TEST_P(NttLazy, AgreesWithRadix2AtEveryDegree) {
  auto rng = make_rng();
  for (std::size_t degree = kSmallestDegree; degree <= kLargestDegree; degree *= 2) {
    const bool few = degree > kAllPrimesDegree && test_scale() == 1;
    for_each_prime(degree, few, rng, [&](const Modulus& q, std::uint64_t root) {
      const Ntt ntt = plan(degree, q, root);
      if (degree >= GetParam().min_degree) {
        ASSERT_EQ(ntt.kernel_name() + "/ntt", GetParam().name);
      }
      const Ntt scalar = radix2_transform(degree, q, root);
      for (const int factor : {1, 2, 4}) {
        std::vector<Words> inputs =
            transform_operands(degree, q.value(), static_cast<unsigned>(factor), rng);
        if (degree > kAllOperandsDegree && test_scale() == 1) {
          std::swap(inputs[0], inputs[rng() % inputs.size()]);
          inputs.resize(1);
        }
        for (const Words& a : inputs) {
          Words expected(degree);
          scalar.forward(expected, reduced(a, q.value()));
          check_forward(ntt, a, factor, expected);
          if (HasFatalFailure()) return;
          if (factor == 4) continue;
          scalar.inverse(expected, reduced(a, q.value()));
          check_inverse(ntt, a, factor, expected);
          if (HasFatalFailure()) return;
        }
      }
    });
    if (HasFatalFailure()) return;
  }
}

/// Above the degrees of the tests of every prime.
TEST_P(NttLazy, TheLargestDegreesAgreeWithRadix2) {
  auto rng = make_rng();
  for (std::size_t degree = 2 * kLargestDegree; degree <= kMaxNttDegree; degree *= 2) {
    for (const int bits : {49, 50}) {
      const Modulus q(ntt_prime_next_to(std::uint64_t{1} << bits, degree, true));
      SCOPED_TRACE("N = " + std::to_string(degree) + ", q = " + std::to_string(q.value()));
      const std::uint64_t root = minimal_primitive_root(2 * degree, q);
      const Ntt ntt = plan(degree, q, root);
      const Ntt other = radix2_transform(degree, q, root);
      const Words a = mixed_values(degree, q.value(), 1, rng);
      Words expected(degree);
      other.forward(expected, a);
      check_forward(ntt, a, 1, expected);
      other.inverse(expected, a);
      check_inverse(ntt, a, 1, expected);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(NttLazy, ProductsAreThoseOfFlint) {
  auto rng = make_rng();
  for (std::size_t degree = kSmallestDegree; degree <= kLargestDegree; degree *= 2) {
    const bool few = degree > kAllProductsDegree && test_scale() == 1;
    for_each_prime(degree, few, rng, [&](const Modulus& q, std::uint64_t root) {
      const Ntt ntt = plan(degree, q, root);
      const Words a = mixed_values(degree, q.value(), 1, rng);
      const Words b = mixed_values(degree, q.value(), 1, rng);
      const Words expected = negacyclic_product(a, b, q.value());
      Words x = a;
      Words y(degree);
      ntt.forward(x);
      ntt.forward(y, b);
      for (std::size_t i = 0; i < degree; ++i) x[i] = q.multiply(x[i], y[i]);
      ntt.inverse(x);
      ASSERT_EQ(x, expected);
      ntt.multiply(x, a, b);
      ASSERT_EQ(x, expected) << "in one call";
    });
    if (HasFatalFailure()) return;
  }
}

/// Any degree, size of prime, root and ranges; both directions count.
TEST_P(NttLazy, RandomTransformsAgreeWithRadix2) {
  constexpr std::size_t kPerPlan = 50;
  const std::size_t wanted = scaled(kRandomTransforms);
  auto rng = make_rng();
  std::size_t made = 0;
  while (made < wanted) {
    const std::size_t degree = GetParam().min_degree << (rng() % 8);
    const std::uint64_t bound = std::uint64_t{1} << (20 + rng() % 31);
    const Modulus q(ntt_prime_next_to(bound - rng() % (bound / 2), degree, true));
    const std::uint64_t root = pow_mod(minimal_primitive_root(2 * degree, q), rng() | 1, q);
    SCOPED_TRACE("N = " + std::to_string(degree) + ", q = " + std::to_string(q.value()) +
                 ", root = " + std::to_string(root));
    const Ntt ntt = plan(degree, q, root);
    const Ntt scalar = radix2_transform(degree, q, root);
    for (std::size_t i = 0; i < kPerPlan; i += 2) {
      Words expected(degree);
      Words values(degree);
      const unsigned in = 1U << (rng() % 3);
      Words a = random_residues(degree, in * q.value(), rng);
      ntt.forward(values, a, static_cast<int>(in), 1);
      scalar.forward(expected, a, static_cast<int>(in), 1);
      ASSERT_EQ(values, expected) << "forward x" << in;
      const unsigned back = 1U << (rng() % 2);
      for (std::uint64_t& word : a) word %= back * q.value();
      ntt.inverse(values, a, static_cast<int>(back), 1);
      scalar.inverse(expected, a, static_cast<int>(back), 1);
      ASSERT_EQ(values, expected) << "inverse x" << back;
    }
    made += kPerPlan;
  }
  EXPECT_GE(made, wanted);
  RecordProperty("transforms", std::to_string(made));
  RandomTransformCount::count() += made;
}

INSTANTIATE_TEST_SUITE_P(Kernels, NttLazy, ::testing::ValuesIn(lazy_kernels()),
                         transform_kernel_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NttLazy);

}  // namespace
}  // namespace ringlet::test
