// SPDX-License-Identifier: Apache-2.0
#include "fv/products/karatsuba_recursions.hpp"

#include "ringlet/base/error.hpp"
#include "support/reference/wide_reference.hpp"
#include "support/values.hpp"

namespace ringlet::wide {
namespace {

using test::FlintIntegerPoly;
using test::Integer;
using Small = std::vector<std::int8_t>;

Small random_bits(std::size_t n, std::mt19937_64& rng) {
  Small u(n);
  for (auto& bit : u) bit = static_cast<std::int8_t>(rng() % 2);
  return u;
}

TEST(KaratsubaRecursions, TheFirstDigitIsTheMostSignificant) {
  // The constant term of a sub-polynomial tells which quarters of the polynomial it sums.
  const std::vector<std::uint32_t> words{1, 10, 100, 1000};
  std::vector<std::uint32_t> parts(9);
  split_small(parts, words, 2);
  EXPECT_EQ(parts, (std::vector<std::uint32_t>{1, 10, 11, 100, 1000, 1100, 101, 1010, 1111}));
  std::vector<std::uint32_t> whole(4);
  split_small(whole, words, 0);
  EXPECT_EQ(whole, words);
}

TEST(KaratsubaRecursions, ChunksAreThoseOfTheCoefficientAndStayCarried) {
  // 134 bits and six recursions need all 140 bits that five chunks hold.
  const auto q = WideModulus(WideInteger{~std::uint64_t{0}, ~std::uint64_t{0}, 63});
  constexpr std::size_t kDegree = 64;
  const WidePoly p = test::constant_wide_poly(kDegree - 3, q, q.value());
  std::vector<std::uint32_t> chunks(kChunks * kDegree);
  split_chunks(chunks, p, kDegree);
  for (std::size_t c = 0; c < kChunks; ++c) {
    EXPECT_EQ(chunks[c * kDegree], (1U << (c == 4 ? kChunkBits - 1 : kChunkBits)) - 1);
    EXPECT_EQ(chunks[c * kDegree + kDegree - 1], 0U);
  }
  std::vector<std::uint32_t> parts(kChunks * sub_polynomial_count(6));
  split_wide(parts, chunks, 6);
  for (std::size_t t = 0; t < sub_polynomial_count(6); ++t) {
    for (std::size_t c = 0; c + 1 < kChunks; ++c) {
      EXPECT_LT(parts[t * kChunks + c], 1U << kChunkBits);
    }
  }
  // The last part is the sum of all coefficients: 61 * (2^134 - 1).
  EXPECT_EQ(parts[(sub_polynomial_count(6) - 1) * kChunks], (1U << kChunkBits) - 61);
  EXPECT_EQ(parts[(sub_polynomial_count(6) - 1) * kChunks + 4], (61U << (kChunkBits - 1)) - 1);
}

/// Splits, multiplies by the definition modulo q, and joins.
WidePoly product_by_parts(const WidePoly& p, const std::vector<Small>& u, std::size_t chosen,
                          const WideModulus& q, std::size_t size, int recursions) {
  const std::size_t degree = size << recursions;
  const std::size_t count = sub_polynomial_count(recursions);
  std::vector<std::uint32_t> chunks(kChunks * degree);
  std::vector<std::uint32_t> parts(kChunks * size * count);
  split_chunks(chunks, p, degree);
  split_wide(parts, chunks, recursions);
  std::vector<std::uint32_t> words(degree);
  std::vector<std::uint32_t> small(size * count);
  pack_small(words, std::vector<std::span<const std::int8_t>>(u.begin(), u.end()));
  split_small(small, words, recursions);

  WidePoly products(count * (2 * size - 1), q.word_count());
  const Integer modulus = test::to_integer(q.value());
  for (std::size_t t = 0; t < count; ++t) {
    FlintIntegerPoly a, b;
    for (std::size_t i = 0; i < size; ++i) {
      Integer coefficient;
      for (std::size_t c = kChunks; c-- > 0;) {
        coefficient = (coefficient << kChunkBits) + Integer(parts[(t * kChunks + c) * size + i]);
      }
      a.set(i, coefficient);
      const std::uint32_t field = small[t * size + i] >> (kFieldBits * static_cast<int>(chosen));
      b.set(i, Integer(field & 0xff));
    }
    const FlintIntegerPoly product = a * b;
    for (std::size_t i = 0; i < 2 * size - 1; ++i) {
      products.set(t * (2 * size - 1) + i, test::to_wide(product[i] % modulus));
    }
  }
  WidePoly result;
  join_residues(result, products, recursions, q);
  return result;
}

TEST(KaratsubaRecursions, SplitMultiplyJoinIsTheProduct) {
  auto rng = test::make_rng();
  for (const int bits : {2, 34, 64, 100, 125, 135}) {
    const WideModulus q = WideModulus::largest_prime(bits);
    for (int recursions = 0; recursions <= std::min(7, 140 - bits); ++recursions) {
      const std::size_t size = 1 + rng() % 5;
      const std::size_t degree = size << recursions;
      const WidePoly p = test::random_wide_poly(degree, q, rng);
      const std::vector<Small> u{random_bits(degree, rng), Small(degree, 1), Small(degree, 0),
                                 random_bits(degree, rng)};
      const std::size_t chosen = rng() % 4;
      const FlintIntegerPoly product =
          FlintIntegerPoly(p) * FlintIntegerPoly(std::span<const std::int8_t>(u[chosen]));
      const WidePoly result = product_by_parts(p, u, chosen, q, size, recursions);
      ASSERT_EQ(result.degree(), 2 * degree - 1);
      for (std::size_t i = 0; i < result.degree(); ++i) {
        ASSERT_EQ(result[i], test::to_wide(product[i] % test::to_integer(q.value())))
            << bits << " bits, " << size << " * 2^" << recursions << ", coefficient " << i;
      }
    }
  }
}

TEST(KaratsubaRecursions, JoinIsExactForSignedWords) {
  auto rng = test::make_rng();
  constexpr int kRecursions = 5;
  constexpr std::size_t kSize = 3;
  constexpr std::size_t kDegree = kSize << kRecursions;
  std::vector<std::uint32_t> a(kDegree), b(kDegree);
  for (auto& word : a) word = static_cast<std::uint32_t>(rng() % 2001) - 1000;
  for (auto& word : b) word = static_cast<std::uint32_t>(rng() % 2001) - 1000;
  const std::size_t count = sub_polynomial_count(kRecursions);
  std::vector<std::uint32_t> a_parts(kSize * count), b_parts(kSize * count);
  split_small(a_parts, a, kRecursions);
  split_small(b_parts, b, kRecursions);
  const auto value = [](std::uint32_t word) {
    return static_cast<std::int64_t>(static_cast<std::int32_t>(word));
  };
  std::vector<std::uint64_t> products(count * (2 * kSize - 1));
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t i = 0; i < kSize; ++i) {
      for (std::size_t j = 0; j < kSize; ++j) {
        products[t * (2 * kSize - 1) + i + j] += static_cast<std::uint64_t>(
            value(a_parts[t * kSize + i]) * value(b_parts[t * kSize + j]));
      }
    }
  }
  std::vector<std::uint64_t> result(2 * kDegree - 1), expected(2 * kDegree - 1);
  join_words(result, products, kRecursions);
  for (std::size_t i = 0; i < kDegree; ++i) {
    for (std::size_t j = 0; j < kDegree; ++j) {
      expected[i + j] += static_cast<std::uint64_t>(value(a[i]) * value(b[j]));
    }
  }
  EXPECT_EQ(result, expected);
}

