// SPDX-License-Identifier: Apache-2.0
#include <gmp.h>

#include "ringlet/eltwise.hpp"
#include "ringlet/error.hpp"
#include "support/eltwise_kernels.hpp"
#include "support/eltwise_refusal.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// Sums of products, of every kernel by its exact name, against integers of any size.

namespace ringlet::test {
namespace {

using Words = std::vector<std::uint64_t>;
using Span = std::span<const std::uint64_t>;

/// An integer of GMP that frees itself and adds products.
class BigSum {
 public:
  BigSum() {
    mpz_init(sum_);
    mpz_init(factor_);
  }
  BigSum(const BigSum&) = delete;
  BigSum& operator=(const BigSum&) = delete;
  ~BigSum() {
    mpz_clear(factor_);
    mpz_clear(sum_);
  }
  void add_product(std::uint64_t x, std::uint64_t y) {
    mpz_set_ui(factor_, x);
    mpz_addmul_ui(sum_, factor_, y);
  }
  std::uint64_t modulo(std::uint64_t q) const { return mpz_fdiv_ui(sum_, q); }

 private:
  mpz_t sum_;
  mpz_t factor_;
};

/// Vectors of `count` words, two for each of `term_count` terms.
struct Terms {
  Terms(std::size_t term_count, std::size_t count, std::uint64_t q, std::mt19937_64& rng) {
    for (std::size_t k = 0; k < term_count; ++k) {
      a.push_back(mixed_values(count, q, 1, rng));
      b.push_back(mixed_values(count, q, 1, rng));
    }
  }
  Words expected(std::size_t count, std::uint64_t q) const {
    Words result(count);
    for (std::size_t i = 0; i < count; ++i) {
      BigSum sum;
      for (std::size_t k = 0; k < a.size(); ++k) sum.add_product(a[k][i], b[k][i]);
      result[i] = sum.modulo(q);
    }
    return result;
  }
  std::vector<Span> a_spans() const { return {a.begin(), a.end()}; }
  std::vector<Span> b_spans() const { return {b.begin(), b.end()}; }

