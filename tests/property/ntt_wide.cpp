// SPDX-License-Identifier: Apache-2.0
#include "support/kernels/guarded_wide.hpp"
#include "support/values.hpp"

// Compares every kernel of double words with GMP: element by element, and transforms by their
// definition, by products of polynomials and by their inverse.

namespace ringlet::test {
namespace {

constexpr std::size_t kElements = 2500;

/// Moduli of the element-wise tests: those of the paper's code and slides, NTT primes of both
/// families and of several sizes, and short and composite ones.
std::vector<WideModulus> eltwise_moduli() {
  std::vector<WideModulus> moduli = {
      WideModulus::parse("21267647932558653966460912964485512497"),  // 2^124 - 719
      WideModulus::parse("21267647932558653966460912964485513157"),  // 2^124 - 59
      WideModulus::parse("15107846090143992465023504163010990279"),
      WideModulus::parse("21267647932558653966460912964485513215"),  // 2^124 - 1, composite
      WideModulus::parse("10633823966279326983230456482242756609"),  // 2^123 + 1
      WideModulus::parse("20282409603651670423947251286017"),        // 2^104 + 1
      WideModulus::parse("60847228810955011271841753858049"),        // 3 * 2^104 + 1
      WideModulus::parse("21267627650149050314790489017234227201"),  // 2^124 - 2^104 + 1
      WideModulus::parse("3"),
      WideModulus::parse("18446744073709551557"),  // the largest prime of 64 bits
      WideModulus::parse("18446744073709551629"),  // the smallest prime of 65 bits
  };
  for (const int bits : {65, 66, 67, 80, 92, 93, 94, 100, 104, 105, 110, 117, 123}) {
    moduli.push_back(WideModulus::largest_prime(bits));
  }
  for (const int bits : {112, 120, 124}) {
    moduli.push_back(generate_special_wide_primes(bits, 1).front());
  }
  moduli.push_back(generate_wide_ntt_primes(124, 1 << 16, 1).front());
  return moduli;
}

/// Primes of both families that have transforms of all lengths in these tests.
std::vector<WideModulus> ntt_moduli() {
  std::vector<WideModulus> moduli = {generate_special_wide_primes(124, 1).front(),
                                     generate_special_wide_primes(112, 1).front()};
  for (const int bits : {100, 112, 124}) {
    moduli.push_back(generate_wide_ntt_primes(bits, kMaxWideNttDegree, 1).front());
  }
  return moduli;
}

/// Expects result[i] = reference(a[i], b[i]) mod q.
template <typename Reference>
void expect_elements(const DoubleWords& result, const DoubleWords& a, const DoubleWords& b,
                     const WideModulus& q, const Reference& reference) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const mpz_class expected = modulo(reference(to_mpz(a[i]), to_mpz(b[i])), to_mpz(q));
    ASSERT_TRUE(to_mpz(result[i]) == expected)
        << "element " << i << ": " << to_mpz(a[i]).get_str() << ", " << to_mpz(b[i]).get_str();
  }
}

/// Pairs of every edge with every edge, then random elements; their number is odd.
std::pair<DoubleWords, DoubleWords> operands(const WideModulus& q, std::mt19937_64& rng) {
  const DoubleWords edges = edge_elements(q);
  DoubleWords a = random_elements(scaled(kElements), q, rng);
  DoubleWords b = random_elements(a.size(), q, rng);
  for (const DoubleWord& x : edges) {
    a.insert(a.end(), edges.size(), x);
    b.insert(b.end(), edges.begin(), edges.end());
  }
  if (a.size() % 2 == 0) {
    a.erase(a.begin());
    b.erase(b.begin());
  }
  return {a, b};
}

