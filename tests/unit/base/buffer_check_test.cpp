// SPDX-License-Identifier: Apache-2.0
#include "base/buffer_check.hpp"

#include "support/test.hpp"

namespace ringlet {
namespace {

using Words = std::span<const std::uint64_t>;

class BufferCheck : public ::testing::Test {
 protected:
  Words words(std::size_t offset, std::size_t count) const {
    return Words(memory_).subspan(offset, count);
  }

  // Expects a refusal that says `part`, and all four parts of the message.
  static void expect_refusal(std::size_t length, const NamedBuffer& result,
                             std::initializer_list<NamedBuffer> operands, const std::string& part) {
    try {
      check_buffers("Test::call", length, result, operands);
      ADD_FAILURE() << "not refused: " << part;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.operation(), "Test::call");
      EXPECT_NE(error.offending().find(part), std::string::npos) << error.what();
      EXPECT_FALSE(error.limit().empty());
      EXPECT_FALSE(error.remedy().empty());
    }
  }

  alignas(64) std::array<std::uint64_t, 64> memory_{};
};

TEST_F(BufferCheck, AcceptsSeparateAndEqualBuffers) {
  EXPECT_NO_THROW(check_buffers("f", 16, {"result", words(0, 16)}, {{"a", words(16, 16)}}));
  EXPECT_NO_THROW(check_buffers("f", 16, {"result", words(16, 16)}, {{"a", words(0, 16)}}));
  EXPECT_NO_THROW(
      check_buffers("f", 16, {"result", words(0, 16)}, {{"a", words(0, 16)}, {"b", words(0, 16)}}));
  EXPECT_NO_THROW(check_buffers("f", 16, {"result", words(40, 16)},
                                {{"a", words(0, 16)}, {"b", words(3, 16)}}));
}

TEST_F(BufferCheck, AcceptsNullForNoWords) {
  EXPECT_NO_THROW(check_buffers("f", 0, {"result", {}}, {{"a", {}}, {"b", words(0, 0)}}));
}

TEST_F(BufferCheck, RefusesOtherLengths) {
  expect_refusal(16, {"result", words(0, 15)}, {{"a", words(16, 16)}}, "result has 15 words");
  expect_refusal(16, {"result", words(0, 16)}, {{"a", words(16, 16)}, {"b", words(32, 17)}},
                 "b has 17 words");
  expect_refusal(16, {"result", words(0, 16)}, {{"a", {}}}, "a has 0 words");
}

TEST_F(BufferCheck, RefusesNull) {
  const Words null(static_cast<const std::uint64_t*>(nullptr), 16);
  expect_refusal(16, {"result", null}, {{"a", words(0, 16)}}, "result is null");
  expect_refusal(16, {"result", words(0, 16)}, {{"a", words(0, 16)}, {"b", null}}, "b is null");
}

TEST_F(BufferCheck, RefusesBrokenWords) {
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
        EXPECT_NO_THROW(check_buffers("f", kLength, out, {{"a", words(40, kLength)}, in}));
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