  std::vector<Words> a;
  std::vector<Words> b;
};

std::vector<KernelInfo> kernels_of(const std::string& operation) {
  std::vector<KernelInfo> kernels = eltwise_kernels();
  std::erase_if(kernels, [&](const KernelInfo& kernel) { return kernel.operation != operation; });
  return kernels;
}

class AccumulateTest : public ::testing::TestWithParam<KernelInfo> {
 protected:
  void SetUp() override {
    if (!GetParam().available) GTEST_SKIP() << "this processor cannot run " << GetParam().name;
  }
  static Eltwise exact(std::uint64_t q) {
    const Eltwise eltwise(q, KernelSelection(GetParam().table + "/" + GetParam().algorithm));
    EXPECT_EQ(eltwise.kernel_name(GetParam().operation),
              GetParam().table + "/" + GetParam().algorithm);
    return eltwise;
  }
  /// The largest modulus of every width at which a kernel's number of terms may change.
  static Words largest_moduli() {
    Words moduli;
    for (const int bits :
         {1, 2, 3, 20, 31, 32, 33, 34, 45, 46, 47, 48, 49, 50, 58, 59, 60, 61, 62}) {
      const std::uint64_t power = std::uint64_t{1} << bits;
      for (const std::uint64_t q : {power - 1, power, power + 1}) {
        if (q >= 2 && takes_modulus(GetParam(), q)) moduli.push_back(q);
      }
    }
    return moduli;
  }
};

class MultiplyAccumulate : public AccumulateTest {
 protected:
  static void check(std::uint64_t q, std::size_t term_count, std::size_t count,
                    std::mt19937_64& rng) {
    const Terms terms(term_count, count, q, rng);
    Words result(count, 0x77);
    exact(q).multiply_accumulate(result, terms.a_spans(), terms.b_spans());
    ASSERT_EQ(result, terms.expected(count, q)) << "q = " << q << ", terms = " << term_count;
  }
};

TEST_P(MultiplyAccumulate, AgreesForEveryKindOfModulus) {
  auto rng = make_rng();
  for (const std::uint64_t q : eltwise_moduli(GetParam())) {
    for (const std::size_t terms : {1, 2, 5, 21}) check(q, terms, 19, rng);
  }
}

TEST_P(MultiplyAccumulate, AgreesForEveryLength) {
  auto rng = make_rng();
  for (const std::size_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 33, 64, 65, 1003}) {
    for (const std::size_t terms : {1, 3, 18}) {
      check(GetParam().modulus_limit - 1, terms, n, rng);
      check((std::uint64_t{1} << 49) - 69, terms, n, rng);
    }
  }
}

// From 2^16 words of second factors on, kernels ask for them ahead.
TEST_P(MultiplyAccumulate, AgreesWhereFactorsAreFarAndWhereTheyAreNot) {
  auto rng = make_rng();
  for (const std::size_t n : {8191, 8192, 8193, 9005}) {
    check(GetParam().modulus_limit - 1, 8, n, rng);
  }
}

TEST_P(MultiplyAccumulate, NoTermsGiveZeros) {
  for (const std::uint64_t q : {std::uint64_t{2}, GetParam().modulus_limit - 1}) {
    Words result(21, 0x77);
    exact(q).multiply_accumulate(result, {}, {});
    EXPECT_EQ(result, Words(21, 0));
  }
}

// (q-1)^2 is 1 modulo q, so that the sum is the number of terms.
TEST_P(MultiplyAccumulate, HoldsAsManyOfTheLargestProductsAsItClaims) {
  for (const std::uint64_t q : largest_moduli()) {
    const Eltwise eltwise = exact(q);
    const Words largest(19, q - 1);
    for (std::size_t power = 2; power <= 4096; power *= 2) {
      for (const std::size_t count : {power - 1, power, power + 1, 3 * power / 2}) {
        const std::vector<Span> terms(count, largest);
        Words result(largest.size());
        eltwise.multiply_accumulate(result, terms, terms);
        ASSERT_EQ(result, Words(largest.size(), count % q)) << "q = " << q << ", " << count;
      }
    }
  }
}

TEST_P(MultiplyAccumulate, ManyTermsAgree) {
  auto rng = make_rng();
  for (const std::uint64_t q : {std::uint64_t{2}, std::uint64_t{3}, (std::uint64_t{1} << 46) - 21,
                                GetParam().modulus_limit - 1}) {
    for (const std::size_t terms : {2047, 2048, 2049, 4095, 4096, 4097}) check(q, terms, 11, rng);
  }
}

TEST_P(MultiplyAccumulate, WorksInPlaceOnEveryOperand) {
  auto rng = make_rng();
  const std::uint64_t q = GetParam().modulus_limit - 1;
  const Eltwise eltwise = exact(q);
  for (const std::size_t n : {1, 5, 8, 13, 16, 17, 100}) {
    for (const std::size_t place : {0, 1, 4, 17}) {
      for (const bool on_a : {true, false}) {
        Terms terms(18, n, q, rng);
        const Words expected = terms.expected(n, q);
        Words& result = on_a ? terms.a[place] : terms.b[place];
        eltwise.multiply_accumulate(result, terms.a_spans(), terms.b_spans());
        EXPECT_EQ(result, expected) << (on_a ? "a" : "b") << place << ", n = " << n;
      }
    }
    Words x = random_residues(n, q, rng);
    const Words before = x;
    const std::vector<Span> all_the_same(5, x);
    eltwise.multiply_accumulate(x, all_the_same, all_the_same);
    for (std::size_t i = 0; i < n; ++i) {
      BigSum sum;
      for (int k = 0; k < 5; ++k) sum.add_product(before[i], before[i]);
      EXPECT_EQ(x[i], sum.modulo(q));
    }
  }
}

TEST_P(MultiplyAccumulate, TakesAnyAlignmentAndTouchesNothingElse) {
  auto rng = make_rng();
  const std::uint64_t q = GetParam().modulus_limit - 57;
  const Eltwise eltwise = exact(q);
  for (const std::size_t n : {1, 3, 7, 8, 9, 16, 21, 64, 65}) {
    for (std::size_t shift = 0; shift < 8; ++shift) {
      const Terms terms(3, n, q, rng);
      std::vector<GuardedWords> a;
      std::vector<GuardedWords> b;
      for (std::size_t k = 0; k < 3; ++k) {
        a.emplace_back(terms.a[k], (shift + k) % 8);
        b.emplace_back(terms.b[k], (3 * shift + 5 * k + 1) % 8);
      }
      GuardedWords result(Words(n), (5 * shift) % 8);
      eltwise.multiply_accumulate(result.span(),
                                  std::vector<Span>{a[0].span(), a[1].span(), a[2].span()},
                                  std::vector<Span>{b[0].span(), b[1].span(), b[2].span()});
      EXPECT_EQ(result.values(), terms.expected(n, q)) << n << ", " << shift;
      EXPECT_TRUE(result.guards_intact()) << n << ", " << shift;
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(a[k].values(), terms.a[k]);
        EXPECT_EQ(b[k].values(), terms.b[k]);
        EXPECT_TRUE(a[k].guards_intact() && b[k].guards_intact());
      }
    }
  }
}