void check_eltwise(const WideModulus& q, const std::string& kernel, bool pairs,
                   std::mt19937_64& rng) {
  const WideEltwise eltwise(q, KernelSelection(kernel));
  ASSERT_EQ(eltwise.kernel_name(), kernel);
  const auto [a, b] = operands(q, rng);
  GuardedWide x(a, pairs, 1);
  GuardedWide y(b, pairs);
  GuardedWide z(a, !pairs);
  using Mpz = const mpz_class&;
  const auto multiply = [](Mpz s, Mpz t) -> mpz_class { return s * t; };
  eltwise.add(z.view(), x.view(), y.view());
  expect_elements(z.values(), a, b, q, [](Mpz s, Mpz t) -> mpz_class { return s + t; });
  eltwise.subtract(z.view(), x.view(), y.view());
  expect_elements(z.values(), a, b, q, [](Mpz s, Mpz t) -> mpz_class { return s - t; });
  eltwise.multiply(z.view(), x.view(), y.view());
  expect_elements(z.values(), a, b, q, multiply);
  for (const DoubleWord& scalar : {DoubleWord{0, 0}, less_than_modulus(q, 1), b.front()}) {
    const mpz_class factor = to_mpz(scalar);
    eltwise.multiply_scalar_add(z.view(), scalar, x.view(), y.view());
    expect_elements(z.values(), a, b, q, [&](Mpz s, Mpz t) -> mpz_class { return factor * s + t; });
  }
  // The operations in place, in both layouts.
  eltwise.multiply(y.view(), x.view(), y.view());
  expect_elements(y.values(), a, b, q, multiply);
}

void check_dot(const WideModulus& q, const std::string& kernel, std::mt19937_64& rng) {
  const WideEltwise eltwise(q, KernelSelection(kernel));
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8},
                                  std::size_t{1023}, scaled(std::size_t{9001})}) {
    const DoubleWords largest(count, less_than_modulus(q, 1));
    for (const auto& [a, b] :
         {std::pair(largest, largest),
          std::pair(random_elements(count, q, rng), random_elements(count, q, rng))}) {
      mpz_class sum = 0;
      for (std::size_t i = 0; i < count; ++i) sum += to_mpz(a[i]) * to_mpz(b[i]);
      const DoubleWord result =
          eltwise.dot(GuardedWide(a, true).view(), GuardedWide(b, false, 1).view());
      EXPECT_TRUE(to_mpz(result) == sum % to_mpz(q)) << count;
    }
  }
}

void check_reduce(const WideModulus& q, const std::string& kernel, std::mt19937_64& rng) {
  const WideEltwise eltwise(q, KernelSelection(kernel));
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  DoubleWords a = {{0, 0}, {kOnes, kOnes}, {kOnes - 1, kOnes}, {0, kOnes}, {kOnes, 0}, {0, 1}};
  for (const DoubleWord& x : edge_elements(q)) a.push_back(x);
  for (std::size_t i = 0; i < scaled(kElements); ++i) a.push_back({rng(), rng()});
  for (const bool pairs : {false, true}) {
    GuardedWide x(a, pairs);
    eltwise.reduce(x.view(), x.view());
    expect_elements(x.values(), a, a, q, [](const mpz_class& s, const mpz_class&) { return s; });
  }
}

