// SPDX-License-Identifier: Apache-2.0
#include "ringlet/kernels/eltwise.hpp"

#include "support/kernels/kernel_under_test.hpp"
#include "support/refusal.hpp"
#include "support/threads.hpp"

// The operations as users call them: the promises of kernel selection, and refusals of wrong
// arguments, which have all parts of the message and leave memory unchanged.

namespace ringlet::test {
namespace {

/// An exact name is refused with the modulus and the limit. The name of the table alone selects a
/// lower kernel if there is one, with correct results.
void expect_outside(const KernelUnderTest& kernel, std::uint64_t q) {
  const auto call = [&] { Eltwise(q, KernelSelection(kernel.name())); };
  expect_error<InvalidArgument>(kernel.name(), call, [&](const InvalidArgument& error) {
    EXPECT_NE(error.offending().find(std::to_string(q)), std::string::npos) << error.what();
    EXPECT_NE(error.limit().find(std::to_string(kernel->modulus_limit - 1)), std::string::npos);
  });
  const std::string operation = kernel.operation();
  const Eltwise lower(q, KernelSelection(kernel->table));
  EXPECT_NE(lower.kernel_name(operation), kernel.name());
  if (lower.kernel_name(operation).empty()) return;
  auto rng = make_rng();
  const EltwiseSample sample(operation, 65, q, factors_of(operation, q).front(), rng);
  const EltwiseOperands x = sample.operands();
  EXPECT_EQ(run_eltwise(lower, operation, x), expected_words(operation, x, q));
}

TEST(Eltwise, LimitsOfKernelsHoldFromBothSides) {
  for (const KernelUnderTest& kernel : kernels_under_test()) {
    if (!kernel.is_available()) continue;
    SCOPED_TRACE(::testing::PrintToString(kernel));
    const std::uint64_t minimum = kernel->modulus_minimum;
    const std::uint64_t limit = kernel->modulus_limit;
    const KernelSelection exact(kernel.name());
    for (const std::uint64_t q : {minimum, limit - 1}) {
      EXPECT_EQ(Eltwise(q, exact).kernel_name(kernel.operation()), kernel.name());
    }
    if (minimum > 2) expect_outside(kernel, minimum - 1);
    if (limit == std::uint64_t{1} << kMaxModulusBits) {
      EXPECT_THROW(Eltwise(limit, exact), InvalidArgument) << "no modulus is that large";
    } else {
      expect_outside(kernel, limit);
    }
  }
}

TEST(Eltwise, VectorsOfNoWordsMayBeNullAndNoTermsGiveZeros) {
  const Eltwise eltwise{Modulus(97)};
  for (const char* operation : kEltwiseNames) {
    EXPECT_NO_THROW(run_eltwise(eltwise, operation, {}, {})) << operation;
  }
  for (const KernelUnderTest& kernel : kernels_under_test()) {
    if (kernel.operation() != "multiply_accumulate" || !kernel.is_available()) continue;
    for (const std::uint64_t q : {std::uint64_t{2}, kernel->modulus_limit - 1}) {
      Words result(21, 0x77);
      Eltwise(q, KernelSelection(kernel.name())).multiply_accumulate(result, {}, {});
      EXPECT_EQ(result, Words(21, 0)) << kernel.name();
    }
  }
}

TEST(Eltwise, OneTableMayHaveSeveralKernelsForAnOperation) {
  for (const KernelUnderTest& kernel : kernels_under_test()) {
    const bool needs_vbmi2 = (kernel->needs & feature_bit(CpuFeature::avx512vbmi2)) != 0;
    EXPECT_EQ(needs_vbmi2, kernel.name() == "avx512dq/barrett-vbmi2") << kernel.name();
    if (!needs_vbmi2 || !kernel.is_available()) continue;
    const Eltwise by_table(std::uint64_t{1} << 60, KernelSelection("avx512dq"));
    EXPECT_EQ(by_table.kernel_name(kernel.operation()), kernel.name());
    const Eltwise base(1 << 20, KernelSelection("avx512dq/barrett"));
    EXPECT_EQ(base.kernel_name(kernel.operation()), "avx512dq/barrett");
  }
}

TEST(Eltwise, EveryCallIsCountedForItsKernel) {
  if (!kernel_statistics_enabled()) GTEST_SKIP() << "this program counts no calls";
  const auto calls = [](const std::string& operation) {
    for (const KernelInfo& kernel : kernel_catalog()) {
      if (kernel.table == "scalar64" && kernel.operation == operation) return kernel.calls;
    }
    return std::uint64_t{0};
  };
  const Eltwise eltwise(97, KernelSelection("scalar64"));
  const Words words(9, 5);
  Words result(9);
  for (const char* operation : kEltwiseNames) {
    const std::uint64_t before = calls(operation);
    run_eltwise(eltwise, operation, result, {words, words, words, 3});
    EXPECT_EQ(calls(operation), before + 1) << operation;
  }
}

/// Calls in each of many threads, with vectors of their own; the long run is under ThreadSanitizer.
constexpr std::size_t kCalls = 200;

TEST(EltwiseThreads, ShareOnePlan) {
  for (const std::uint64_t q : {(std::uint64_t{1} << 49) - 69, (std::uint64_t{1} << 61) - 1}) {
    const Eltwise eltwise(q);
    for (const std::string operation : kEltwiseNames) {
      std::vector<EltwiseSample> samples;
      std::vector<Words> expected;
      auto rng = make_rng();
      for (std::size_t t = 0; t < kThreads; ++t) {
        const auto factors = factors_of(operation, q);
        samples.emplace_back(operation, 100 + t, q, factors[t % factors.size()], rng);
        expected.push_back(expected_words(operation, samples[t].operands(), q));
      }
      SCOPED_TRACE(operation);
      expect_in_threads(kCalls, [&](std::size_t t, std::size_t) {
        return run_eltwise(eltwise, operation, samples[t].operands()) == expected[t];
      });
    }
  }
}

TEST(EltwiseThreads, MakePlansAndReadTheCatalogAtTheSameTime) {
  const std::size_t kernels = kernel_catalog().size();
  expect_in_threads(kCalls, [&](std::size_t t, std::size_t i) {
    const std::uint64_t q = 97 + t + i;
    const Eltwise eltwise{Modulus(q)};
    const Eltwise copy = eltwise;  // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(copy.kernel_name("multiply"), eltwise.kernel_name("multiply"));
    Words words(33, 5);
    copy.multiply(words, words, words);
    return words == Words(33, 25 % q) && kernel_catalog().size() == kernels;
  });
}

constexpr std::uint64_t kModulus = 1000003;
constexpr std::size_t kCount = 24;
constexpr std::size_t kOtherCounts[] = {0, kCount - 1, kCount + 1};
constexpr std::size_t kDistances[] = {1, kCount / 2, kCount - 1};

using Span = std::span<const std::uint64_t>;
using Result = std::span<std::uint64_t>;

/// Memory for the vectors of refused calls, which must not change it.
class RefusalMemory {
 public:
  RefusalMemory() : memory_(8 * kCount) {
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = 11 * i + 1;
  }
  Result part(std::size_t first, std::size_t count = kCount) {
    return Result(memory_).subspan(first, count);
  }
  /// Starts half a word after `first`, and so is misaligned.
  Result shifted(std::size_t first) {
    auto* bytes = reinterpret_cast<unsigned char*>(memory_.data() + first) + 4;
    return {reinterpret_cast<std::uint64_t*>(bytes), kCount};
  }
  template <typename Call>
  void expect_refusal_of(const std::string& operation, const std::string& offending,
                         const Call& call) {
    const Words before = memory_;
    expect_error<InvalidArgument>(offending, call, [&](const InvalidArgument& error) {
      EXPECT_EQ(error.operation(), "Eltwise::" + operation);
      EXPECT_NE(error.offending().find(offending), std::string::npos) << error.what();
    });
    EXPECT_EQ(memory_, before);
  }

