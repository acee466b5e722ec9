// SPDX-License-Identifier: Apache-2.0
#include "ringlet/eltwise.hpp"
#include "ringlet/error.hpp"
#include "support/eltwise_reference.hpp"
#include "support/test.hpp"

// Wrong arguments of every element-wise operation: refused with all parts of the message, and all
// memory is as it was.

namespace ringlet::test {
namespace {

constexpr std::uint64_t kModulus = 1000003;
constexpr std::size_t kCount = 24;

class EltwiseRefusal : public ::testing::TestWithParam<const char*> {
 protected:
  EltwiseRefusal() : memory_(6 * kCount) {
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = 11 * i + 1;
  }

  std::span<std::uint64_t> part(std::size_t first, std::size_t count = kCount) {
    return std::span(memory_).subspan(first, count);
  }
  /// Result and operands in separate memory.
  std::span<std::uint64_t> result() { return part(0); }
  EltwiseOperands operands() { return {part(kCount), part(2 * kCount), part(3 * kCount), 5}; }

  static bool reads(char which) {
    return operand_names(GetParam()).find(which) != std::string_view::npos;
  }
  static std::span<const std::uint64_t>& operand(EltwiseOperands& x, char which) {
    return which == 'a' ? x.a : which == 'b' ? x.b : x.c;
  }

  void expect_refusal(std::span<std::uint64_t> result_words, const EltwiseOperands& x,
                      const std::string& offending) {
    expect_refusal(eltwise_, result_words, x, offending);
  }
  void expect_refusal(const Eltwise& eltwise, std::span<std::uint64_t> result_words,
                      const EltwiseOperands& x, const std::string& offending) {
    const Words before = memory_;
    try {
      run_eltwise(eltwise, GetParam(), result_words, x);
      ADD_FAILURE() << "not refused: " << offending;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.operation(), std::string("Eltwise::") + GetParam());
      EXPECT_NE(error.offending().find(offending), std::string::npos) << error.what();
      EXPECT_FALSE(error.limit().empty());
      EXPECT_FALSE(error.remedy().empty());
    }
    EXPECT_EQ(memory_, before);
  }

