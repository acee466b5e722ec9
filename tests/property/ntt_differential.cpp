// SPDX-License-Identifier: Apache-2.0
#include <flint/nmod_poly.h>

#include "ringlet/ntt.hpp"
#include "support/ntt_reference.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// Every value of forward and inverse transforms against FLINT's evaluation at many points, for
// every kernel, modulo the smallest and the largest suitable prime of every size.

namespace ringlet::test {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::size_t kCoefficientsPerKernel = 100'000;

/// The values of the polynomial at the odd powers of the root, in the order of the transform.
Words values_by_flint(const Words& a, std::uint64_t root, const Modulus& q) {
  nmod_poly_t polynomial;
  nmod_poly_init2(polynomial, q.value(), static_cast<slong>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    nmod_poly_set_coeff_ui(polynomial, static_cast<slong>(i), a[i] % q.value());
  }
  int bits = 0;
  while ((std::size_t{1} << bits) < a.size()) ++bits;
  Words points(a.size());
  const std::uint64_t square = q.multiply(root, root);
  std::uint64_t power = root;
  for (std::size_t i = 0; i < a.size(); ++i) {
    points[bit_reverse(i, bits)] = power;
    power = q.multiply(power, square);
  }
  Words values(a.size());
  nmod_poly_evaluate_nmod_vec(values.data(), polynomial, points.data(),
                              static_cast<slong>(a.size()));
  nmod_poly_clear(polynomial);
  return values;
}

/// How many coefficients each kernel was compared on, for the end of the program.
class CoefficientCounts : public ::testing::Environment {
 public:
  static std::vector<std::pair<std::string, std::size_t>>& counts() {
    static std::vector<std::pair<std::string, std::size_t>> counts;
    return counts;
  }
  void TearDown() override {
    for (const auto& [name, coefficients] : counts()) {
      std::printf("random coefficients compared, each way: %-28s %10zu\n", name.c_str(),
                  coefficients);
    }
  }
};

const ::testing::Environment* const kCoefficientCounts =
    ::testing::AddGlobalTestEnvironment(new CoefficientCounts);

class NttDifferential : public ::testing::TestWithParam<KernelInfo> {
 protected:
  void SetUp() override {
    if (!GetParam().available) GTEST_SKIP() << "this processor cannot run " << GetParam().name;
  }

  /// The smallest or largest prime of `bits` bits for this degree; 0 if the kernel takes none.
  static std::uint64_t prime(int bits, std::size_t degree, bool largest) {
    const std::uint64_t end = std::uint64_t{1} << bits;
    const std::uint64_t found = ntt_prime_next_to(largest ? end : end / 2, degree, largest);
    const bool fits = found < end && found > end / 2 && found < GetParam().modulus_limit;
    return fits ? found : 0;
  }

  static std::uint64_t any_root(std::size_t degree, const Modulus& q, std::mt19937_64& rng) {
    return pow_mod(minimal_primitive_root(2 * degree, q), rng() | 1, q);
  }

  static void check(const Ntt& ntt, std::mt19937_64& rng) {
    const Modulus& q = ntt.modulus();
    const unsigned in = 1U << (rng() % 3);
    const int out = rng() % 2 != 0 ? 4 : 1;
    const Words a = mixed_values(ntt.degree(), q.value(), in, rng);
    Words result(a.size());
    ntt.forward(result, a, static_cast<int>(in), out);
    ASSERT_TRUE(reduces(result, static_cast<unsigned>(out), q.value()));
    ASSERT_EQ(result, values_by_flint(a, ntt.root_of_unity(), q)) << "forward from factor " << in;

    const unsigned back_in = 1U << (rng() % 2);
    const int back_out = rng() % 2 != 0 ? 2 : 1;
    Words values = mixed_values(ntt.degree(), q.value(), back_in, rng);
    ntt.inverse(result, values, static_cast<int>(back_in), back_out);
    ASSERT_TRUE(reduces(result, static_cast<unsigned>(back_out), q.value()));
    for (std::uint64_t& value : values) value %= q.value();
    ASSERT_EQ(values_by_flint(result, ntt.root_of_unity(), q), values)
        << "inverse from factor " << back_in;
  }

 private:
  /// True if all words are in [0, factor*q); reduces them.
  static bool reduces(Words& words, unsigned factor, std::uint64_t q) {
    const bool in_range =
        std::ranges::all_of(words, [&](std::uint64_t word) { return word < factor * q; });
    for (std::uint64_t& word : words) word %= q;
    return in_range;
  }
};

TEST_P(NttDifferential, EveryValueAgreesWithFlint) {
  constexpr std::size_t kLargestDegree = 4096;
  auto rng = make_rng();
  const KernelSelection exact(GetParam().table + "/" + GetParam().algorithm);
  const std::size_t wanted = scaled(kCoefficientsPerKernel);
  std::size_t compared = 0;
  std::size_t degree = GetParam().min_degree;
  while (compared < wanted) {
    for (int bits = 3; bits <= kMaxNttModulusBits; ++bits) {
      degree = degree == kLargestDegree ? GetParam().min_degree : 2 * degree;
      if (std::uint64_t{1} << bits <= 2 * degree) continue;
      for (const bool largest : {false, true}) {
        const std::uint64_t q = prime(bits, degree, largest);
        if (q == 0) continue;
        SCOPED_TRACE("N = " + std::to_string(degree) + ", q = " + std::to_string(q));
        const Ntt ntt(degree, q, any_root(degree, q, rng), exact);
        ASSERT_EQ(ntt.kernel_name() + "/ntt", GetParam().name);
        check(ntt, rng);
        if (HasFatalFailure()) return;
        compared += degree;
      }
    }
  }
  EXPECT_GE(compared, wanted);
  RecordProperty("coefficients", std::to_string(compared));
  CoefficientCounts::counts().emplace_back(GetParam().name, compared);
}

/// The first round above leaves some pairs of size and degree out.
TEST_P(NttDifferential, EverySizeOfModulusAgreesAtTheSmallestDegree) {
  auto rng = make_rng();
  const KernelSelection exact(GetParam().table + "/" + GetParam().algorithm);
  const std::size_t degree = GetParam().min_degree;
  const int first_size = static_cast<int>(std::bit_width(2 * degree));
  const int first_size_with_primes_at_any_degree = first_size + 3;
  const int largest_size = static_cast<int>(std::bit_width(GetParam().modulus_limit - 1));
  for (int bits = std::max(first_size, 3); bits <= largest_size; ++bits) {
    int primes = 0;
    for (const bool largest : {false, true}) {
      const std::uint64_t q = prime(bits, degree, largest);
      if (q == 0) continue;
      SCOPED_TRACE("N = " + std::to_string(degree) + ", q = " + std::to_string(q));
      check(Ntt(degree, q, any_root(degree, q, rng), exact), rng);
      if (HasFatalFailure()) return;
      ++primes;
    }
    if (bits >= first_size_with_primes_at_any_degree) {
      EXPECT_GE(primes, bits < largest_size ? 2 : 1) << bits << " bits";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, NttDifferential, ::testing::ValuesIn(transform_kernels()),
                         transform_kernel_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NttDifferential);

}  // namespace
}  // namespace ringlet::test
