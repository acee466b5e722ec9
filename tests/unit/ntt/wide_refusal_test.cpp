// SPDX-License-Identifier: Apache-2.0
#include "support/refusal.hpp"
#include "wide_support.hpp"

// Vectors that no call on double words accepts: each is refused by name, and no word changes.

namespace ringlet::test {
namespace {

using Span = std::span<std::uint64_t>;

constexpr std::size_t kCount = 16;
constexpr std::size_t kWords = 200;

/// A call with a result and operands of kCount elements; calls without a second operand ignore it.
struct WideCall {
  std::string operation;
  bool has_second;
  std::function<void(WideResult, WideOperand, WideOperand)> run;
};

/// Memory from which a test cuts vectors.
struct WideRefusal : ::testing::Test {
  WideRefusal()
      : q_(generate_wide_ntt_primes(124, kCount, 1).front()), eltwise_(q_), ntt_(kCount, q_) {
    for (std::size_t i = 0; i < kWords; ++i) words_[i] = i;
    before_ = words_;
    for (const WideOperation& one : wide_operations()) {
      calls_.push_back({"WideEltwise::" + one.name, one.has_second,
                        [&](auto r, auto a, auto b) { one.call(eltwise_, r, a, b); }});
    }
    calls_.push_back(
        {"WideNtt::forward", false, [&](auto r, auto a, auto) { ntt_.forward(r, a); }});
    calls_.push_back(
        {"WideNtt::inverse", false, [&](auto r, auto a, auto) { ntt_.inverse(r, a); }});
  }

  Span words(std::size_t from, std::size_t count = kCount) {
    return Span(words_).subspan(from, count);
  }
  /// kCount pairs that start at word `from`.
  Span pairs(std::size_t from) { return words(from, 2 * kCount); }
  WideOperand pairs_operand(std::size_t from) { return WideOperand(pairs(from)); }

  /// Expects all calls to refuse result and first operand with these texts; the second is valid.
  void expect_refused(const WideResult& result, const WideOperand& a,
                      std::initializer_list<std::string> texts) {
    for (const WideCall& call : calls_) {
      expect_refusal_of(call.operation, texts, [&] { call.run(result, a, pairs_operand(160)); });
    }
    EXPECT_EQ(words_, before_);
  }
  /// Expects the same for result and second operand.
  void expect_second_refused(const WideResult& result, const WideOperand& b,
                             std::initializer_list<std::string> texts) {
    for (const WideCall& call : calls_) {
      if (!call.has_second) continue;
      expect_refusal_of(call.operation, texts, [&] { call.run(result, pairs_operand(160), b); });
    }
    EXPECT_EQ(words_, before_);
  }
  /// Expects refusals of a result that overlaps an operand, in both places of an operand.
  void expect_overlap_refused(const WideResult& result, const WideOperand& operand) {
    expect_refused(
        result, operand,
        {"result overlaps ", "same memory in the same layout", "separate memory as result"});
    expect_second_refused(result, operand, {"result overlaps b"});
  }

