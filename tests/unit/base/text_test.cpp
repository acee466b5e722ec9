// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include "support/test.hpp"

namespace ringlet {
namespace {

// std::stod refuses denormal numbers.
double parse(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

TEST(Text, ConcatJoinsStringsOfEveryKind) {
  const std::string owned = "b";
  const char* const pointer = "d";
  EXPECT_EQ(concat("a", owned, std::string_view("c"), pointer, 'e'), "abcde");
  EXPECT_EQ(concat(), "");
}

TEST(Text, ConcatWritesIntegersInFull) {
  EXPECT_EQ(concat(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(concat(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(concat(0, ' ', -7, ' ', std::uint8_t{255}), "0 -7 255");
  EXPECT_EQ(concat(true, '/', false), "true/false");
}

TEST(Text, ConcatWritesTheShortestExactDouble) {
  EXPECT_EQ(concat(0.1), "0.1");
  EXPECT_EQ(parse(concat(1.0 / 3.0)), 1.0 / 3.0);
  EXPECT_EQ(parse(concat(-std::numeric_limits<double>::max())),
            -std::numeric_limits<double>::max());
  EXPECT_EQ(parse(concat(-std::numeric_limits<double>::denorm_min())),
            -std::numeric_limits<double>::denorm_min());
}

TEST(Text, HexHasNoLeadingZeros) {
  EXPECT_EQ(hex(0), "0x0");
  EXPECT_EQ(hex(0xdeadbeef), "0xdeadbeef");
  EXPECT_EQ(hex(std::numeric_limits<std::uint64_t>::max()), "0xffffffffffffffff");
}

}  // namespace
}  // namespace ringlet
