// SPDX-License-Identifier: Apache-2.0
#include "support/kernels/guarded_wide.hpp"
#include "support/values.hpp"

// Double words modulo every odd number beside a power of two, where what kernels derive from q (its
// reciprocal, digits, shifts) carries or changes its length, with products that are next to a
// multiple of q: whoever is off by one there is wrong.

namespace ringlet::test {
namespace {

constexpr unsigned kNeighbours = 64;

/// Pairs x, y whose products are 0, 1, q - 1, (q - 1) / 2 and (q + 1) / 2 modulo q, and edges.
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
    // As close below and above a multiple of q as two words go.
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
