// SPDX-License-Identifier: Apache-2.0
#include <gmp.h>

#include <flint/ulong_extras.h>

#include "support/eltwise_sample.hpp"
#include "support/kernel_under_test.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// Every element-wise kernel, with every range factor, against FLINT, against division of double
// words and, for sums of products, against the exact sum of GMP: random operands modulo the
// smallest and the largest prime of every size and other moduli, vectors of edge values, and
// operands next to the largest ones and to multiples of the modulus.

namespace ringlet::test {
namespace {

constexpr std::size_t kElementsPerKernel = 100'000;

/// The smallest primes of 2 to 63 bits.
const Words& smallest_primes() {
  static const Words primes = [] {
    Words found;
    for (int bits = 2; bits <= 63; ++bits) {
      found.push_back(n_nextprime((std::uint64_t{1} << (bits - 1)) - 1, 1));
    }
    return found;
  }();
  return primes;
}

/// The largest primes of 2 to 63 bits.
const Words& largest_primes() {
  static const Words primes = [] {
    Words found;
    for (int bits = 2; bits <= 63; ++bits) {
      std::uint64_t n = (std::uint64_t{1} << bits) - 1;
      while (n_is_prime(n) == 0) n -= 2;
      found.push_back(n);
    }
    return found;
  }();
  return primes;
}

/// Of these moduli those that the kernel takes.
Words taken(const KernelUnderTest& kernel, Words moduli) {
  std::erase_if(moduli, [&](std::uint64_t q) { return !kernel.takes(q); });
  return moduli;
}

/// The smallest and the largest prime of every size, the smallest moduli, even and other composite
/// ones, and both ends of the kernel's range.
Words moduli_of(const KernelUnderTest& kernel) {
  Words moduli = smallest_primes();
  moduli.insert(moduli.end(), largest_primes().begin(), largest_primes().end());
  for (std::uint64_t q = 2; q < 20; ++q) moduli.push_back(q);
  for (int bits = 6; bits < 63; bits += 4) {
    const std::uint64_t power = std::uint64_t{1} << bits;
    moduli.insert(moduli.end(), {power, power - 2, power + 2, power / 3 * 3});
  }
  moduli.insert(moduli.end(), {kernel.modulus_minimum(), kernel.modulus_minimum() + 1,
                               kernel.modulus_limit() - 1, kernel.modulus_limit() - 2});
  std::sort(moduli.begin(), moduli.end());
  moduli.erase(std::unique(moduli.begin(), moduli.end()), moduli.end());
  return taken(kernel, moduli);
}

/// How many random elements each kernel was compared on, for the end of the program.
class ElementCounts : public ::testing::Environment {
 public:
  static std::vector<std::pair<std::string, std::size_t>>& counts() {
    static std::vector<std::pair<std::string, std::size_t>> counts;
    return counts;
  }
  void TearDown() override {
    for (const auto& [name, elements] : counts()) {
      std::printf("random elements compared: %-44s %10zu\n", name.c_str(), elements);
    }
  }
};

const ::testing::Environment* const kElementCounts =
    ::testing::AddGlobalTestEnvironment(new ElementCounts);

/// Sums of products as integers of any size, reduced once.
Words expected_by_gmp(std::string_view operation, const EltwiseOperands& x, std::uint64_t q) {
  Words result(result_count(operation, x.a.size()));
  mpz_t sum;
  mpz_t factor;
  mpz_init(sum);
  mpz_init(factor);
  const auto add_product = [&](std::uint64_t a, std::uint64_t b) {
    mpz_set_ui(factor, a);
    mpz_addmul_ui(sum, factor, b);
  };
  if (operation == "dot") {
    for (std::size_t i = 0; i < x.a.size(); ++i) add_product(x.a[i], x.b[i]);
    result[0] = mpz_fdiv_ui(sum, q);
  } else {
    for (std::size_t i = 0; i < result.size(); ++i) {
      mpz_set_ui(sum, 0);
      for (std::size_t k = 0; k < x.a_terms.size(); ++k) {
        add_product(x.a_terms[k][i], x.b_terms[k][i]);
      }
      result[i] = mpz_fdiv_ui(sum, q);
    }
  }
  mpz_clear(factor);
  mpz_clear(sum);
  return result;
}

std::string describe(std::uint64_t q, const EltwiseOperands& x) {
  return "q = " + std::to_string(q) + ", n = " + std::to_string(x.a.size()) +
         ", scalar = " + std::to_string(x.scalar) + ", factors " + std::to_string(x.factors.input) +
         " -> " + std::to_string(x.factors.output) + ", comparison " +
         std::to_string(static_cast<int>(x.comparison)) + " with " + std::to_string(x.bound) +
         ", terms " + std::to_string(x.a_terms.size());
}

/// The first place where the two differ, with what stands there in the operands.
std::string first_difference(const Words& result, const Words& expected, const EltwiseOperands& x) {
  for (std::size_t i = 0; i < result.size() && i < expected.size(); ++i) {
    if (result[i] == expected[i]) continue;
    std::string text = "element " + std::to_string(i) + " is " + std::to_string(result[i]) +
                       " instead of " + std::to_string(expected[i]);
    const auto append = [&](const char* name, std::span<const std::uint64_t> words) {
      if (i < words.size()) text += std::string(", ") + name + " = " + std::to_string(words[i]);
    };
    append("a", x.a);
    append("b", x.b);
    append("c", x.c);
    return text;
  }
  return "the lengths differ";
}

class EltwiseDifferential : public ::testing::TestWithParam<KernelUnderTest> {
 protected:
  void SetUp() override {
    if (!GetParam().is_available()) GTEST_SKIP() << "this processor cannot run it";
  }
  static std::string operation() { return GetParam().operation(); }

