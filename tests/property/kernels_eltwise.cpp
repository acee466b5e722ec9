// SPDX-License-Identifier: Apache-2.0
#include "ringlet/eltwise.hpp"
#include "support/eltwise_sample.hpp"
#include "support/kernel_under_test.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// Random moduli of every size and random short lengths, over all kernels; and laws that hold
// between the operations of the public interface.

namespace ringlet::test {
namespace {

/// A random modulus in [minimum, limit), limit <= 2^63, with a random number of bits.
std::uint64_t random_modulus(std::uint64_t minimum, std::uint64_t limit, std::mt19937_64& rng) {
  for (;;) {
    const int bits = 2 + static_cast<int>(rng() % 62);
    const std::uint64_t q = (std::uint64_t{1} << (bits - 1)) | (rng() >> (65 - bits));
    if (q >= minimum && q < limit) return q;
  }
}

class EltwiseProperty : public ::testing::TestWithParam<KernelUnderTest> {};

TEST_P(EltwiseProperty, RandomModuliAgreeWithFlint) {
  const KernelUnderTest& kernel = GetParam();
  if (!kernel.is_available()) GTEST_SKIP() << "this processor cannot run " << kernel.name();
  auto rng = make_rng();
  for (std::size_t i = 0; i < scaled(500); ++i) {
    const std::uint64_t q = random_modulus(kernel.modulus_minimum(), kernel.modulus_limit(), rng);
    const auto factors = factors_of(kernel.operation(), q);
    if (factors.empty()) continue;  // above a quarter of the word
    const EltwiseSample sample(kernel.operation(), rng() % 80, q, factors[rng() % factors.size()],
                               rng);
    const EltwiseOperands x = sample.operands();
    ASSERT_EQ(kernel.run(q, x), expected_by_flint(kernel.operation(), x, q))
        << "q = " << q << ", factor " << x.factors.input << ", scalar " << x.scalar;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EltwiseProperty, ::testing::ValuesIn(kernels_under_test()),
                         under_test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EltwiseProperty);

/// Random vectors of one random length and a plan for one random modulus.
class EltwiseLaws : public ::testing::Test {
 protected:
  template <typename Check>
  void for_random_moduli(int bits, Check check) {
    auto rng = make_rng();
    for (std::size_t i = 0; i < scaled(300); ++i) {
      const std::uint64_t q = random_modulus(2, std::uint64_t{1} << bits, rng);
      const std::size_t n = 1 + rng() % 50;
      a_ = random_residues(n, q, rng);
      b_ = random_residues(n, q, rng);
      c_ = random_residues(n, q, rng);
      left_.assign(n, 0);
      right_.assign(n, 0);
      SCOPED_TRACE("q = " + std::to_string(q));
      check(Eltwise(q), rng() % q, rng);
    }
  }

  Words a_;
  Words b_;
  Words c_;
  Words left_;
  Words right_;
};

TEST_F(EltwiseLaws, SumsAndDifferencesUndoEachOther) {
  for_random_moduli(63, [&](const Eltwise& eltwise, std::uint64_t scalar, auto&) {
    eltwise.subtract(left_, a_, b_);
    eltwise.add(left_, left_, b_);
    EXPECT_EQ(left_, a_) << "(a - b) + b";
    eltwise.subtract_scalar(left_, a_, scalar);
    eltwise.add_scalar(left_, left_, scalar);
    EXPECT_EQ(left_, a_) << "(a - scalar) + scalar";
    eltwise.add_scalar(left_, a_, scalar);
    eltwise.add(right_, a_, Words(a_.size(), scalar));
    EXPECT_EQ(left_, right_) << "a + scalar";
    eltwise.negate(left_, a_);
    eltwise.add(left_, left_, a_);
    EXPECT_EQ(left_, Words(a_.size(), 0)) << "-a + a";
  });
}

TEST_F(EltwiseLaws, ProductsFitTogether) {
  for_random_moduli(62, [&](const Eltwise& eltwise, std::uint64_t scalar, auto&) {
    eltwise.multiply(left_, a_, b_);
    eltwise.add(left_, left_, c_);
    eltwise.multiply_add(right_, a_, b_, c_);
    EXPECT_EQ(left_, right_) << "a*b + c";
    eltwise.multiply(left_, a_, Words(a_.size(), scalar));
    eltwise.multiply_scalar(right_, a_, scalar);
    EXPECT_EQ(left_, right_) << "a*scalar";
    eltwise.add(left_, left_, c_);
    eltwise.multiply_scalar_add(right_, a_, scalar, c_);
    EXPECT_EQ(left_, right_) << "a*scalar + c";
    const Words ones(a_.size(), 1);
    const auto a_terms = std::to_array<Eltwise::Operand>({a_, c_});
    const auto b_terms = std::to_array<Eltwise::Operand>({b_, ones});
    eltwise.multiply_accumulate(left_, a_terms, b_terms);
    eltwise.multiply_add(right_, a_, b_, c_);
    EXPECT_EQ(left_, right_) << "a*b + c*1";
    eltwise.multiply(right_, a_, b_);
    EXPECT_EQ(eltwise.dot(a_, b_), eltwise.dot(right_, ones)) << "a . b";
  });
}

TEST_F(EltwiseLaws, RangeFactorsChangeNothing) {
  for_random_moduli(61, [&](const Eltwise& eltwise, std::uint64_t scalar, auto& rng) {
    const std::uint64_t q = eltwise.modulus().value();
    const auto widened = [&](Words words, unsigned factor) {
      for (std::uint64_t& word : words) word += rng() % factor * q;
      return words;
    };
    for (const int factor : {2, 4, 8}) {
      const Words a = widened(a_, static_cast<unsigned>(factor));
      const Words b = widened(b_, static_cast<unsigned>(factor));
      eltwise.multiply_scalar(left_, a_, scalar);
      eltwise.multiply_scalar(right_, a, scalar, factor);
      EXPECT_EQ(left_, right_) << "a*scalar, factor " << factor;
      eltwise.multiply_scalar_add(left_, a_, scalar, b_);
      eltwise.multiply_scalar_add(right_, a, scalar, b, factor);
      EXPECT_EQ(left_, right_) << "a*scalar + b, factor " << factor;
      if (factor == 8) continue;
      eltwise.multiply(left_, a_, b_);
      eltwise.multiply(right_, a, b, factor);
      EXPECT_EQ(left_, right_) << "a*b, factor " << factor;
      eltwise.reduce_range(left_, a, factor, 1);
      EXPECT_EQ(left_, a_) << "reduced from factor " << factor;
    }
    const Words a = widened(a_, 4);
    eltwise.reduce_range(left_, a, 4, 2);
    eltwise.reduce_range(left_, left_, 2, 1);
    eltwise.reduce(right_, a);
    EXPECT_EQ(left_, right_) << "4 -> 2 -> 1";
  });
}

TEST_F(EltwiseLaws, EveryWordFallsOnOneSideOfAComparison) {
  for_random_moduli(62, [&](const Eltwise& eltwise, std::uint64_t scalar, auto& rng) {
    for (std::uint64_t& word : a_) word = rng();
    const std::uint64_t bound = a_[0];
    for (int i = 0; i < kComparisonCount / 2; ++i) {
      const auto one = static_cast<Comparison>(i);
      const auto other = static_cast<Comparison>(i + kComparisonCount / 2);
      eltwise.compare_add(left_, a_, one, bound, scalar);
      eltwise.compare_add(left_, left_, Comparison::never, bound, scalar);
      eltwise.compare_add(right_, a_, other, bound, scalar);
      for (std::size_t k = 0; k < a_.size(); ++k) {
        EXPECT_EQ(left_[k] + right_[k], 2 * a_[k] + scalar) << i << ", " << k;
      }
      eltwise.compare_subtract(left_, a_, one, bound, scalar);
      eltwise.compare_subtract(right_, a_, other, bound, scalar);
      eltwise.add(left_, left_, right_);
      eltwise.reduce(right_, a_);
      eltwise.add(right_, right_, right_);
      eltwise.subtract_scalar(right_, right_, scalar);
      EXPECT_EQ(left_, right_) << "differences, " << i;
    }
  });
}

}  // namespace
}  // namespace ringlet::test
