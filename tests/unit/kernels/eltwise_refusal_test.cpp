// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include <gtest/gtest.h>

#include "ringlet/eltwise.hpp"
#include "ringlet/error.hpp"
#include "support/eltwise_reference.hpp"

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
    const Words before = memory_;
    try {
      run_eltwise(eltwise_, GetParam(), result_words, x);
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
  const bool has_scalar = std::string_view(GetParam()).find("scalar") != std::string_view::npos;
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

INSTANTIATE_TEST_SUITE_P(Operations, EltwiseRefusal, ::testing::ValuesIn(kEltwiseNames),
                         [](const auto& parameter) { return std::string(parameter.param); });

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
