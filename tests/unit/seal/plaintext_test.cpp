// SPDX-License-Identifier: Apache-2.0
#include "seal/plaintext.h"

#include "ringlet/error.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using seal::MemoryPoolHandle;
using seal::parms_id_zero;
using seal::Plaintext;

constexpr std::uint64_t kPattern = 0xA5A5A5A5A5A5A5A5;

TEST(Plaintext, constructors) {
  const Plaintext empty;
  EXPECT_EQ(empty.coeff_count(), 0U);
  EXPECT_EQ(empty.capacity(), 0U);
  EXPECT_EQ(empty.data(), nullptr);
  EXPECT_EQ(empty.data(0), nullptr);
  EXPECT_EQ(empty.scale(), 1.0);
  EXPECT_EQ(empty.parms_id(), parms_id_zero);
  EXPECT_FALSE(empty.is_ntt_form());

  const Plaintext zeros(5);
  EXPECT_EQ(zeros.coeff_count(), 5U);
  EXPECT_EQ(zeros.capacity(), 5U);
  EXPECT_TRUE(zeros.is_zero());

  const Plaintext room(7, 0);
  EXPECT_EQ(room.coeff_count(), 0U);
  EXPECT_EQ(room.capacity(), 7U);
  EXPECT_THROW(Plaintext(4, 5), std::invalid_argument);

  const MemoryPoolHandle pool = MemoryPoolHandle::New();
  const Plaintext text("1x^2 + 3", pool);
  EXPECT_EQ(text.coeff_count(), 3U);
  EXPECT_TRUE(text.pool() == pool);
  const Plaintext copy(text, MemoryPoolHandle::Global());
  EXPECT_EQ(copy, text);
  EXPECT_TRUE(copy.pool() == MemoryPoolHandle::Global());

  EXPECT_THROW(Plaintext{MemoryPoolHandle()}, std::invalid_argument);
  EXPECT_THROW(Plaintext(3, MemoryPoolHandle()), std::invalid_argument);
  EXPECT_THROW(Plaintext("1", MemoryPoolHandle()), std::invalid_argument);
  EXPECT_THROW(Plaintext(text, MemoryPoolHandle()), std::invalid_argument);
}

TEST(Plaintext, anImplicitTextIsAPlaintext) {
  const auto constant = [](const Plaintext& plain) { return plain[0]; };
  EXPECT_EQ(constant(std::string("1x^1 + FF")), 0xFFU);
}

TEST(Plaintext, copiesAndMoves) {
  const MemoryPoolHandle pool = MemoryPoolHandle::New();
  Plaintext source("5x^3 + 1x^1");
  source.scale() = 4.0;
  Plaintext target("7", pool);
  target = source;
  EXPECT_EQ(target, source);
  EXPECT_EQ(target.scale(), 4.0);
  EXPECT_TRUE(target.pool() == pool);
  EXPECT_NE(target.data(), source.data());

  Plaintext shorter("2x^1");
  const std::uint64_t* memory = target.data();
  target = shorter;
  EXPECT_EQ(target.coeff_count(), 2U);
  EXPECT_EQ(target.data(), memory);

  Plaintext& alias = target;
  target = alias;
  EXPECT_EQ(target, shorter);

  source.parms_id() = {1, 2, 3, 4};
  Plaintext moved(std::move(source));
  EXPECT_EQ(moved.coeff_count(), 4U);
  EXPECT_TRUE(moved.is_ntt_form());
  EXPECT_EQ(source.coeff_count(), 0U);
  EXPECT_FALSE(source.is_ntt_form());
  source.resize(2);
  EXPECT_TRUE(source.is_zero());
  target = std::move(moved);
  EXPECT_EQ(target.coeff_count(), 4U);
  EXPECT_EQ(moved.coeff_count(), 0U);
}

TEST(Plaintext, sizeAndCapacity) {
  Plaintext plain("1x^3 + 2x^2 + 3x^1 + 4");
  plain.resize(6);
  EXPECT_EQ(plain.coeff_count(), 6U);
  EXPECT_EQ(plain.to_string(), "1x^3 + 2x^2 + 3x^1 + 4");
  plain.resize(2);
  EXPECT_EQ(plain.capacity(), 6U);
  EXPECT_EQ(plain.to_string(), "3x^1 + 4");
  plain.resize(4);
  EXPECT_EQ(plain.to_string(), "3x^1 + 4") << "what comes back is zero";
  plain.reserve(10);
  EXPECT_EQ(plain.capacity(), 10U);
  EXPECT_EQ(plain.coeff_count(), 4U);
  plain.reserve(1);
  EXPECT_EQ(plain.to_string(), "4");
  plain.resize(3);
  plain.reserve(9);
  plain.shrink_to_fit();
  EXPECT_EQ(plain.capacity(), 3U);
  EXPECT_EQ(plain.to_string(), "4");

  plain.scale() = 2.0;
  plain.parms_id() = {0, 0, 0, 1};
  EXPECT_THROW(plain.resize(2), std::logic_error);
  EXPECT_THROW(plain.reserve(2), std::logic_error);
  EXPECT_NO_THROW(plain.shrink_to_fit());
  plain.release();
  EXPECT_EQ(plain.capacity(), 0U);
  EXPECT_EQ(plain.scale(), 1.0);
  EXPECT_FALSE(plain.is_ntt_form());
}