  /// Compares one call, out of place or on `a`, with FLINT and, where asked, with the others.
  static void check(std::uint64_t q, const EltwiseOperands& x, bool in_place, bool all_oracles) {
    Words result(result_count(operation(), x.a.size()));
    if (in_place && operation() != "dot") {
      result.assign(x.a.begin(), x.a.end());
      EltwiseOperands y = x;
      y.a = result;
      if (!y.a_terms.empty()) y.a_terms[0] = result;
      GetParam().run(q, result, y);
    } else {
      GetParam().run(q, result, x);
    }
    compare(result, expected_by_flint(operation(), x, q), q, x);
    if (!all_oracles) return;
    compare(result, expected_by_division(operation(), x, q), q, x);
    const bool has_terms = operation() == "dot" || !x.a_terms.empty();
    if (has_terms) compare(result, expected_by_gmp(operation(), x, q), q, x);
  }

 private:
  static void compare(const Words& result, const Words& expected, std::uint64_t q,
                      const EltwiseOperands& x) {
    if (result == expected) return;
    FAIL() << describe(q, x) << ": " << first_difference(result, expected, x);
  }
};

TEST_P(EltwiseDifferential, RandomElementsAgree) {
  auto rng = make_rng();
  const Words moduli = moduli_of(GetParam());
  std::size_t blocks = 0;
  for (const std::uint64_t q : moduli) blocks += factors_of(operation(), q).size();
  const std::size_t wanted = scaled(kElementsPerKernel);
  const std::size_t most = std::min(wanted / blocks, std::size_t{4096});
  std::size_t compared = 0;
  while (compared < wanted) {
    for (const std::uint64_t q : moduli) {
      for (const RangeFactors factors : factors_of(operation(), q)) {
        const std::size_t n = most + rng() % 64;
        const EltwiseSample sample(operation(), n, q, factors, rng);
        check(q, sample.operands(), rng() % 2 != 0, rng() % 4 == 0);
        if (HasFatalFailure()) return;
        compared += n;
      }
    }
  }
  EXPECT_GE(compared, wanted);
  RecordProperty("elements", std::to_string(compared));
  ElementCounts::counts().emplace_back(GetParam().name() + "/" + operation(), compared);
}

/// Every pair of edge values, with third operands and scalars that are edge values too.
TEST_P(EltwiseDifferential, EdgeVectorsAgree) {
  auto rng = make_rng();
  for (const std::uint64_t q : moduli_of(GetParam())) {
    for (const RangeFactors factors : factors_of(operation(), q)) {
      const auto input = static_cast<unsigned>(factors.input);
      const Words edges =
          takes_any_word(operation()) ? mixed_words(16, q, rng) : edge_values(q, input);
      const bool b_has_factor = operation() == "multiply";
      const Words b_edges = edge_values(q, b_has_factor ? input : 1);
      Words a;
      Words b;
      for (const std::uint64_t x : edges) {
        a.insert(a.end(), b_edges.size(), x);
        b.insert(b.end(), b_edges.begin(), b_edges.end());
      }
      const Words c_edges = edge_values(q, operation() == "multiply_scalar_add" ? input : 1);
      Words c(a.size());
      for (std::size_t i = 0; i < c.size(); ++i) c[i] = c_edges[(i + i / 7) % c_edges.size()];
      EltwiseOperands x{a, b, c, 0, factors};
      std::size_t turn = 0;
      for (const std::uint64_t scalar : {std::uint64_t{0}, std::uint64_t{1}, q / 2, q - 1}) {
        x.scalar = scalar;
        for (int i = 0; i < kComparisonCount; ++i) {
          x.comparison = static_cast<Comparison>(i);
          x.bound = edges[turn++ % edges.size()];
          check(q, x, false, i == 0);
          if (HasFatalFailure()) return;
          if (!operation().starts_with("compare_")) break;
        }
      }
    }
  }
}

/// Both operands within 10, 100, ..., 10^7 of the largest one, modulo the smallest prime of every
/// size: where one final subtraction after Barrett's quotient is not enough.
TEST_P(EltwiseDifferential, OperandsNextToTheLargestAgree) {
  auto rng = make_rng();
  for (const std::uint64_t q : taken(GetParam(), smallest_primes())) {
    for (const RangeFactors factors : factors_of(operation(), q)) {
      const std::uint64_t limit = static_cast<unsigned>(factors.input) * q;
      const bool b_has_factor = operation() == "multiply";
      const bool c_has_factor = operation() == "multiply_scalar_add";
      for (std::uint64_t distance = 10; distance <= 10'000'000; distance *= 10) {
        const auto near = [&](std::size_t count, std::uint64_t end) {
          Words words(count);
          for (std::uint64_t& word : words) word = end - 1 - rng() % std::min(distance, end);
          return words;
        };
        const Words a = near(scaled(128), limit);
        const Words b = near(a.size(), b_has_factor ? limit : q);
        const Words c = near(a.size(), c_has_factor ? limit : q);
        const Words scalar = near(1, q);
        check(q, {a, b, c, scalar[0], factors, Comparison::not_less, q - 1}, false, true);
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Products that are a multiple of q plus or minus a little: a quotient that is one off shows.
TEST_P(EltwiseDifferential, ProductsNextToMultiplesOfTheModulusAgree) {
  auto rng = make_rng();
  for (std::size_t i = 0; i < scaled(1); ++i) {
    for (const std::uint64_t q : moduli_of(GetParam())) {
      for (const RangeFactors factors : factors_of(operation(), q)) {
        const std::uint64_t input = static_cast<unsigned>(factors.input);
        constexpr std::size_t kCount = 24;
        std::uint64_t unit = 1 + rng() % (q - 1);
        while (n_gcd(unit, q) != 1) unit = 1 + rng() % (q - 1);
        const std::uint64_t inverse = n_invmod(unit, q);
        Words a(kCount);
        Words b(kCount, unit);
        Words c(kCount);
        for (std::size_t k = 0; k < kCount; ++k) {
          const std::uint64_t small = rng() % 4 % q;
          const std::uint64_t residue = rng() % 2 != 0 ? small : (q - small) % q;
          a[k] = static_cast<std::uint64_t>(uint128_t{inverse} * residue % q) + rng() % input * q;
          c[k] = rng() % std::min(q, std::uint64_t{4});
          if (operation() == "multiply") b[k] += rng() % input * q;
        }
        check(q, {a, b, c, unit, factors, Comparison::less, q / 2}, false, true);
        if (HasFatalFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EltwiseDifferential, ::testing::ValuesIn(kernels_under_test()),
                         under_test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EltwiseDifferential);

/// The kernels of sums of products.
std::vector<KernelUnderTest> adding_kernels() {
  std::vector<KernelUnderTest> kernels = kernels_under_test();
  std::erase_if(kernels, [](const KernelUnderTest& kernel) {
    return kernel.operation() != "dot" && kernel.operation() != "multiply_accumulate";
  });
  return kernels;
}

class EltwiseSumsOfProducts : public EltwiseDifferential {};

/// The largest products as often as their sums overflow two words and more.
TEST_P(EltwiseSumsOfProducts, ManyOfTheLargestAgree) {
  for (const std::uint64_t q : moduli_of(GetParam())) {
    for (const std::size_t terms : {2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 257}) {
      const bool is_dot = operation() == "dot";
      const Words largest(is_dot ? 8 * terms + 3 : 11, q - 1);
      EltwiseOperands x{largest, largest, largest};
      if (!is_dot) {
        x.a_terms.assign(terms, largest);
        x.b_terms.assign(terms, largest);
      }
      check(q, x, false, true);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EltwiseSumsOfProducts, ::testing::ValuesIn(adding_kernels()),
                         under_test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EltwiseSumsOfProducts);

}  // namespace
}  // namespace ringlet::test