TEST(KaratsubaRecursions, RefuseSizesThatDoNotFit) {
  std::vector<std::uint32_t> words(16), parts(36);
  for (const int recursions : {3, 13, -1}) {
    EXPECT_THROW(split_small(parts, words, recursions), InvalidArgument);
  }
  EXPECT_THROW(split_wide(parts, words, 1), InvalidArgument);
  EXPECT_THROW(split_chunks(words, WidePoly(4, 3), 4), InvalidArgument);
  const Small two(4, 2), one(4, 1), five(5, 1);
  using Spans = std::vector<std::span<const std::int8_t>>;
  for (const Spans& bad : {Spans{}, Spans{two}, Spans{one, five}, Spans(5, one)}) {
    EXPECT_THROW(pack_small(words, bad), InvalidArgument);
  }
  std::vector<std::uint64_t> result(7), products(9);
  EXPECT_NO_THROW(join_words(result, products, 1));
  EXPECT_THROW(join_words(std::span(result).first(6), products, 1), InvalidArgument);
  EXPECT_THROW(join_words(result, std::span(products).first(6), 1), InvalidArgument);
  WidePoly joined;
  for (const WidePoly& bad : {WidePoly(9, 2), WidePoly(6, 1)}) {
    EXPECT_THROW(join_residues(joined, bad, 1, WideModulus::largest_prime(64)), InvalidArgument);
  }
}

}  // namespace
}  // namespace ringlet::wide
