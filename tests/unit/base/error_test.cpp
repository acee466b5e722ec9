// SPDX-License-Identifier: Apache-2.0
#include "ringlet/base/error.hpp"

#include "base/buffer_check.hpp"
#include "support/refusal.hpp"

// Errors, the text in them, and the refusal of buffers.

namespace ringlet {
namespace {

using test::expect_refusal_of;

const ErrorDetails kDetails{.operation = "Ntt",
                            .offending = "degree = 12",
                            .limit = "a power of two",
                            .remedy = "choose 8 or 16"};

/// Catches what `raise` throws as its own type, as Standard, and as ErrorInfo.
template <typename Leaf, typename Standard>
void expect_leaf(void (*raise)(const ErrorDetails&)) {
  EXPECT_THROW(raise(kDetails), Leaf);
  EXPECT_THROW(raise(kDetails), std::exception) << "without ambiguity";
  EXPECT_TRUE(std::is_nothrow_copy_constructible_v<Leaf>);
  try {
    raise(kDetails);
    FAIL() << "nothing was thrown";
  } catch (const Standard& error) {
    EXPECT_STREQ(error.what(), "Ntt: degree = 12; limit: a power of two; remedy: choose 8 or 16");
    EXPECT_EQ(error.what(), format_error(kDetails));
    const auto copy = dynamic_cast<const Leaf&>(error);  // NOLINT
    EXPECT_EQ(copy.operation(), kDetails.operation);
    EXPECT_EQ(copy.offending(), kDetails.offending);
    EXPECT_EQ(copy.limit(), kDetails.limit);
    EXPECT_EQ(copy.remedy(), kDetails.remedy);
  }
  EXPECT_THROW(raise(kDetails), ErrorInfo);
}

TEST(Error, EachLeafIsItsStandardExceptionAndCarriesTheParts) {
  expect_leaf<InvalidArgument, std::invalid_argument>(&throw_invalid_argument);
  expect_leaf<OutOfRange, std::out_of_range>(&throw_out_of_range);
  expect_leaf<LogicError, std::logic_error>(&throw_logic_error);
  expect_leaf<RuntimeError, std::runtime_error>(&throw_runtime_error);
  EXPECT_FALSE((std::is_base_of_v<std::exception, ErrorInfo>));
}

// An error from a lower layer gets the name of the public call; an inner public call keeps its own.
TEST(Error, PublicEntriesNameWhatHasNoName) {
  const auto refuse = [](const char* operation) {
    throw OutOfRange({operation, "index = 3", "below 2", "count again"});
  };
  const auto told = [] { return std::string(", operand [a]"); };
  for (const bool is_named : {false, true}) {
    const auto inner = [&] { refuse(is_named ? "at" : ""); };
    expect_refusal_of<OutOfRange>(is_named ? "at" : "Outer", {"index = 3"},
                                  [&] { public_entry("Outer", inner); });
    expect_refusal_of<OutOfRange>(is_named ? "at" : "Outer",
                                  {is_named ? "index = 3;" : "index = 3, operand [a];"},
                                  [&] { public_entry("Outer", told, inner); });
  }
  EXPECT_EQ(public_entry("Outer", [] { return 7; }), 7);
}

TEST(Text, ConcatJoinsStringsIntegersAndDoubles) {
  const std::string owned = "b";
  const char* const pointer = "d";
  EXPECT_EQ(concat("a", owned, std::string_view("c"), pointer, 'e'), "abcde");
  EXPECT_EQ(concat(), "");
  EXPECT_EQ(concat(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(concat(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(concat(0, ' ', -7, ' ', std::uint8_t{255}), "0 -7 255");
  EXPECT_EQ(concat(true, '/', false), "true/false");
  // 0.1 is the shortest text that reads back as the same double.
  EXPECT_EQ(concat(0.1), "0.1");
  for (const double x : {1.0 / 3.0, -std::numeric_limits<double>::max(),
                         -std::numeric_limits<double>::denorm_min()}) {
    EXPECT_EQ(std::strtod(concat(x).c_str(), nullptr), x);  // std::stod refuses denormal numbers
  }
}

TEST(Text, HexHasNoLeadingZeros) {
  EXPECT_EQ(hex(0), "0x0");
  EXPECT_EQ(hex(0xdeadbeef), "0xdeadbeef");
  EXPECT_EQ(hex(std::numeric_limits<std::uint64_t>::max()), "0xffffffffffffffff");
}

using Words = std::span<const std::uint64_t>;

struct BufferCheck : ::testing::Test {
  Words words(std::size_t offset, std::size_t count) const {
    return Words(memory_).subspan(offset, count);
  }

  static void expect_refusal(std::size_t length, const NamedBuffer& result,
                             std::initializer_list<NamedBuffer> operands, const std::string& part) {
    test::expect_refusal_of("Test::call", {part}, [&] {
      public_entry("Test::call", [&] { check_buffers(length, result, operands); });
    });
  }

  alignas(64) std::array<std::uint64_t, 64> memory_{};
};

TEST_F(BufferCheck, AcceptsSeparateAndEqualBuffers) {
  EXPECT_NO_THROW(check_buffers(16, {"result", words(0, 16)}, {{"a", words(16, 16)}}));
  EXPECT_NO_THROW(check_buffers(16, {"result", words(16, 16)}, {{"a", words(0, 16)}}));
  EXPECT_NO_THROW(
      check_buffers(16, {"result", words(0, 16)}, {{"a", words(0, 16)}, {"b", words(0, 16)}}));
  EXPECT_NO_THROW(
      check_buffers(16, {"result", words(40, 16)}, {{"a", words(0, 16)}, {"b", words(3, 16)}}));
  EXPECT_NO_THROW(check_buffers(0, {"result", {}}, {{"a", {}}, {"b", words(0, 0)}}));
}

TEST_F(BufferCheck, RefusesOtherLengths) {
  expect_refusal(16, {"result", words(0, 15)}, {{"a", words(16, 16)}}, "result has 15 words");
  expect_refusal(16, {"result", words(0, 16)}, {{"a", words(16, 16)}, {"b", words(32, 17)}},
                 "b has 17 words");
  expect_refusal(16, {"result", words(0, 16)}, {{"a", {}}}, "a has 0 words");
}

TEST_F(BufferCheck, RefusesNullAndBrokenWords) {
  const Words null(static_cast<const std::uint64_t*>(nullptr), 16);
  expect_refusal(16, {"result", null}, {{"a", words(0, 16)}}, "result is null");
  expect_refusal(16, {"result", words(0, 16)}, {{"a", words(0, 16)}, {"b", null}}, "b is null");
  for (const std::uintptr_t shift : {1, 4, 7}) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data()) + shift;
    const Words shifted(reinterpret_cast<const std::uint64_t*>(address), 8);
    expect_refusal(8, {"result", shifted}, {{"a", words(32, 8)}}, "result starts at address 0x");
    expect_refusal(8, {"result", words(32, 8)}, {{"a", shifted}}, "a starts at address 0x");
  }
}

TEST_F(BufferCheck, RefusesEveryPartialOverlapAndNothingElse) {
  constexpr std::size_t kLength = 8;
  for (std::size_t result = 0; result <= 24; ++result) {
    for (std::size_t operand = 0; operand <= 24; ++operand) {
      const NamedBuffer out{"result", words(result, kLength)};
      const NamedBuffer in{"b", words(operand, kLength)};
      const std::size_t distance = result > operand ? result - operand : operand - result;
      if (distance == 0 || distance >= kLength) {
        EXPECT_NO_THROW(check_buffers(kLength, out, {{"a", words(40, kLength)}, in}));
      } else {
        expect_refusal(kLength, out, {{"a", words(40, kLength)}, in},
                       concat("result starts ", distance, " words ",
                              result > operand ? "after b" : "before b"));
      }
    }
  }
}

}  // namespace
}  // namespace ringlet