TEST(NttWide, ElementwiseOperationsAreThoseOfGmp) {
  auto rng = make_rng();
  for (const WideModulus& q : eltwise_moduli()) {
    for (const std::string& kernel : wide_kernel_names(q)) {
      SCOPED_TRACE(kernel + " modulo " + q.to_string());
      for (const bool pairs : {false, true}) check_eltwise(q, kernel, pairs, rng);
      check_dot(q, kernel, rng);
      check_reduce(q, kernel, rng);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(NttWide, SmallTransformsAreTheDefinition) {
  auto rng = make_rng();
  for (const WideModulus& q : ntt_moduli()) {
    for (const WideRing ring : {WideRing::negacyclic, WideRing::cyclic}) {
      for (const std::size_t degree : {16, 32, 64, 128}) {
        DoubleWords a = random_elements(degree, q, rng);
        if (degree == 32) a.assign(degree, less_than_modulus(q, 1));
        const DoubleWords expected =
            transform_by_definition(a, WideNtt(degree, q, ring, KernelSelection("scalar64")));
        for (const std::string& kernel : wide_kernel_names(q)) {
          SCOPED_TRACE(kernel + " modulo " + q.to_string());
          const WideNtt ntt(degree, q, ring, KernelSelection(kernel));
          for (const bool pairs : {false, true}) {
            GuardedWide x(a, pairs, 1);
            GuardedWide y(DoubleWords(degree), !pairs);
            ntt.forward(y.view(), x.view());
            EXPECT_EQ(y.values(), expected) << degree;
            ntt.inverse(y.view(), y.view());
            EXPECT_EQ(y.values(), a) << degree;
          }
        }
      }
    }
  }
}

TEST(NttWide, ProductsAreThoseOfGmp) {
  auto rng = make_rng();
  for (const WideModulus& q : ntt_moduli()) {
    for (const WideRing ring : {WideRing::negacyclic, WideRing::cyclic}) {
      for (const int log_degree : {10, 11, 12, 13, 14}) {
        const std::size_t degree = std::size_t{1} << log_degree;
        const DoubleWords a = log_degree == 11 ? DoubleWords(degree, less_than_modulus(q, 1))
                                               : random_elements(degree, q, rng);
        const DoubleWords b = log_degree == 11 ? a : random_elements(degree, q, rng);
        const DoubleWords expected = product_by_gmp(a, b, q, ring);
        for (const std::string& kernel : wide_kernel_names(q)) {
          SCOPED_TRACE(kernel + " modulo " + q.to_string());
          const WideNtt ntt(degree, q, ring, KernelSelection(kernel));
          const WideEltwise eltwise(q, KernelSelection(kernel));
          AlignedVector<std::uint64_t> scratch(ntt.scratch_words());
          GuardedWide x(a, false);
          GuardedWide y(b, true);
          ntt.forward(x.view(), x.view(), scratch);
          ntt.forward(y.view(), y.view(), scratch);
          eltwise.multiply(x.view(), x.view(), y.view());
          ntt.inverse(x.view(), x.view(), scratch);
          EXPECT_EQ(x.values(), expected) << degree;
        }
      }
    }
  }
}

/// Expects that the inverse transform of every kernel that takes q returns the operand.
void expect_way_back(std::size_t degree, const WideModulus& q, const DoubleWords& a) {
  const WideNtt any(degree, q, WideRing::negacyclic, KernelSelection("scalar64"));
  for (const std::string& kernel : wide_kernel_names(q)) {
    SCOPED_TRACE(kernel + " modulo " + q.to_string());
    const WideNtt ntt(degree, q, WideRing::negacyclic, any.root_of_unity(),
                      KernelSelection(kernel));
    GuardedWide x(a, false);
    ntt.forward(x.view(), x.view());
    EXPECT_NE(x.values(), a);
    ntt.inverse(x.view(), x.view());
    EXPECT_EQ(x.values(), a);
  }
}

TEST(NttWide, LongTransformsComeBack) {
  auto rng = make_rng();
  const std::vector<WideModulus> moduli = {ntt_moduli().front(), ntt_moduli().back()};
  for (const WideModulus& q : moduli) {
    constexpr std::size_t kDegree = std::size_t{1} << 15;
    expect_way_back(kDegree, q, DoubleWords(kDegree, less_than_modulus(q, 1)));
    expect_way_back(2 * kDegree, q, random_elements(2 * kDegree, q, rng));
  }
  // Only a few of the longest transforms: their tables take longer than the transforms.
  for (std::size_t i = 0; i < std::min(test_scale(), moduli.size()); ++i) {
    expect_way_back(kMaxWideNttDegree, moduli[i],
                    random_elements(kMaxWideNttDegree, moduli[i], rng));
  }
}

// Double words modulo every odd number beside a power of two. There, values that kernels derive
// from q (its reciprocal, digits, shifts) carry or change their length. Products are next to a
// multiple of q, where an error of one shows.

constexpr unsigned kNeighbours = 64;

/// Pairs x, y with the products 0, 1, q - 1, (q - 1) / 2 and (q + 1) / 2 modulo q, and edges.
struct Operands {
  std::vector<mpz_class> x;
  std::vector<mpz_class> y;

  Operands(const mpz_class& q, gmp_randclass& random) {
    for (const mpz_class& small : {mpz_class(0), mpz_class(1), mpz_class(2)}) add(small, q - 1);
    add(q - 1, q - 1);
    add(q / 2, 2);
    add(q / 2, q - 2);
    for (const mpz_class& product : {mpz_class(1), mpz_class(q - 1), mpz_class(q / 2),
                                     mpz_class(q / 2 + 1), mpz_class(random.get_z_range(q))}) {
      const mpz_class factor = random.get_z_range(q);
      mpz_class inverse;
      if (mpz_invert(inverse.get_mpz_t(), factor.get_mpz_t(), q.get_mpz_t()) == 0) continue;
      add(factor, product * inverse % q);
    }
  }

 private:
  void add(const mpz_class& a, const mpz_class& b) {
    x.push_back(a);
    y.push_back(b);
  }
};

DoubleWords double_words(const std::vector<mpz_class>& values) {
  DoubleWords words(values.size());
  std::ranges::transform(values, words.begin(), to_words<2>);
  return words;
}

void expect_right(const mpz_class& q, const std::string& kernel, const Operands& operands) {
  const DoubleWord value = to_words<2>(q);
  const WideModulus modulus({value[0], value[1], 0});
  const WideEltwise eltwise(modulus, KernelSelection(kernel));
  const std::vector<mpz_class>& x = operands.x;
  const std::vector<mpz_class>& y = operands.y;
  std::vector<mpz_class> products(x.size());
  std::vector<mpz_class> sums(x.size());
  std::vector<mpz_class> long_values(x.size());
  mpz_class dot = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    products[i] = x[i] * y[i] % q;
    sums[i] = (x.back() * x[i] + y[i]) % q;
    // Next to multiples of q, close to the largest value of two words.
    long_values[i] = (mpz_class(1) << 128) / q * q - (i % 2) + x[i] / 4;
    if (long_values[i] >= mpz_class(1) << 128) long_values[i] -= q;
    dot += products[i];
  }
  GuardedWide a(double_words(x), false);
  GuardedWide b(double_words(y), false);
  GuardedWide result(DoubleWords(x.size()), false);
  eltwise.multiply(result.view(), a.view(), b.view());
  ASSERT_EQ(result.values(), double_words(products));
  eltwise.multiply_scalar_add(result.view(), to_words<2>(x.back()), a.view(), b.view());
  ASSERT_EQ(result.values(), double_words(sums));
  ASSERT_EQ(eltwise.dot(a.view(), b.view()), to_words<2>(dot % q));
  GuardedWide words(double_words(long_values), false);
  eltwise.reduce(words.view(), words.view());
  for (mpz_class& x_long : long_values) x_long %= q;
  ASSERT_EQ(words.values(), double_words(long_values));
}

/// All odd numbers beside powers of two, special moduli k * 2^104 + 1 for k beside them, moduli
/// whose limbs of 46 or 52 bits are at their ends, and some whose reciprocals have such a limb: 2^n
/// / q is next to an integer or to a half.
std::vector<mpz_class> moduli_at_limits(gmp_randclass& random) {
  std::vector<mpz_class> found;
  for (unsigned bits = 2; bits <= 124; ++bits) {
    const mpz_class power = mpz_class(1) << bits;
    for (unsigned k = 1; k <= kNeighbours; k += 2) {
      found.insert(found.end(), {mpz_class(power + k), mpz_class(power - k)});
    }
    for (unsigned k = 0; bits < 20 && k < 4; ++k) {
      found.push_back(((power + k) << 104) + 1);
      found.push_back(((power - k) << 104) + 1);
    }
  }
  for (const unsigned limb : {46U, 52U}) {
    const mpz_class radix = mpz_class(1) << limb;
    std::vector<mpz_class> ends{0, 1, mpz_class(radix - 1), mpz_class(radix - 2)};
    for (int d = -1; d <= 1; ++d) ends.emplace_back(radix / 2 + d);
    for (unsigned top = 0; top < 124 - 2 * limb; ++top) {
      for (const mpz_class& middle : ends) {
        for (const mpz_class& low : ends) {
          found.push_back((((mpz_class(1) << top) * radix + middle) * radix + low) | 1);
        }
      }
    }
  }
  for (unsigned n = 124; n <= 250; ++n) {
    for (unsigned bits = n - 123; bits < n - 60 && bits <= 124; bits += 7) {
      const mpz_class reciprocal = (random.get_z_bits(bits - 1) | 1) + (mpz_class(1) << bits);
      const mpz_class q = (mpz_class(1) << n) / reciprocal;
      for (int d = -2; d <= 2; ++d) found.push_back((q + d) | 1);
    }
  }
  std::erase_if(found, [](const mpz_class& q) { return q < 3 || (q >> 124) != 0; });
  return found;
}

TEST(NttWideLimits, ModuliBesidePowersOfTwo) {
  gmp_randclass random(gmp_randinit_default);
  random.seed(make_rng()());
  std::map<std::string, int> moduli;
  for (const mpz_class& q : moduli_at_limits(random)) {
    const DoubleWord value = to_words<2>(q);
    const Operands operands(q, random);
    for (const std::string& kernel : wide_kernel_names(WideModulus({value[0], value[1], 0}))) {
      SCOPED_TRACE(kernel + " modulo " + q.get_str());
      expect_right(q, kernel, operands);
      if (HasFatalFailure()) return;
      ++moduli[kernel];
    }
  }
  for (const auto& [kernel, count] : moduli) EXPECT_GE(count, 20) << kernel;
}

}  // namespace
}  // namespace ringlet::test