TEST(Plaintext, words) {
  Plaintext plain("AAx^2 + BBx^1 + CC");
  EXPECT_EQ(plain[0], 0xCCU);
  EXPECT_EQ(*plain.data(2), 0xAAU);
  plain[1] = 0;
  EXPECT_EQ(plain.nonzero_coeff_count(), 2U);
  EXPECT_EQ(plain.significant_coeff_count(), 3U);
  *plain.data(2) = 0;
  EXPECT_EQ(plain.significant_coeff_count(), 1U);
  EXPECT_EQ(plain.coeff_count(), 3U);
  EXPECT_THROW(plain[3], std::out_of_range);
  EXPECT_THROW(static_cast<void>(plain.data(3)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(std::as_const(plain)[3]), std::out_of_range);
  EXPECT_THROW(Plaintext()[0], std::out_of_range);
  EXPECT_EQ(std::as_const(plain).dyn_array().size(), 3U);
}

TEST(Plaintext, setZero) {
  Plaintext plain("1x^3 + 2x^2 + 3x^1 + 4");
  plain.set_zero(1, 2);
  EXPECT_EQ(plain.to_string(), "1x^3 + 4");
  plain.set_zero(3);
  EXPECT_EQ(plain.to_string(), "4");
  EXPECT_THROW(plain.set_zero(4), std::out_of_range);
  EXPECT_THROW(plain.set_zero(3, 2), std::out_of_range);
  EXPECT_THROW(plain.set_zero(4, 1), std::out_of_range);
  EXPECT_THROW(plain.set_zero(1, static_cast<std::size_t>(-1)), std::out_of_range);
  EXPECT_EQ(plain.to_string(), "4");
  plain.set_zero(7, 0);
  plain.set_zero();
  EXPECT_TRUE(plain.is_zero());
  EXPECT_EQ(plain.coeff_count(), 4U);
}

TEST(Plaintext, aNumberIsAConstant) {
  Plaintext plain("1x^3");
  plain.scale() = 8.0;
  plain = 0x1234U;
  EXPECT_EQ(plain.coeff_count(), 1U);
  EXPECT_EQ(plain[0], 0x1234U);
  EXPECT_EQ(plain.scale(), 8.0);
  plain.parms_id() = {1, 0, 0, 0};
  plain = 0;
  EXPECT_FALSE(plain.is_ntt_form());
  EXPECT_EQ(plain.coeff_count(), 1U);
  EXPECT_TRUE(plain.is_zero());
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
  plain.parms_id() = {1, 0, 0, 0};
  EXPECT_THROW(plain = "1", std::logic_error);
  EXPECT_THROW(plain.to_string(), std::invalid_argument);
  EXPECT_EQ(plain[2], 5U);
}

/// Memory of a pool that does not clear what it gets back: the words of the next block of that
/// size are those of the last one.
std::size_t pattern_words_left(const MemoryPoolHandle& pool, std::size_t count) {
  const std::size_t bytes = count * 8;
  auto* words = static_cast<std::uint64_t*>(seal4::detail::pool_allocate(pool, bytes));
  const auto left = std::count(words, words + count, kPattern);
  seal4::detail::pool_release(pool, words, bytes);
  return static_cast<std::size_t>(left);
}

Plaintext pattern_plaintext(const MemoryPoolHandle& pool, std::size_t count) {
  Plaintext plain(count, pool);
  std::fill_n(plain.data(), count, kPattern);
  return plain;
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
  const auto left_after = [](auto use) {
    const MemoryPoolHandle pool = MemoryPoolHandle::New();
    Plaintext plain = pattern_plaintext(pool, kCount);
    use(plain);
    return pattern_words_left(pool, kCount);
  };
  EXPECT_EQ(left_after([](Plaintext& plain) { plain.release(); }), 0U);
  EXPECT_EQ(left_after([](Plaintext& plain) { plain.resize(2 * kCount); }), 0U);
  EXPECT_EQ(left_after([](Plaintext& plain) { plain.reserve(1); }), 0U);
  EXPECT_EQ(left_after([](Plaintext& plain) { plain = Plaintext(kCount + 1); }), 0U);
  EXPECT_EQ(left_after([](Plaintext& plain) {
              const Plaintext longer(2 * kCount);
              plain = longer;
            }),
            0U);
  EXPECT_EQ(left_after([](Plaintext& plain) { plain = "1x^1000"; }), 0U);
  EXPECT_EQ(left_after([](Plaintext& plain) {
              plain.resize(1);
              plain.shrink_to_fit();
            }),
            0U)
      << "words beyond the size";
  EXPECT_EQ(left_after([](Plaintext& plain) { const Plaintext taken(std::move(plain)); }), 0U)
      << "the destructor";
}

}  // namespace
}  // namespace ringlet::test
