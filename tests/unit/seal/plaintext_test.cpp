// SPDX-License-Identifier: Apache-2.0
#include "seal/plaintext.h"

#include "seal_objects.hpp"
#include "unit/seal/files/parameter_vectors.hpp"

namespace ringlet::test {
namespace {

constexpr std::uint64_t kPattern = 0xA5A5A5A5A5A5A5A5;
constexpr parms_id_type kSomeLevel{1, 0, 0, 0};

void expect_holds(const Plaintext& plain, const std::string& text, std::size_t count,
                  std::size_t capacity) {
  EXPECT_EQ(plain.to_string(), text);
  EXPECT_EQ(plain.coeff_count(), count);
  EXPECT_EQ(plain.capacity(), capacity);
}

void expect_empty(const Plaintext& plain) {
  expect_holds(plain, "0", 0, 0);
  EXPECT_EQ(plain.data(), nullptr);
  EXPECT_EQ(plain.data(0), nullptr);
  EXPECT_EQ(plain.scale(), 1.0);
  EXPECT_EQ(plain.parms_id(), parms_id_zero);
  EXPECT_FALSE(plain.is_ntt_form());
}

TEST(Plaintext, constructors) {
  const MemoryPoolHandle pool = MemoryPoolHandle::New();
  expect_empty(Plaintext());
  expect_holds(Plaintext(5), "0", 5, 5);
  EXPECT_TRUE(Plaintext(5).is_zero());
  expect_holds(Plaintext(7, 0), "0", 0, 7);
  expect_holds(Plaintext(7, 3, pool), "0", 3, 7);
  EXPECT_INVALID_ARGUMENT(Plaintext(4, 5));
  const Plaintext text("1x^2 + 3", pool);
  expect_holds(text, "1x^2 + 3", 3, 3);
  EXPECT_TRUE(text.pool() == pool);
  const Plaintext copy(text, MemoryPoolHandle::Global());
  EXPECT_EQ(copy, text);
  EXPECT_TRUE(copy.pool() == MemoryPoolHandle::Global());
  EXPECT_INVALID_ARGUMENT(Plaintext{MemoryPoolHandle()});
  EXPECT_INVALID_ARGUMENT(Plaintext(3, MemoryPoolHandle()));
  EXPECT_INVALID_ARGUMENT(Plaintext("1", MemoryPoolHandle()));
  EXPECT_INVALID_ARGUMENT(Plaintext(text, MemoryPoolHandle()));
}

TEST(Plaintext, copiesAndMoves) {
  Plaintext source("5x^3 + 1x^1");
  source.scale() = 4.0;
  expect_copies_and_moves(source);
  source.parms_id() = kSomeLevel;
  expect_copies_and_moves(source);

  Plaintext target("5x^3 + 1x^1");
  const std::uint64_t* memory = target.data();
  const Plaintext shorter("2x^1");
  target = shorter;
  EXPECT_EQ(target, shorter);
  EXPECT_EQ(target.data(), memory);
  const Plaintext moved(std::move(target));
  target.resize(2);
  EXPECT_TRUE(target.is_zero());
}

TEST(Plaintext, sizeAndCapacity) {
  Plaintext plain("1x^3 + 2x^2 + 3x^1 + 4");
  plain.resize(6);
  expect_holds(plain, "1x^3 + 2x^2 + 3x^1 + 4", 6, 6);
  plain.resize(2);
  expect_holds(plain, "3x^1 + 4", 2, 6);
  plain.resize(4);
  expect_holds(plain, "3x^1 + 4", 4, 6);  // resizing fills with zeros
  plain.reserve(10);
  expect_holds(plain, "3x^1 + 4", 4, 10);
  plain.reserve(1);
  expect_holds(plain, "4", 1, 1);
  plain.resize(3);
  plain.reserve(9);
  plain.shrink_to_fit();
  expect_holds(plain, "4", 3, 3);

  plain.scale() = 2.0;
  plain.parms_id() = {0, 0, 0, 1};
  EXPECT_LOGIC_ERROR(plain.resize(2));
  EXPECT_LOGIC_ERROR(plain.reserve(2));
  EXPECT_NO_THROW(plain.shrink_to_fit());
  plain.release();
  expect_empty(plain);
}

TEST(Plaintext, words) {
  Plaintext plain("AAx^2 + BBx^1 + CC");
  const Plaintext& constant = plain;
  EXPECT_EQ(constant[0], 0xCCU);
  EXPECT_EQ(*constant.data(2), 0xAAU);
  plain[1] = 0;
  EXPECT_EQ(plain.nonzero_coeff_count(), 2U);
  EXPECT_EQ(plain.significant_coeff_count(), 3U);
  *plain.data(2) = 0;
  EXPECT_EQ(plain.significant_coeff_count(), 1U);
  EXPECT_EQ(plain.coeff_count(), 3U);
  EXPECT_OUT_OF_RANGE(plain[3]);
  EXPECT_OUT_OF_RANGE(plain.data(3));
  EXPECT_OUT_OF_RANGE(constant[3]);
  EXPECT_OUT_OF_RANGE(Plaintext()[0]);
  EXPECT_EQ(constant.dyn_array().size(), 3U);
}

#ifdef SEAL_USE_MSGSL
TEST(Plaintext, spans) {
  const std::vector<std::uint64_t> words{1, 2, 3};
  const gsl::span<const std::uint64_t> span(words);
  Plaintext plain(span, 5);
  EXPECT_EQ(plain.to_string(), "3x^2 + 2x^1 + 1");
  EXPECT_EQ(plain.capacity(), 5U);
  EXPECT_EQ(Plaintext(span), plain);
  EXPECT_THROW(Plaintext(span, 2), std::invalid_argument);
  plain.data_span()[1] = 7;
  EXPECT_EQ(std::as_const(plain).data_span()[1], 7U);
  plain.scale() = 4;
  plain = plain.data_span().first(2);
  EXPECT_EQ(plain.to_string(), "7x^1 + 1");
  EXPECT_EQ(plain.scale(), 4);
  plain.parms_id()[0] = 1;
  plain = span;
  EXPECT_FALSE(plain.is_ntt_form());

  DynArray<std::uint64_t> array(span, 4);
  EXPECT_EQ(array.capacity(), 4U);
  array = gsl::span<const std::uint64_t>(array.span()).last(2);
  EXPECT_EQ(std::vector(array.begin(), array.end()), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(std::as_const(array).span().size(), DynArray<std::uint64_t>(span.first(2)).size());
}
#endif

TEST(Plaintext, setZero) {
  Plaintext plain("1x^3 + 2x^2 + 3x^1 + 4");
  plain.set_zero(1, 2);
  EXPECT_EQ(plain.to_string(), "1x^3 + 4");
  plain.set_zero(3);
  EXPECT_EQ(plain.to_string(), "4");
  EXPECT_OUT_OF_RANGE(plain.set_zero(4));
  EXPECT_OUT_OF_RANGE(plain.set_zero(3, 2));
  EXPECT_OUT_OF_RANGE(plain.set_zero(4, 1));
  EXPECT_OUT_OF_RANGE(plain.set_zero(1, static_cast<std::size_t>(-1)));
  EXPECT_EQ(plain.to_string(), "4");
  plain.set_zero(7, 0);
  plain.set_zero();
  expect_holds(plain, "0", 4, 4);
}

TEST(Plaintext, aNumberIsAConstant) {
  Plaintext plain("1x^3");
  plain.scale() = 8.0;
  plain = 0x1234U;
  expect_holds(plain, "1234", 1, 4);
  EXPECT_EQ(plain.scale(), 8.0);
  plain.parms_id() = kSomeLevel;
  plain = 0;
  EXPECT_FALSE(plain.is_ntt_form());
  expect_holds(plain, "0", 1, 4);
}

TEST(Plaintext, equality) {
  Plaintext a("2x^2 + 1");
  Plaintext b(10);
  b = a;
  b.resize(10);
  EXPECT_TRUE(a == b) << "zeros at the end do not matter";
  b[9] = 1;
  EXPECT_TRUE(a != b);
  b[9] = 0;
  b[1] = 1;
  EXPECT_FALSE(a == b);
  b[1] = 0;
  b.scale() = std::nextafter(1.0, 0.0);
  EXPECT_TRUE(a == b);
  b.scale() = 1.0 + std::ldexp(1.0, -51);
  EXPECT_FALSE(a == b);
  a.scale() = 0.5;
  b.scale() = 0.5 + std::ldexp(1.0, -52);
  EXPECT_FALSE(a == b) << "2^-52 is not less than 2^-52";
  b.scale() = 0.5 + std::ldexp(1.0, -53);
  EXPECT_TRUE(a == b);
  a.scale() = std::ldexp(1.0, 40);
  b.scale() = std::nextafter(a.scale(), 0.0);
  EXPECT_TRUE(a == b);
  b.scale() = a.scale();
  a.parms_id() = {1, 0, 0, 0};
  EXPECT_FALSE(a == b);
  b.parms_id() = {1, 0, 0, 1};
  EXPECT_FALSE(a == b);
  b.parms_id() = a.parms_id();
  EXPECT_TRUE(a == b);
  EXPECT_TRUE(Plaintext() == Plaintext(3));
}

TEST(Plaintext, nttFormRefusesText) {
  Plaintext plain(4);
  plain[2] = 5;
  plain.parms_id() = kSomeLevel;
  EXPECT_LOGIC_ERROR(plain = "1");
  EXPECT_INVALID_ARGUMENT(plain.to_string());
  EXPECT_EQ(plain[2], 5U);
}

/// Counts words of the pattern in the next block of this size. Without wiping, the block still has
/// the words of the last one.
std::size_t pattern_words_left(const MemoryPoolHandle& pool, std::size_t count) {
  const std::size_t bytes = count * 8;
  auto* words = static_cast<std::uint64_t*>(seal4::detail::pool_allocate(pool, bytes));
  const auto left = std::count(words, words + count, kPattern);
  seal4::detail::pool_release(pool, words, bytes);
  return static_cast<std::size_t>(left);
}

TEST(Plaintext, wipesWhatItReleases) {
  constexpr std::size_t kCount = 512;
  {
    const MemoryPoolHandle pool = MemoryPoolHandle::New();
    seal::DynArray<std::uint64_t> unwiped(kCount, pool);
    std::fill(unwiped.begin(), unwiped.end(), kPattern);
    unwiped.release();
    ASSERT_GT(pattern_words_left(pool, kCount), 0U) << "the pool shows what was left in a block";
  }
  const auto expect_wiped = [](const char* what, auto use) {
    const MemoryPoolHandle pool = MemoryPoolHandle::New();
    Plaintext plain(kCount, pool);
    std::fill_n(plain.data(), kCount, kPattern);
    use(plain);
    EXPECT_EQ(pattern_words_left(pool, kCount), 0U) << what;
  };
  const Plaintext longer(2 * kCount);
  expect_wiped("release", [](Plaintext& plain) { plain.release(); });
  expect_wiped("resize", [](Plaintext& plain) { plain.resize(2 * kCount); });
  expect_wiped("reserve", [](Plaintext& plain) { plain.reserve(1); });
  expect_wiped("move", [](Plaintext& plain) { plain = Plaintext(kCount + 1); });
  expect_wiped("copy", [&](Plaintext& plain) { plain = longer; });
  expect_wiped("text", [](Plaintext& plain) { plain = "1x^1000"; });
  expect_wiped("words beyond the size", [](Plaintext& plain) {
    plain.resize(1);
    plain.shrink_to_fit();
  });
  expect_wiped("the destructor", [](Plaintext& plain) { const Plaintext taken(std::move(plain)); });
}

// Text, the number of coefficients that it gives, and their text, as in SEAL.
constexpr std::tuple<const char*, std::size_t, const char*> kReadable[] = {
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
    {"1x^131071", 131072, "1x^131071"}};

TEST(PlaintextHex, whatCanBeRead) {
  for (const auto& [text, coeff_count, written] : kReadable) {
    expect_holds(Plaintext(text), written, coeff_count, coeff_count);
  }
}

TEST(PlaintextHex, whatCannotBeRead) {
  std::vector<std::string> unreadable = split(
      "x^2|1x|-|0x10| 1|1 |1x^2 |1 + |1 + 1|1x^1 + 2x^2|1x^2 + 1x^2|1x^|1x^ + 1|1x^131072|"
      "1x^99999999999999999999|1x^3 +2|1x^3+ 2|1x^3  + 2|1x^3 +  2|1x^3 + + 2|1x^3 + 2 + |G|1x^-1|"
      "1x^1x^1|+| + | + 1|1x^2 - 1|1X^2|10000000000000000|1x^3 + 10000000000000000|1x^3 |1x^3 +|"
      "1x^A|1\n|1x^3\t+ 1",
      '|');
  EXPECT_EQ(unreadable.size(), 36U);
  unreadable.emplace_back("1\0", 2);
  for (const std::string& text : unreadable) {
    SCOPED_TRACE('"' + text + '"');
    Plaintext plain("5x^1 + 6");
    EXPECT_INVALID_ARGUMENT(plain = text);
    EXPECT_EQ(plain.to_string(), "5x^1 + 6");
    EXPECT_INVALID_ARGUMENT(Plaintext(text));
  }
}

TEST(PlaintextHex, zeroKeepsTheLengthAndOthersDoNot) {
  for (const char* text : {"", "0", "0x^9", "0x^2 + 0"}) {
    Plaintext plain("3x^4 + 2");
    plain = text;
    expect_holds(plain, "0", 5, 5);
  }
  Plaintext plain("1x^4 + 2x^3 + 3x^2 + 4x^1 + 5");
  plain = "6x^2";  // nothing of the former text remains
  expect_holds(plain, "6x^2", 3, 5);
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
