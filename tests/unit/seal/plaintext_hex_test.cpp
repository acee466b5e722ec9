// SPDX-License-Identifier: Apache-2.0
#include "seal/plaintext.h"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using seal::Plaintext;

struct Readable {
  const char* text;
  std::size_t coeff_count;
  const char* written;
};

// What SEAL makes of these texts.
constexpr Readable kReadable[] = {
    {"1", 1, "1"},
    {"0", 0, "0"},
    {"", 0, "0"},
    {"0x^5", 0, "0"},
    {"0x^5 + 0x^1 + 0", 0, "0"},
    {"7FFx^3 + 1x^1 + 3", 4, "7FFx^3 + 1x^1 + 3"},
    {"7ffx^3", 4, "7FFx^3"},
    {"aBcDeF", 1, "ABCDEF"},
    {"0x^5 + 1", 6, "1"},
    {"1x^5 + 0", 6, "1x^5"},
    {"1x^5 + 0x^3 + 1x^2", 6, "1x^5 + 1x^2"},
    {"1x^0", 1, "1"},
    {"1x^01", 2, "1x^1"},
    {"1x^00000000000000000000000003", 4, "1x^3"},
    {"1x^3 + ", 4, "1x^3"},
    {"00000000000000000001", 1, "1"},
    {"FFFFFFFFFFFFFFFF", 1, "FFFFFFFFFFFFFFFF"},
    {"0FFFFFFFFFFFFFFFFx^2", 3, "FFFFFFFFFFFFFFFFx^2"},
    {"8000000000000000x^1", 2, "8000000000000000x^1"},
    {"1x^131071", 131072, "1x^131071"},
};

TEST(PlaintextHex, whatCanBeRead) {
  for (const Readable& sample : kReadable) {
    const Plaintext plain(sample.text);
    EXPECT_EQ(plain.coeff_count(), sample.coeff_count) << '"' << sample.text << '"';
    EXPECT_EQ(plain.to_string(), sample.written) << '"' << sample.text << '"';
  }
}

TEST(PlaintextHex, whatCannotBeRead) {
  for (const char* text : {"x^2",
                           "1x",
                           "-",
                           "0x10",
                           " 1",
                           "1 ",
                           "1x^2 ",
                           "1 + ",
                           "1 + 1",
                           "1x^1 + 2x^2",
                           "1x^2 + 1x^2",
                           "1x^",
                           "1x^ + 1",
                           "1x^131072",
                           "1x^99999999999999999999",
                           "1x^3 +2",
                           "1x^3+ 2",
                           "1x^3  + 2",
                           "1x^3 +  2",
                           "1x^3 + + 2",
                           "1x^3 + 2 + ",
                           "G",
                           "1x^-1",
                           "1x^1x^1",
                           "+",
                           " + ",
                           " + 1",
                           "1x^2 - 1",
                           "1X^2",
                           "10000000000000000",
                           "1x^3 + 10000000000000000",
                           "1x^3 ",
                           "1x^3 +",
                           "1x^A",
                           "1\n",
                           "1x^3\t+ 1"}) {
    Plaintext plain("5x^1 + 6");
    EXPECT_THROW(plain = text, std::invalid_argument) << '"' << text << '"';
    EXPECT_EQ(plain.to_string(), "5x^1 + 6") << "changed by \"" << text << '"';
    EXPECT_THROW(Plaintext{std::string(text)}, std::invalid_argument);
  }
  EXPECT_THROW(Plaintext(std::string("1\0", 2)), std::invalid_argument);
}

TEST(PlaintextHex, zeroKeepsTheLength) {
  for (const char* text : {"", "0", "0x^9", "0x^2 + 0"}) {
    Plaintext plain("3x^4 + 2");
    plain = text;
    EXPECT_EQ(plain.coeff_count(), 5U) << '"' << text << '"';
    EXPECT_TRUE(plain.is_zero()) << '"' << text << '"';
  }
}

TEST(PlaintextHex, aShorterTextLeavesNothingBehind) {
  Plaintext plain("1x^4 + 2x^3 + 3x^2 + 4x^1 + 5");
  plain = "6x^2";
  EXPECT_EQ(plain.coeff_count(), 3U);
  EXPECT_EQ(plain.to_string(), "6x^2");
}

TEST(PlaintextHex, messagesShowNoDigits) {
  try {
    const Plaintext plain("ABCDEFx^3 +");
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).find("ABCDEF"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("character 9"), std::string::npos) << error.what();
  }
}

TEST(PlaintextHex, againstIostreams) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint64_t> words(1 + random() % 40);
    for (std::uint64_t& word : words) word = random() % 3 == 0 ? 0 : random() >> (random() % 64);
    std::ostringstream text;
    text << std::hex << std::uppercase;
    for (std::size_t i = words.size(); i-- > 0;) {
      if (words[i] == 0) continue;
      if (text.tellp() > 0) text << " + ";
      text << words[i];
      if (i > 0) text << "x^" << std::dec << i << std::hex;
    }
    const std::string expected = text.str().empty() ? "0" : text.str();
    Plaintext plain(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) plain[i] = words[i];
    EXPECT_EQ(plain.to_string(), expected);
    EXPECT_EQ(Plaintext(expected), plain);
  }
}

}  // namespace
}  // namespace ringlet::test
