// SPDX-License-Identifier: Apache-2.0
#include "kernels/select.hpp"
#include "lab/kernels/all_word_operations.hpp"
#include "lab/kernels/wide_mqx.hpp"
#include "support/environment.hpp"
#include "support/reference/big_integer.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// Compares the emulated instructions of MQX, and the same operations by AVX-512, with GMP.

namespace ringlet::test {
namespace {

using kernels::WordOperations;
using EightWords = std::array<std::uint64_t, 8>;
using Pair = std::array<std::uint64_t, 2>;

constexpr std::uint64_t kOnes = ~std::uint64_t{0};

/// Low word and high word of a value modulo 2^128.
Pair words_of(const Integer& value) {
  const Integer low = value % (Integer(1) << 128);
  return {mpz_get_ui(low.get()), mpz_get_ui((low >> 64).get())};
}

/// Compares all three operations on eight pairs of words.
void check(const WordOperations& words, const EightWords& a, const EightWords& b, std::uint8_t in) {
  EightWords high;
  EightWords low;
  words.mul_words(high.data(), low.data(), a.data(), b.data());
  EightWords sum;
  const std::uint8_t carries = words.add_carry(sum.data(), a.data(), b.data(), in);
  EightWords difference;
  const std::uint8_t borrows = words.subtract_borrow(difference.data(), a.data(), b.data(), in);
  for (unsigned i = 0; i < 8; ++i) {
    SCOPED_TRACE(::testing::Message() << words.name << ": " << a[i] << ", " << b[i]);
    const unsigned bit = in >> i & 1U;
    const Integer x(a[i]);
    const Integer y(b[i]);
    const Integer carry(bit);
    ASSERT_EQ(words_of(x * y), (Pair{low[i], high[i]}));
    ASSERT_EQ(words_of(x + y + carry), (Pair{sum[i], carries >> i & 1U}));
    const auto rest = words_of(x - y - carry);
    ASSERT_EQ(difference[i], rest[0]);
    ASSERT_EQ(borrows >> i & 1U, rest[1] & 1U);
  }
}

TEST(Mqx, EdgesAreThoseOfGmp) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 32;
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  const std::uint64_t edges[] = {0, 1, 2, kHalf - 1, kHalf, kTop - 1, kTop, kOnes - 1, kOnes};
  for (const WordOperations* words : kernels::available_word_operations()) {
    for (const std::uint64_t x : edges) {
      for (const std::uint64_t y : edges) {
        EightWords a;
        EightWords b;
        a.fill(x);
        b.fill(y);
        for (const int in : {0x00, 0xff, 0xa5}) check(*words, a, b, static_cast<std::uint8_t>(in));
      }
    }
  }
}

TEST(Mqx, RandomWordsAreThoseOfGmp) {
  auto rng = make_rng();
  for (const WordOperations* words : kernels::available_word_operations()) {
    for (std::size_t n = 0; n < scaled(std::size_t{1250}); ++n) {
      EightWords a;
      EightWords b;
      for (std::uint64_t& word : a) word = rng();
      for (unsigned i = 0; i < 8; ++i) {
        // Close to a, to its negative and to its complement, where carries and borrows change.
        const std::uint64_t near = rng() % 3 - 1;
        const std::uint64_t choices[] = {rng(), a[i] + near, near - a[i], ~a[i] + near};
        b[i] = choices[rng() % 4];
      }
      check(*words, a, b, static_cast<std::uint8_t>(rng()));
    }
  }
}

/// The rule of the slides: there is a carry if the sum is below a or below b.
bool slides_carry(std::uint64_t a, std::uint64_t b, unsigned in) {
  const std::uint64_t sum = a + b + in;
  return sum < a || sum < b;
}

TEST(Mqx, TheRuleOfTheSlidesLosesACarry) {
  // 2^64-1 + 2^64-1 + 1 = 2^65 - 1: the sum's word is neither below a nor below b.
  EXPECT_FALSE(slides_carry(kOnes, kOnes, 1));
  EXPECT_TRUE(slides_carry(kOnes, kOnes, 0));
  EXPECT_TRUE(slides_carry(kOnes, kOnes - 1, 1));
  for (const WordOperations* words : kernels::available_word_operations()) {
    EightWords a;
    a.fill(kOnes);
    EightWords sum;
    EXPECT_EQ(words->add_carry(sum.data(), a.data(), a.data(), 0xff), 0xff) << words->name;
    EXPECT_EQ(sum, a) << words->name;
    EXPECT_EQ(words->add_carry(sum.data(), a.data(), a.data(), 0x0f), 0xff) << words->name;
    EXPECT_EQ(sum[0], kOnes) << words->name;
    EXPECT_EQ(sum[7], kOnes - 1) << words->name;
  }
}

TEST(Mqx, LanesAreIndependent) {
  const kernels::MqxVector a{{kOnes, 0, kOnes, 0, 7, kOnes, 0, 1}};
  const kernels::MqxVector b{{1, 0, 0, 1, 8, kOnes, kOnes, 1}};
  kernels::MqxMask out = 0;
  const kernels::MqxVector sum = kernels::mqx_adc(a, b, 0b01000100, out);
  EXPECT_EQ(out, 0b01100101);
  EXPECT_EQ(sum.word[2], 0U);
  EXPECT_EQ(sum.word[4], 15U);
  EXPECT_EQ(sum.word[6], 0U);
  const kernels::MqxVector difference = kernels::mqx_sbb(a, b, 0b10000010, out);
  EXPECT_EQ(out, 0b11011010);
  EXPECT_EQ(difference.word[0], kOnes - 1);
  EXPECT_EQ(difference.word[1], kOnes);
  EXPECT_EQ(difference.word[6], 1U);
  EXPECT_EQ(difference.word[7], kOnes);
}

TEST(Mqx, OnlyItsNameChoosesIt) {
  const std::uint64_t q[2] = {1, std::uint64_t{1048441} << 40};
  for (const std::string& table : kernel_tables()) {
    if (table == "mqx") continue;
    try {
      const KernelSelection selection(table);
      EXPECT_STRNE(kernels::choose_wide(q, selection).kernel->table, "mqx") << table;
    } catch (const std::runtime_error&) {
      // This processor lacks the table.
    }
  }
  EXPECT_STRNE(kernels::choose_wide(q, KernelSelection()).kernel->table, "mqx");
  const KernelSelection mqx("mqx");
  EXPECT_EQ(kernels::choose_wide(q, mqx).name(), "mqx/barrett-schoolbook");
  EXPECT_EQ(kernels::choose_wide(q, KernelSelection("mqx/barrett-karatsuba")).name(),
            "mqx/barrett-karatsuba");
  // scalar64 replaces kernels that mqx does not have or that do not support the modulus.
  const std::uint64_t short_q[2] = {12289, 0};
  EXPECT_STREQ(kernels::choose_wide(short_q, mqx).kernel->table, "scalar64");
  EXPECT_STREQ(kernels::choose_ntt(12, 12289, mqx).kernel->table, "scalar64");
  EXPECT_STREQ(
      kernels::choose_eltwise(kernels::EltwiseOperation::multiply, 12289, mqx).kernel->table,
      "scalar64");
}

}  // namespace
}  // namespace ringlet::test
