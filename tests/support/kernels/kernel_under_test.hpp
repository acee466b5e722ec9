// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>

#include "kernels/select.hpp"
#include "support/reference/eltwise_reference.hpp"

namespace ringlet::test {

/// One element-wise kernel, called without the choice and the checks of Eltwise. It runs also where
/// Eltwise would choose a better kernel, and within its own limits alone.
class KernelUnderTest {
 public:
  explicit KernelUnderTest(const kernels::EltwiseKernel& kernel) : kernel_(&kernel) {}

  const kernels::EltwiseKernel* operator->() const { return kernel_; }
  std::string operation() const {
    return kEltwiseNames.at(static_cast<unsigned>(kernel_->operation));
  }
  /// "table/algorithm".
  std::string name() const { return std::string(kernel_->table) + "/" + kernel_->algorithm; }
  bool is_available() const { return (kernel_->needs & ~detected_cpu_features()) == 0; }
  bool takes(std::uint64_t q) const {
    return q >= kernel_->modulus_minimum && q < kernel_->modulus_limit;
  }
  /// The moduli of eltwise_moduli() that the kernel takes, and those next to its limits.
  Words moduli() const {
    Words all = eltwise_moduli();
    for (std::uint64_t d = 0; d < 40; ++d) {
      all.insert(all.end(), {kernel_->modulus_minimum + d, kernel_->modulus_limit - 1 - d});
    }
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    std::erase_if(all, [this](std::uint64_t q) { return !takes(q); });
    return all;
  }
  /// The largest modulus for which the operation has a range.
  std::uint64_t largest_modulus() const {
    const std::uint64_t q = kernel_->modulus_limit - 1;
    return factors_of(operation(), q).empty() ? (std::uint64_t{1} << 62) - 1 : q;
  }

  /// `result` has result_count() words and may be an operand.
  void run(const Modulus& q, std::span<std::uint64_t> result, const EltwiseOperands& x) const {
    std::vector<const std::uint64_t*> a_terms;
    std::vector<const std::uint64_t*> b_terms;
    for (const auto& term : x.a_terms) a_terms.push_back(term.data());
    for (const auto& term : x.b_terms) b_terms.push_back(term.data());
    if (x.a_terms.empty()) {
      a_terms = {x.a.data()};
      b_terms = {x.b.data()};
    }
    const bool is_reduction = kernel_->operation == EltwiseOperation::reduce_range;
    kernel_->run({.result = result.data(),
                  .a = x.a.data(),
                  .b = x.b.data(),
                  .c = x.c.data(),
                  .count = x.a.size(),
                  .scalar = x.scalar,
                  .q = q.value(),
                  .ratio = q.ratio(),
                  .factors = is_reduction ? reduction_factors(x) : x.factors,
                  .comparison = x.comparison,
                  .bound = x.bound,
                  .a_terms = a_terms.data(),
                  .b_terms = b_terms.data(),
                  .term_count = a_terms.size()});
  }
  Words run(const Modulus& q, const EltwiseOperands& x) const {
    Words result(result_count(operation(), x.a.size()));
    run(q, result, x);
    return result;
  }

  friend void PrintTo(const KernelUnderTest& kernel, std::ostream* stream) {
    *stream << kernel.name() << "/" << kernel.operation();
  }

 private:
  const kernels::EltwiseKernel* kernel_;
};

/// The element-wise kernels of the build, of all processors, that are `wanted`.
/// RINGLET_FORCE_KERNELS restricts them to one table or algorithm.
template <typename Wanted>
std::vector<KernelUnderTest> kernels_where(const Wanted& wanted) {
  const char* forced = std::getenv("RINGLET_FORCE_KERNELS");
  const std::string_view text = forced == nullptr ? "" : forced;
  const std::string_view table = text.substr(0, text.find('/'));
  const std::string_view algorithm = text.substr(std::min(table.size() + 1, text.size()));
  std::vector<KernelUnderTest> kernels;
  for (const kernels::KernelTable* candidate : kernels::kernel_table_list()) {
    for (const auto& kernel : candidate->eltwise) {
      if (!table.empty() && table != kernel.table) continue;
      if (!algorithm.empty() && algorithm != kernel.algorithm) continue;
      if (wanted(KernelUnderTest(kernel))) kernels.emplace_back(kernel);
    }
  }
  return kernels;
}

inline std::vector<KernelUnderTest> kernels_under_test() {
  return kernels_where([](const KernelUnderTest&) { return true; });
}
inline std::vector<KernelUnderTest> kernels_of(const std::set<std::string>& operations) {
  return kernels_where(
      [&](const KernelUnderTest& kernel) { return operations.contains(kernel.operation()); });
}

/// The kernel's name as GoogleTest allows it in the name of a test.
inline std::string under_test_name(const ::testing::TestParamInfo<KernelUnderTest>& kernel) {
  std::string name = kernel.param.name() + "/" + kernel.param.operation();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// Tests of one kernel against the definition.
class EltwiseKernelTest : public ::testing::TestWithParam<KernelUnderTest> {
 protected:
  void SetUp() override {
    if (!GetParam().is_available()) GTEST_SKIP() << "this processor cannot run " << name();
  }
  static const KernelUnderTest& kernel() { return GetParam(); }
  static std::string name() { return GetParam().name(); }
  static std::string operation() { return GetParam().operation(); }
  static std::vector<RangeFactors> factors(std::uint64_t q) { return factors_of(operation(), q); }

  static void expect_exact(const EltwiseOperands& x, std::uint64_t q) {
    expect_equal(kernel().run(q, x), x, q);
  }
  static void expect_equal(const Words& result, const EltwiseOperands& x, std::uint64_t q) {
    const Words expected = expected_words(operation(), x, q);
    if (result == expected) return;
    const auto place =
        static_cast<std::size_t>(std::ranges::mismatch(result, expected).in1 - result.begin());
    FAIL() << "q = " << q << ", n = " << x.a.size() << ", factors " << x.factors.input << " -> "
           << x.factors.output << ", scalar = " << x.scalar << ", comparison "
           << static_cast<int>(x.comparison) << " with " << x.bound << ", terms "
           << x.a_terms.size() << ": element " << place << " is " << result[place] << " instead of "
           << expected[place];
  }
};

}  // namespace ringlet::test