  WideModulus q_;
  WideEltwise eltwise_;
  WideNtt ntt_;
  AlignedVector<std::uint64_t> words_ = AlignedVector<std::uint64_t>(kWords);
  AlignedVector<std::uint64_t> before_;
  std::vector<WideCall> calls_;
};

TEST_F(WideRefusal, ALayoutIsTwoEqualPlanesOrPairs) {
  expect_refusal_of("WideResult", {"pairs has 15 words", "an even number of words"},
                    [&] { WideResult{words(0, 15)}; });
  expect_refusal_of("WideOperand", {"pairs has 1 words", "an even number of words"},
                    [&] { WideOperand{words(0, 1)}; });
  expect_refusal_of("WideResult", {"low has 16 words, high has 15", "planes of the same length"},
                    [&] { WideResult(words(0), words(32, 15)); });
  expect_refusal_of("WideOperand", {"low has 0 words, high has 16"},
                    [&] { WideOperand(words(0, 0), words(32)); });
}

TEST_F(WideRefusal, LengthsDiffer) {
  const auto text = [](const std::string& name, std::size_t count) {
    return name + " has " + std::to_string(count) + " double words";
  };
  for (const std::size_t count : {std::size_t{0}, kCount - 1, kCount + 1, std::size_t{19}}) {
    for (const WideCall& call : calls_) {
      const bool is_transform = !call.operation.starts_with("WideEltwise");
      expect_refusal_of(
          call.operation,
          {text("result", count), "16 double words in every vector", "16 double words as result"},
          [&] {
            call.run(WideResult(words(0, 2 * count)), WideOperand(pairs(60)),
                     WideOperand(pairs(100)));
          });
      // The first operand has the length of the call, except for transforms.
      expect_refusal_of(
          call.operation, {is_transform ? text("operand", count) : text("result", kCount)}, [&] {
            call.run(WideResult(pairs(0)), WideOperand(words(60, count), words(100, count)),
                     WideOperand(pairs(140)));
          });
      if (!call.has_second) continue;
      expect_refusal_of(call.operation, {text("b", count), "16 double words as b"}, [&] {
        call.run(WideResult(pairs(0)), WideOperand(pairs(60)), WideOperand(words(100, 2 * count)));
      });
    }
    expect_refusal_of("WideEltwise::dot", {text("b", count)}, [&] {
      (void)eltwise_.dot(WideOperand(pairs(0)), WideOperand(words(60, 2 * count)));
    });
  }
  EXPECT_EQ(words_, before_);
}

TEST_F(WideRefusal, NullMemory) {
  std::uint64_t* const none = nullptr;
  const Span null_plane(none, kCount);
  const Span null_pairs(none, 2 * kCount);
  const WideResult good(pairs(0));
  const std::string limit = "a null pointer only for 0 double words";
  for (const WideResult& bad : {WideResult(null_pairs), WideResult(null_plane, words(40)),
                                WideResult(words(40), null_plane)}) {
    expect_refused(bad, pairs_operand(100), {"result is null, with 16 double words", limit});
    expect_refused(good, bad, {" is null, with 16 double words", limit, "allocated memory as "});
    expect_second_refused(good, bad, {"b is null", "allocated memory as b"});
    expect_refusal_of("WideEltwise::dot", {"a is null"},
                      [&] { (void)eltwise_.dot(bad, pairs_operand(0)); });
    expect_refusal_of("WideEltwise::check", {"a is null"}, [&] { eltwise_.check(bad); });
  }
}

TEST_F(WideRefusal, MemoryThatIsNotWholeWords) {
  for (const std::ptrdiff_t bytes : {1, 4, 7}) {
    auto* const shifted = reinterpret_cast<std::uint64_t*>(
        reinterpret_cast<unsigned char*>(words_.data() + 40) + bytes);
    const WideResult good(pairs(0));
    for (const WideResult& bad :
         {WideResult(Span(shifted, 2 * kCount)), WideResult(Span(shifted, kCount), words(100)),
          WideResult(words(100), Span(shifted, kCount))}) {
      expect_refused(bad, pairs_operand(120), {"result starts at address 0x", "multiples of 8"});
      expect_refused(good, bad, {" starts at address 0x", "multiples of 8", "aligned buffer"});
      expect_second_refused(good, bad, {"b starts at address 0x"});
      expect_refusal_of("WideEltwise::dot", {"b starts at address 0x"},
                        [&] { (void)eltwise_.dot(pairs_operand(0), bad); });
      expect_refusal_of("WideEltwise::check", {"a starts at address 0x"},
                        [&] { eltwise_.check(bad); });
    }
  }
}

TEST_F(WideRefusal, PlanesOfAResultThatOverlap) {
  for (const std::size_t distance : {std::size_t{0}, std::size_t{1}, kCount - 1}) {
    for (const bool swapped : {false, true}) {
      const WideResult result = swapped ? WideResult(words(20 + distance), words(20))
                                        : WideResult(words(20), words(20 + distance));
      expect_refused(result, pairs_operand(100),
                     {"the planes of result overlap", "no word in common", "for the high words"});
      expect_refused(result, result, {"the planes of result overlap"});
    }
  }
}

TEST_F(WideRefusal, AResultThatSharesAPartOfAnOperand) {
  const auto planes = [&](std::size_t low, std::size_t high) {
    return WideResult(words(low), words(high));
  };
  // Two vectors of pairs.
  for (const std::size_t from : {std::size_t{1}, std::size_t{2}, 2 * kCount - 1}) {
    expect_overlap_refused(WideResult(pairs(from)), pairs_operand(0));
    expect_overlap_refused(WideResult(pairs(0)), pairs_operand(from));
  }
  // Two vectors of planes: one plane in common, an overlap by one word, and swapped planes.
  expect_overlap_refused(planes(0, 40), planes(80, 40));
  expect_overlap_refused(planes(0, 40), planes(0, 80));
  expect_overlap_refused(planes(0, 40), planes(80, 55));
  expect_overlap_refused(planes(0, 40), planes(80, 25));
  expect_overlap_refused(planes(0, 40), planes(15, 80));
  expect_overlap_refused(planes(15, 40), planes(0, 80));
  expect_overlap_refused(planes(0, 40), planes(40, 0));
  // Planes and pairs, also with the same memory from end to end.
  expect_overlap_refused(planes(0, kCount), pairs_operand(0));
  expect_overlap_refused(WideResult(pairs(0)), planes(0, kCount));
  expect_overlap_refused(planes(0, 60), pairs_operand(15));
  expect_overlap_refused(planes(60, 0), pairs_operand(15));
  expect_overlap_refused(WideResult(pairs(31)), planes(60, 16));
  // An allowed overlap with one operand does not excuse the other.
  for (const WideCall& call : calls_) {
    if (!call.has_second) continue;
    expect_refusal_of(call.operation, {"result overlaps b"},
                      [&] { call.run(WideResult(pairs(0)), pairs_operand(0), pairs_operand(2)); });
  }
  EXPECT_EQ(words_, before_);
}

TEST_F(WideRefusal, NeighboursInMemoryAreTaken) {
  for (const WideCall& call : calls_) {
    EXPECT_NO_THROW(call.run(WideResult(pairs(0)), pairs_operand(32), pairs_operand(64)));
    EXPECT_NO_THROW(call.run(WideResult(words(32), words(48)), pairs_operand(0),
                             WideOperand(words(64), words(80))));
    EXPECT_NO_THROW(call.run(WideResult(words(48), words(32)), WideOperand(words(16), words(0)),
                             pairs_operand(64)));
  }
}

TEST_F(WideRefusal, Scratch) {
  const std::size_t least = ntt_.scratch_words();
  AlignedVector<std::uint64_t> memory(least + 64, 7);
  const AlignedVector<std::uint64_t> memory_before = memory;
  const Span scratch(memory);
  const WideResult result(pairs(0));
  const WideOperand operand = pairs_operand(64);
  const auto refuses = [&](WideResult r, WideOperand a, Span s,
                           std::initializer_list<std::string> texts) {
    expect_refusal_of("WideNtt::forward", texts, [&] { ntt_.forward(r, a, s); });
    expect_refusal_of("WideNtt::inverse", texts, [&] { ntt_.inverse(r, a, s); });
    EXPECT_EQ(words_, before_);
    EXPECT_EQ(memory, memory_before);
  };
  const std::string limit = "at least " + std::to_string(least);
  refuses(result, operand, scratch.first(1), {"scratch has 1 words", limit, "a longer scratch"});
  refuses(result, operand, scratch.first(least - 1), {std::to_string(least - 1), limit});
  for (const std::size_t offset : {1, 4, 7}) {
    refuses(result, operand, scratch.subspan(offset, least),
            {"scratch starts at address 0x", "multiples of 64", "aligned memory"});
  }
  refuses(result, operand, Span(static_cast<std::uint64_t*>(nullptr), least),
          {"scratch starts at address 0x0", "not null"});
  const std::string overlap = "scratch overlaps another vector";
  refuses(WideResult(scratch.subspan(least - 2, 2 * kCount)), operand, scratch.first(least),
          {overlap, "no word in common", "separate memory as scratch"});
  refuses(WideResult(words(0), scratch.first(kCount)), operand, scratch, {overlap});
  refuses(WideResult(scratch.first(kCount), words(0)), operand, scratch, {overlap});
  refuses(result, WideOperand(scratch.subspan(least - 1, 2 * kCount)), scratch.first(least),
          {overlap});
  refuses(result, WideOperand(words(64), scratch.subspan(8, kCount)), scratch, {overlap});
  EXPECT_NO_THROW(ntt_.forward(result, operand, scratch.first(least)));
}

// Wide primes: the largest of their size, by GMP, and requests that are refused.

constexpr std::size_t kLargestCount = 1000;

/// The `count` largest primes of `bits` bits that are 1 mod `step`, by GMP; fewer if there are.
std::vector<DoubleWord> gmp_primes(int bits, const mpz_class& step, std::size_t count) {
  std::vector<DoubleWord> primes;
  mpz_class candidate = power_of_two(bits) - step + 1;
  for (; primes.size() < count && candidate > power_of_two(bits - 1); candidate -= step) {
    if (mpz_probab_prime_p(candidate.get_mpz_t(), 30) != 0) {
      primes.push_back(to_words<2>(candidate));
    }
  }
  return primes;
}

std::vector<DoubleWord> words_of(const std::vector<WideModulus>& moduli) {
  std::vector<DoubleWord> words;
  for (const WideModulus& q : moduli) {
    EXPECT_EQ(q.value()[2], 0U);
    words.push_back({q.value()[0], q.value()[1]});
  }
  return words;
}

TEST(WidePrimes, AreTheLargestOnesOfTheirSize) {
  for (const int bits : {100, 101, 112, 123, 124}) {
    for (const std::size_t degree : {std::size_t{2}, std::size_t{16}, std::size_t{1} << 20}) {
      EXPECT_EQ(words_of(generate_wide_ntt_primes(bits, degree, 4)),
                gmp_primes(bits, 2 * degree, 4))
          << bits << " bits, degree " << degree;
    }
  }
  EXPECT_TRUE(generate_wide_ntt_primes(124, 16, 0).empty());
}

TEST(WidePrimes, SpecialOnesAreAllThatExist) {
  std::size_t exhausted = 0;
  for (int bits = 106; bits <= 124; ++bits) {
    const std::vector<DoubleWord> expected = gmp_primes(bits, power_of_two(104), 6);
    EXPECT_EQ(words_of(generate_special_wide_primes(bits, expected.size())), expected) << bits;
    EXPECT_TRUE(generate_special_wide_primes(bits, 0).empty());
    for (const DoubleWord& q : expected) {
      const WideModulus modulus({q[0], q[1], 0});
      EXPECT_EQ(modulus.bit_count(), bits);
      EXPECT_GE(longest_transform_log2(modulus, WideRing::negacyclic), 103);
    }
    if (expected.size() == 6) continue;
    ++exhausted;
    for (const std::size_t count : {expected.size() + 1, kLargestCount}) {
      expect_refusal_of("generate_special_wide_primes",
                        {"count = " + std::to_string(count), "of " + std::to_string(bits) + " bits",
                         "only " + std::to_string(expected.size()) + " such primes exist"},
                        [&] { (void)generate_special_wide_primes(bits, count); });
    }
  }
  EXPECT_GE(exhausted, 1U) << "no size has fewer than six";
}

TEST(WidePrimes, TheLargestCountIsThereAndTheNextIsRefused) {
  for (const auto& primes : {generate_wide_ntt_primes(124, std::size_t{1} << 20, kLargestCount),
                             generate_special_wide_primes(124, kLargestCount)}) {
    ASSERT_EQ(primes.size(), kLargestCount);
    for (std::size_t i = 1; i < primes.size(); ++i) {
      const WideInteger& larger = primes[i - 1].value();
      const WideInteger& smaller = primes[i].value();
      ASSERT_LT(std::pair(smaller[1], smaller[0]), std::pair(larger[1], larger[0]));
    }
  }
  for (const std::size_t count : {kLargestCount + 1, std::size_t{1} << 40, ~std::size_t{0}}) {
    const auto texts = {"count = " + std::to_string(count), std::string("at most 1000 primes"),
                        std::string("ask for fewer primes")};
    expect_refusal_of("generate_wide_ntt_primes", texts,
                      [&] { (void)generate_wide_ntt_primes(124, 16, count); });
    expect_refusal_of("generate_special_wide_primes", texts,
                      [&] { (void)generate_special_wide_primes(124, count); });
  }
}

TEST(WidePrimes, RefuseOtherSizesAndDegrees) {
  for (const int bits :
       {std::numeric_limits<int>::min(), -1, 0, 99, 125, 135, std::numeric_limits<int>::max()}) {
    expect_refusal_of("generate_wide_ntt_primes",
                      {"bits = " + std::to_string(bits), "100 to 124 bits"},
                      [&] { (void)generate_wide_ntt_primes(bits, 16, 1); });
  }
  for (const int bits :
       {std::numeric_limits<int>::min(), -1, 0, 100, 105, 125, std::numeric_limits<int>::max()}) {
    expect_refusal_of("generate_special_wide_primes",
                      {"bits = " + std::to_string(bits), "106 to 124 bits"},
                      [&] { (void)generate_special_wide_primes(bits, 1); });
  }
  for (const std::size_t degree : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{24},
                                   std::size_t{1} << 21, std::size_t{1} << 63, ~std::size_t{0}}) {
    expect_refusal_of("generate_wide_ntt_primes",
                      {"degree = " + std::to_string(degree), "powers of two from 2 to 2^20"},
                      [&] { (void)generate_wide_ntt_primes(124, degree, 1); });
  }
}

TEST(WidePrimes, LongestTransforms) {
  const auto expect_log2 = [](const WideModulus& q, int cyclic) {
    EXPECT_EQ(longest_transform_log2(q, WideRing::cyclic), cyclic) << q.to_string();
    EXPECT_EQ(longest_transform_log2(q, WideRing::negacyclic), cyclic - 1) << q.to_string();
  };
  // The moduli of the paper's code and slides.
  expect_log2(WideModulus::parse("21267647932558653966460912964485513157"), 2);
  expect_log2(WideModulus::parse("21267647932558653966460912964485512497"), 4);
  expect_log2(WideModulus::parse("15107846090143992465023504163010990279"), 1);
  expect_log2(WideModulus({3, 0, 0}), 1);
  expect_log2(WideModulus({97, 0, 0}), 5);
  expect_log2(WideModulus({0xffffffff00000001, 0, 0}), 32);
  expect_log2(WideModulus::parse("9223372036854775837"), 2);
  for (const WideRing ring : {WideRing::cyclic, WideRing::negacyclic}) {
    const std::string operation = "longest_transform_log2";
    expect_refusal_of(operation, {"modulus = 2, ", "even"},
                      [&] { (void)longest_transform_log2(WideModulus({2, 0, 0}), ring); });
    expect_refusal_of(operation, {"modulus = 15, composite", "primes"},
                      [&] { (void)longest_transform_log2(WideModulus({15, 0, 0}), ring); });
    expect_refusal_of(operation, {"of 125 bits", "at most 124 bits"},
                      [&] { (void)longest_transform_log2(WideModulus::largest_prime(125), ring); });
  }
}

}  // namespace
}  // namespace ringlet::test