TEST_P(MultiplyAccumulate, HoldsItsLimitFromBothSides) {
  auto rng = make_rng();
  const std::uint64_t limit = GetParam().modulus_limit;
  for (const std::uint64_t below : {1, 2, 3, 4}) check(limit - below, 33, 65, rng);
  EXPECT_THROW(Eltwise(limit, KernelSelection(GetParam().table + "/" + GetParam().algorithm)),
               InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Kernels, MultiplyAccumulate,
                         ::testing::ValuesIn(kernels_of("multiply_accumulate")), kernel_test_name);

class Dot : public AccumulateTest {
 protected:
  static void check(std::uint64_t q, std::size_t count, std::mt19937_64& rng) {
    const Words a = mixed_values(count, q, 1, rng);
    const Words b = mixed_values(count, q, 1, rng);
    BigSum sum;
    for (std::size_t i = 0; i < count; ++i) sum.add_product(a[i], b[i]);
    ASSERT_EQ(exact(q).dot(a, b), sum.modulo(q)) << "q = " << q << ", n = " << count;
  }
};

TEST_P(Dot, AgreesForEveryKindOfModulus) {
  auto rng = make_rng();
  for (const std::uint64_t q : eltwise_moduli(GetParam())) {
    for (const std::size_t n : {5, 41, 300}) check(q, n, rng);
  }
}

TEST_P(Dot, AgreesForEveryLength) {
  auto rng = make_rng();
  for (std::size_t n = 0; n < 70; ++n) {
    check(GetParam().modulus_limit - 1, n, rng);
    check((std::uint64_t{1} << 49) - 69, n, rng);
  }
  for (const std::uint64_t q : {std::uint64_t{2}, std::uint64_t{3}, (std::uint64_t{1} << 46) - 21,
                                GetParam().modulus_limit - 1}) {
    for (const std::size_t n : {1000, 1024, 1025, 4096, 100000}) check(q, n, rng);
  }
}

TEST_P(Dot, HoldsAsManyOfTheLargestProductsAsItClaims) {
  for (const std::uint64_t q : largest_moduli()) {
    const Eltwise eltwise = exact(q);
    const Words largest((std::size_t{1} << 17) + 64, q - 1);
    const auto check_count = [&](std::size_t n) {
      const Span words = Span(largest).first(n);
      ASSERT_EQ(eltwise.dot(words, words), n % q) << "q = " << q << ", n = " << n;
    };
    for (std::size_t n = 0; n < 600; ++n) check_count(n);
    for (std::size_t power = 1024; power <= std::size_t{1} << 17; power *= 2) {
      for (const std::size_t less : {33, 32, 31, 17, 16, 15, 9, 8, 7, 1, 0}) {
        check_count(power - less);
        check_count(power + less);
      }
    }
  }
}

TEST_P(Dot, TakesAnyAlignmentAndTheSameVectorTwice) {
  auto rng = make_rng();
  const std::uint64_t q = GetParam().modulus_limit - 57;
  const Words values = mixed_values(200, q, 1, rng);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    for (const std::size_t n : {1, 7, 8, 9, 63, 150}) {
      const Span a = Span(values).subspan(shift, n);
      const Span b = Span(values).subspan(3 * shift, n);
      BigSum products;
      BigSum squares;
      for (std::size_t i = 0; i < n; ++i) {
        products.add_product(a[i], b[i]);
        squares.add_product(a[i], a[i]);
      }
      EXPECT_EQ(exact(q).dot(a, b), products.modulo(q)) << n << ", " << shift;
      EXPECT_EQ(exact(q).dot(a, a), squares.modulo(q)) << n << ", " << shift;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Dot, ::testing::ValuesIn(kernels_of("dot")), kernel_test_name);

TEST(AccumulateKernels, EveryTableStatesItsLimit) {
  const auto limit = [](int bits) { return std::uint64_t{1} << bits; };
  for (const KernelInfo& kernel : kernels_of("multiply_accumulate")) {
    const bool in_52_bits = kernel.table == "ifma52" || kernel.algorithm == "float-sum";
    EXPECT_EQ(kernel.modulus_limit, limit(in_52_bits ? 50 : 62)) << kernel.name;
  }
  for (const KernelInfo& kernel : kernels_of("dot")) {
    EXPECT_EQ(kernel.modulus_limit, limit(kernel.table == "ifma52" ? 50 : 62)) << kernel.name;
  }
}

class AccumulateRefusal : public EltwiseRefusal {
 protected:
  std::vector<Span> parts(std::initializer_list<std::size_t> places) {
    std::vector<Span> all;
    for (const std::size_t place : places) all.push_back(part(place * kCount));
    return all;
  }
  void expect_refusal(std::span<std::uint64_t> result, const std::vector<Span>& a,
                      const std::vector<Span>& b, const std::string& offending) {
    expect_refusal_of("Eltwise::multiply_accumulate", offending,
                      [&] { eltwise_.multiply_accumulate(result, a, b); });
  }
};

TEST_F(AccumulateRefusal, DifferentNumbersOfTerms) {
  expect_refusal(part(0), parts({1, 2}), parts({3}), "2 vectors in a, 1 in b");
  expect_refusal(part(0), {}, parts({3}), "0 vectors in a, 1 in b");
  expect_refusal(part(0), parts({3}), {}, "1 vectors in a, 0 in b");
}

TEST_F(AccumulateRefusal, OneTermOfAnotherLength) {
  for (const std::size_t count : {std::size_t{0}, kCount - 1, kCount + 1}) {
    std::vector<Span> a = parts({1, 2, 3});
    std::vector<Span> b = parts({4, 5, 6});
    a[2] = part(3 * kCount, count);
    expect_refusal(part(0), a, b, "a has " + std::to_string(count) + " words");
    b[1] = part(5 * kCount, count);
    expect_refusal(part(0), parts({1, 2, 3}), b, "b has " + std::to_string(count) + " words");
  }
}

TEST_F(AccumulateRefusal, PartialOverlapWithOneTerm) {
  for (const std::size_t distance : {std::size_t{1}, kCount / 2, kCount - 1}) {
    expect_refusal(part(3 * kCount + distance), parts({1, 3}), parts({5, 6}), "after a");
    expect_refusal(part(3 * kCount - distance), parts({1, 3}), parts({5, 6}), "before a");
    expect_refusal(part(3 * kCount + distance), parts({5, 6}), parts({1, 3}), "after b");
    expect_refusal(part(3 * kCount - distance), parts({5, 6}), parts({1, 3}), "before b");
  }
}

TEST_F(AccumulateRefusal, NullAndMisalignedTerms) {
  const Span null(static_cast<const std::uint64_t*>(nullptr), kCount);
  expect_refusal(part(0), {part(kCount), null}, parts({2, 3}), "a is null");
  expect_refusal(part(0), parts({2, 3}), {part(kCount), null}, "b is null");
  const auto* bytes = reinterpret_cast<const unsigned char*>(memory_.data() + 4 * kCount) + 4;
  const Span shifted(reinterpret_cast<const std::uint64_t*>(bytes), kCount);
  expect_refusal(part(0), {part(kCount), shifted}, parts({2, 3}), "a starts at address");
  expect_refusal(part(0), parts({2, 3}), {part(kCount), shifted}, "b starts at address");
}

TEST_F(AccumulateRefusal, DotOfDifferentLengths) {
  EXPECT_THROW((void)eltwise_.dot(part(0), part(kCount, kCount - 1)), InvalidArgument);
  EXPECT_THROW((void)eltwise_.dot(part(0, 0), part(kCount, 1)), InvalidArgument);
}

TEST_F(AccumulateRefusal, OperandsOfDotMayOverlap) {
  EXPECT_NO_THROW((void)eltwise_.dot(part(0), part(1)));
}

TEST_F(AccumulateRefusal, ModuliOfMoreThan62Bits) {
  const Eltwise eltwise{Modulus((std::uint64_t{1} << 62) + 1)};
  EXPECT_EQ(eltwise.kernel_name("dot"), "");
  Words result(3);
  const Words words(3, 1);
  EXPECT_THROW((void)eltwise.dot(words, words), InvalidArgument);
  EXPECT_THROW(
      eltwise.multiply_accumulate(result, std::array<Span, 1>{words}, std::array<Span, 1>{words}),
      InvalidArgument);
}

}  // namespace
}  // namespace ringlet::test