  static inline const Result kNull{static_cast<std::uint64_t*>(nullptr), kCount};
  Eltwise eltwise_{Modulus(kModulus)};

 private:
  Words memory_;
};

struct EltwiseRefusal : RefusalMemory, ::testing::TestWithParam<const char*> {
  static std::string_view name() { return GetParam(); }
  /// Result and operands in separate memory.
  Result result() { return part(0); }
  EltwiseOperands operands() { return {part(kCount), part(2 * kCount), part(3 * kCount), 5}; }
  /// The operands with `vector` in place of a, b or c.
  EltwiseOperands with(char which, Span vector) {
    EltwiseOperands x = operands();
    (which == 'a' ? x.a : which == 'b' ? x.b : x.c) = vector;
    return x;
  }
  void expect_refusal(Result words, const EltwiseOperands& x, const std::string& offending) {
    expect_refusal_of(GetParam(), offending, [&] { run_eltwise(eltwise_, name(), words, x); });
  }
  void expect_refusal(const EltwiseOperands& x, const std::string& offending) {
    expect_refusal(result(), x, offending);
  }
  void expect_refusal_unless(bool is_taken, const EltwiseOperands& x,
                             const std::string& offending) {
    if (!is_taken) return expect_refusal(x, offending);
    EXPECT_NO_THROW(run_eltwise(eltwise_, name(), result(), x)) << offending;
  }
};

TEST_P(EltwiseRefusal, Vectors) {
  expect_refusal(kNull, operands(), "result is null");
  expect_refusal(shifted(4 * kCount), operands(), "result starts at address");
  for (const char which : operand_names(name())) {
    const std::string text(1, which);
    expect_refusal(with(which, kNull), text + " is null");
    expect_refusal(with(which, shifted(4 * kCount)), text + " starts at address");
    for (const std::size_t count : kOtherCounts) {
      expect_refusal(with(which, part(4 * kCount, count)), text + " has ");
    }
    for (const std::size_t distance : kDistances) {
      const EltwiseOperands x = with(which, part(4 * kCount));
      expect_refusal(part(4 * kCount - distance), x, "before " + text);
      expect_refusal(part(4 * kCount + distance), x, "after " + text);
    }
  }
}

TEST_P(EltwiseRefusal, AScalarThatIsNotReduced) {
  for (const std::uint64_t scalar : {kModulus, kModulus + 1, ~std::uint64_t{0}}) {
    EltwiseOperands x = operands();
    x.scalar = scalar;
    expect_refusal_unless(!has_scalar(name()) || name() == "compare_add", x,
                          "scalar = " + std::to_string(scalar));
  }
}

TEST_P(EltwiseRefusal, AFactorThatTheOperationDoesNotHave) {
  const int largest = name() == "multiply" ? 4 : name().starts_with("multiply_scalar") ? 8 : 0;
  for (const int factor : {-4, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 1 << 30}) {
    if (largest == 0 && name() != "reduce_range") break;
    EltwiseOperands x = operands();
    x.factors = {.input = factor, .output = 1};
    const bool taken = name() == "reduce_range"
                           ? factor == 1 || factor == 2 || factor == 4  // 1 means the default, 2
                           : factor >= 1 && factor <= largest && (factor & (factor - 1)) == 0;
    expect_refusal_unless(taken, x, "input_mod_factor = " + std::to_string(factor));
  }
}

TEST_P(EltwiseRefusal, ARangeThatDoesNotFitAWord) {
  const int factor = name().starts_with("multiply_scalar") ? 8 : name() == "reduce_range" ? 4 : 0;
  if (factor == 0) {
    EXPECT_EQ(factors_of(name(), (std::uint64_t{1} << 62) - 1).size(),
              factors_of(name(), 2).size());
    return;  // no range exceeds a word for the moduli that the operation takes
  }
  const std::uint64_t limit = (~std::uint64_t{0} / static_cast<unsigned>(factor)) + 1;
  EltwiseOperands x = operands();
  x.factors = {.input = factor, .output = 1};
  for (const std::uint64_t q : {limit - 1, limit}) {
    eltwise_ = Eltwise(q);
    expect_refusal_unless(
        q < limit, x,
        "input_mod_factor = " + std::to_string(factor) + " with the modulus " + std::to_string(q));
  }
}

TEST_P(EltwiseRefusal, AModulusThatIsTooLargeForProducts) {
  const bool is_sum = name().starts_with("add") || name().starts_with("subtract") ||
                      name() == "negate" || name() == "reduce_range" || name() == "compare_add";
  for (const std::uint64_t q : {std::uint64_t{1} << 62, (std::uint64_t{1} << 63) - 1}) {
    eltwise_ = Eltwise(q);
    EXPECT_EQ(eltwise_.kernel_name(name()).empty(), !is_sum);
    expect_refusal_unless(is_sum, operands(), "modulus = " + std::to_string(q));
  }
}

TEST_P(EltwiseRefusal, AComparisonThatDoesNotExist) {
  for (const int comparison : {-1, kComparisonCount, 1 << 20}) {
    EltwiseOperands x = operands();
    x.comparison = static_cast<Comparison>(comparison);
    expect_refusal_unless(!name().starts_with("compare_"), x,
                          "comparison = " + std::to_string(comparison));
  }
}

/// The operations whose result is a vector.
std::vector<const char*> vector_operations() {
  std::vector<const char*> names(kEltwiseNames.begin(), kEltwiseNames.end());
  std::erase(names, std::string_view("dot"));
  return names;
}

INSTANTIATE_TEST_SUITE_P(Operations, EltwiseRefusal, ::testing::ValuesIn(vector_operations()),
                         [](const auto& parameter) { return std::string(parameter.param); });

/// Calls with several vectors, at multiples of kCount words.
struct VectorsRefusal : RefusalMemory, ::testing::Test {
  std::vector<Span> parts(std::initializer_list<std::size_t> places) {
    std::vector<Span> all;
    for (const std::size_t place : places) all.push_back(part(place * kCount));
    return all;
  }
  void expect_sum_refusal(Result result, const std::vector<Span>& a, const std::vector<Span>& b,
                          const std::string& offending) {
    expect_refusal_of("multiply_accumulate", offending,
                      [&] { eltwise_.multiply_accumulate(result, a, b); });
  }
  void expect_pairs_refusal(const std::array<Result, 3>& results, const std::array<Span, 2>& a,
                            const std::array<Span, 2>& b, const std::string& offending) {
    expect_refusal_of("multiply_pairs", offending, [&] { eltwise_.multiply_pairs(results, a, b); });
  }
};

TEST_F(VectorsRefusal, OfMultiplyAccumulate) {
  expect_sum_refusal(part(0), parts({1, 2}), parts({3}), "2 vectors in a, 1 in b");
  expect_sum_refusal(part(0), {}, parts({3}), "0 vectors in a, 1 in b");
  expect_sum_refusal(part(0), parts({3}), {}, "1 vectors in a, 0 in b");
  const std::vector<Span> good = parts({5, 6});
  const auto expect_both = [&](Result result, const std::vector<Span>& wrong,
                               const std::string& before, const std::string& after) {
    expect_sum_refusal(result, wrong, good, before + "a" + after);
    expect_sum_refusal(result, good, wrong, before + "b" + after);
  };
  for (const std::size_t count : kOtherCounts) {
    expect_both(part(0), {part(kCount), part(3 * kCount, count)}, "",
                " has " + std::to_string(count) + " words");
  }
  for (const std::size_t distance : kDistances) {
    expect_both(part(3 * kCount + distance), parts({1, 3}), "after ", "");
    expect_both(part(3 * kCount - distance), parts({1, 3}), "before ", "");
  }
  expect_both(part(0), {part(kCount), kNull}, "", " is null");
  expect_both(part(0), {part(kCount), shifted(4 * kCount)}, "", " starts at address");
}

TEST_F(VectorsRefusal, OfDot) {
  EXPECT_THROW((void)eltwise_.dot(part(0), part(kCount, kCount - 1)), InvalidArgument);
  EXPECT_THROW((void)eltwise_.dot(part(0, 0), part(kCount, 1)), InvalidArgument);
  EXPECT_NO_THROW((void)eltwise_.dot(part(0), part(1))) << "its operands may overlap";
  eltwise_ = Eltwise((std::uint64_t{1} << 62) + 1);
  EXPECT_EQ(eltwise_.kernel_name("dot"), "");
  EXPECT_THROW((void)eltwise_.dot(part(0), part(kCount)), InvalidArgument);
}

TEST_F(VectorsRefusal, OfMultiplyPairs) {
  const std::array<Result, 3> results{part(0), part(24), part(48)};
  const std::array<Span, 2> a{part(72), part(96)};
  const std::array<Span, 2> b{part(120), part(144)};
  for (const std::size_t count : kOtherCounts) {
    const std::string words = " has " + std::to_string(count) + " words";
    expect_pairs_refusal({part(0), part(24), part(48, count)}, a, b, "results[2]" + words);
    expect_pairs_refusal(results, {part(72), part(96, count)}, b, "a[1]" + words);
    expect_pairs_refusal(results, a, {part(120, count), part(144)}, "b[0]" + words);
  }
  expect_pairs_refusal({part(0), part(24), part(73)}, a, b, "after a[0]");
  expect_pairs_refusal({part(0), part(121), part(48)}, a, b, "after b[0]");
  expect_pairs_refusal({part(0), part(23), part(48)}, a, b, "after results[0]");
  expect_pairs_refusal({part(0), part(24), part(0)}, a, b, "results[2] is the same as results[0]");
  expect_pairs_refusal(results, {kNull, part(72)}, b, "a[0] is null");
  EXPECT_NO_THROW(eltwise_.multiply_pairs(results, std::array<Span, 2>{part(73), part(75)},
                                          std::array<Span, 2>{part(74), part(73)}));
  eltwise_ = Eltwise((std::uint64_t{1} << 62) + 1);
  expect_pairs_refusal(results, a, b, "modulus = ");
}

// The input factor of reduce_range limits its output factors.
TEST(EltwiseRanges, OnlyThoseThatReduceAreTaken) {
  const Eltwise eltwise{Modulus(kModulus)};
  const Words words(kCount, 3);
  Words result(kCount);
  for (int input = -1; input <= 9; ++input) {
    for (int output = -1; output <= 9; ++output) {
      const auto reduce = [&] { eltwise.reduce_range(result, words, input, output); };
      if ((input == 2 && output == 1) || (input == 4 && (output == 1 || output == 2))) {
        EXPECT_NO_THROW(reduce());
      } else {
        EXPECT_THROW(reduce(), InvalidArgument) << input << ", " << output;
      }
    }
  }
}

TEST(EltwiseNames, UnknownOperationsAreRefusedWithTheKnownOnes) {
  const Eltwise eltwise{Modulus(kModulus)};
  for (const std::string name : {"", "Add", "mul", "ntt", "add "}) {
    expect_refusal_of("Eltwise::kernel_name", {"'" + name + "'", "multiply_scalar_add"},
                      [&] { (void)eltwise.kernel_name(name); });
  }
}

}  // namespace
}  // namespace ringlet::test