  Eltwise eltwise_{Modulus(kModulus)};
  Words memory_;
};

TEST_P(EltwiseRefusal, Null) {
  const std::span<std::uint64_t> null(static_cast<std::uint64_t*>(nullptr), kCount);
  expect_refusal(null, operands(), "result is null");
  for (const char which : operand_names(GetParam())) {
    EltwiseOperands x = operands();
    operand(x, which) = null;
    expect_refusal(result(), x, std::string(1, which) + " is null");
  }
}

TEST_P(EltwiseRefusal, DifferentLengths) {
  for (const char which : operand_names(GetParam())) {
    for (const std::size_t count : {std::size_t{0}, kCount - 1, kCount + 1}) {
      EltwiseOperands x = operands();
      operand(x, which) = part(4 * kCount, count);
      expect_refusal(result(), x, std::string(1, which) + " has ");
    }
  }
}

TEST_P(EltwiseRefusal, Misaligned) {
  const auto shifted = [this](std::size_t first) {
    auto* bytes = reinterpret_cast<unsigned char*>(memory_.data() + first) + 4;
    return std::span(reinterpret_cast<std::uint64_t*>(bytes), kCount);
  };
  expect_refusal(shifted(4 * kCount), operands(), "result starts at address");
  for (const char which : operand_names(GetParam())) {
    EltwiseOperands x = operands();
    operand(x, which) = shifted(4 * kCount);
    expect_refusal(result(), x, std::string(1, which) + " starts at address");
  }
}

TEST_P(EltwiseRefusal, PartialOverlapInBothDirections) {
  for (const char which : operand_names(GetParam())) {
    for (const std::size_t distance : {std::size_t{1}, kCount / 2, kCount - 1}) {
      EltwiseOperands x = operands();
      operand(x, which) = part(4 * kCount);
      expect_refusal(part(4 * kCount - distance), x, "before " + std::string(1, which));
      expect_refusal(part(4 * kCount + distance), x, "after " + std::string(1, which));
    }
  }
}

TEST_P(EltwiseRefusal, AScalarThatIsNotReduced) {
  const std::string_view name = GetParam();
  const bool has_scalar = name.find("scalar") != name.npos || name == "compare_subtract";
  for (const std::uint64_t scalar : {kModulus, kModulus + 1, ~std::uint64_t{0}}) {
    EltwiseOperands x = operands();
    x.scalar = scalar;
    if (has_scalar) {
      expect_refusal(result(), x, "scalar = " + std::to_string(scalar));
    } else {
      EXPECT_NO_THROW(run_eltwise(eltwise_, GetParam(), result(), x));
    }
  }
}

TEST_P(EltwiseRefusal, AFactorThatTheOperationDoesNotHave) {
  const std::string_view name = GetParam();
  const int largest = name == "multiply" ? 4 : name.starts_with("multiply_scalar") ? 8 : 0;
  for (const int factor : {-4, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 1 << 30}) {
    if (largest == 0 && name != "reduce_range") break;
    EltwiseOperands x = operands();
    x.factors = {.input = factor, .output = 1};
    const bool taken = name == "reduce_range"
                           ? factor == 1 || factor == 2 || factor == 4  // 1 stands for 2
                           : factor >= 1 && factor <= largest && (factor & (factor - 1)) == 0;
    if (taken) {
      EXPECT_NO_THROW(run_eltwise(eltwise_, GetParam(), result(), x)) << factor;
    } else {
      expect_refusal(result(), x, "input_mod_factor = " + std::to_string(factor));
    }
  }
}

TEST_P(EltwiseRefusal, ARangeThatDoesNotFitAWord) {
  const std::string_view name = GetParam();
  const int factor = name.starts_with("multiply_scalar") ? 8 : name == "reduce_range" ? 4 : 0;
  if (factor == 0) {
    EXPECT_EQ(factors_of(name, (std::uint64_t{1} << 62) - 1).size(), factors_of(name, 2).size());
    return;  // no range of it exceeds a word for the moduli that it takes
  }
  const std::uint64_t limit = (~std::uint64_t{0} / static_cast<unsigned>(factor)) + 1;
  EltwiseOperands x = operands();
  x.factors = {.input = factor, .output = 1};
  EXPECT_NO_THROW(run_eltwise(Eltwise(limit - 1), GetParam(), result(), x));
  expect_refusal(Eltwise(limit), result(), x,
                 "input_mod_factor = " + std::to_string(factor) + " with the modulus " +
                     std::to_string(limit));
}

TEST_P(EltwiseRefusal, AModulusThatIsTooLargeForProducts) {
  const Words sums_only{std::uint64_t{1} << 62, (std::uint64_t{1} << 63) - 1};
  const std::string_view name = GetParam();
  const bool is_sum = name.starts_with("add") || name.starts_with("subtract") || name == "negate" ||
                      name == "reduce_range" || name == "compare_add";
  for (const std::uint64_t q : sums_only) {
    const Eltwise eltwise{Modulus(q)};
    EXPECT_EQ(eltwise.kernel_name(name).empty(), !is_sum);
    if (is_sum) {
      EXPECT_NO_THROW(run_eltwise(eltwise, GetParam(), result(), operands()));
    } else {
      expect_refusal(eltwise, result(), operands(), "modulus = " + std::to_string(q));
    }
  }
}

TEST_P(EltwiseRefusal, AComparisonThatDoesNotExist) {
  for (const int comparison : {-1, kComparisonCount, 1 << 20}) {
    EltwiseOperands x = operands();
    x.comparison = static_cast<Comparison>(comparison);
    if (std::string_view(GetParam()).starts_with("compare_")) {
      expect_refusal(result(), x, "comparison = " + std::to_string(comparison));
    } else {
      EXPECT_NO_THROW(run_eltwise(eltwise_, GetParam(), result(), x));
    }
  }
}

/// The operations with vectors as results.
std::vector<const char*> vector_operations() {
  std::vector<const char*> names(kEltwiseNames.begin(), kEltwiseNames.end());
  std::erase(names, std::string_view("dot"));
  return names;
}

INSTANTIATE_TEST_SUITE_P(Operations, EltwiseRefusal, ::testing::ValuesIn(vector_operations()),
                         [](const auto& parameter) { return std::string(parameter.param); });

// The inputs of reduce_range decide which outputs there are.
TEST(EltwiseRanges, OnlyThoseThatReduceAreTaken) {
  const Eltwise eltwise{Modulus(kModulus)};
  const Words words(kCount, 3);
  Words result(kCount);
  for (int input = -1; input <= 9; ++input) {
    for (int output = -1; output <= 9; ++output) {
      const bool taken =
          (input == 2 && output == 1) || (input == 4 && (output == 1 || output == 2));
      if (taken) {
        EXPECT_NO_THROW(eltwise.reduce_range(result, words, input, output));
      } else {
        EXPECT_THROW(eltwise.reduce_range(result, words, input, output), InvalidArgument)
            << input << ", " << output;
      }
    }
  }
}

TEST(EltwiseNames, UnknownOperationsAreRefusedWithTheKnownOnes) {
  const Eltwise eltwise{Modulus(kModulus)};
  for (const char* name : {"", "Add", "mul", "ntt", "add "}) {
    try {
      const std::string kernel = eltwise.kernel_name(name);
      ADD_FAILURE() << "'" << name << "' runs " << kernel;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.operation(), "Eltwise::kernel_name");
      EXPECT_NE(error.offending().find(name), std::string::npos);
      EXPECT_NE(error.limit().find("multiply_scalar_add"), std::string::npos);
      EXPECT_FALSE(error.remedy().empty());
    }
  }
}

}  // namespace
}  // namespace ringlet::test
