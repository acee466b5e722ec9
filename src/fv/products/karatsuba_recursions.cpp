// SPDX-License-Identifier: Apache-2.0
#include "fv/products/karatsuba_recursions.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "fv/products/finish.hpp"

namespace ringlet::wide {
namespace {

constexpr std::uint32_t kChunkMask = (std::uint32_t{1} << kChunkBits) - 1;

void require(bool holds, std::string offending, const char* limit) {
  if (holds) return;
  refuse(std::move(offending), limit,
         "pass arrays of the stated size, with coefficients in the stated range");
}

void require_recursions(int recursions) {
  require(recursions >= 0 && recursions <= kMaxRecursions, concat("recursions = ", recursions),
          "from 0 to 12");
}

/// Returns the length of one of `parts` equal parts of a `whole`; 0 if there are none.
std::size_t part_of(std::size_t whole, std::size_t parts) {
  return whole % parts == 0 ? whole / parts : 0;
}

/// sum = low half + high half of a, in chunks, carried. Chunks of a are `stride` apart, those of
/// the sum `size`. A half and `carry` have `size` words.
void add_chunks(std::uint32_t* sum, std::uint32_t* carry, const std::uint32_t* a, std::size_t size,
                std::size_t stride) {
  std::fill_n(carry, size, 0U);
  for (std::size_t c = 0; c < kChunks; ++c) {
    const std::uint32_t* low = a + c * stride;
    const std::uint32_t* high = low + size;
    std::uint32_t* to = sum + c * size;
    const std::uint32_t mask = c == kChunks - 1 ? ~0U : kChunkMask;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t chunk = low[i] + high[i] + carry[i];
      to[i] = chunk & mask;
      carry[i] = chunk >> kChunkBits;
    }
  }
}

/// Splits the polynomial at `a`, whose chunks are `stride` apart, by r recursions. `room` has
/// 5 * size words for third parts and size / 2 for carries.
void split_wide_at(std::uint32_t* result, const std::uint32_t* a, std::size_t size,
                   std::size_t stride, int recursions, std::uint32_t* room) {
  if (recursions == 0) {
    for (std::size_t c = 0; c < kChunks; ++c) {
      std::copy_n(a + c * stride, size, result + c * size);
    }
    return;
  }
  const std::size_t half = size / 2;
  const std::size_t part = kChunks * (size >> recursions) * sub_polynomial_count(recursions - 1);
  std::uint32_t* const below = room + kChunks * half;
  split_wide_at(result, a, half, stride, recursions - 1, below);
  split_wide_at(result + part, a + half, half, stride, recursions - 1, below);
  add_chunks(room, below, a, half, stride);
  split_wide_at(result + 2 * part, room, half, half, recursions - 1, below);
}

/// Splits words in the same way; `room` has `size` words.
void split_small_at(std::uint32_t* result, const std::uint32_t* a, std::size_t size, int recursions,
                    std::uint32_t* room) {
  if (recursions == 0) {
    std::copy_n(a, size, result);
    return;
  }
  const std::size_t half = size / 2;
  const std::size_t part = (size >> recursions) * sub_polynomial_count(recursions - 1);
  split_small_at(result, a, half, recursions - 1, room + half);
  split_small_at(result + part, a + half, half, recursions - 1, room + half);
  for (std::size_t i = 0; i < half; ++i) room[i] = a[i] + a[half + i];
  split_small_at(result + 2 * part, room, half, recursions - 1, room + half);
}

/// Bits `first` to `first` + 33 of every coefficient: sums of 4^12 of them fit 63 bits.
constexpr std::size_t kLimbBits = 34;
void copy_limbs(std::span<std::uint64_t> limbs, const WidePoly& p, std::size_t first) {
  const std::size_t word = first / 64;
  const std::size_t shift = first % 64;
  const auto low = p.plane(word);
  for (std::size_t i = 0; i < limbs.size(); ++i) limbs[i] = low[i] >> shift;
  if (shift + kLimbBits > 64 && word + 1 < p.word_count()) {
    const auto high = p.plane(word + 1);
    for (std::size_t i = 0; i < limbs.size(); ++i) limbs[i] |= high[i] << (64 - shift);
  }
  for (std::uint64_t& limb : limbs) limb &= (std::uint64_t{1} << kLimbBits) - 1;
}

/// Joins the 3^r products at `products` to the product of polynomials of `size` coefficients.
/// `room` has 2 * size words.
void join_words_at(std::uint64_t* result, const std::uint64_t* products, std::size_t size,
                   int recursions, std::uint64_t* room) {
  if (recursions == 0) {
    std::copy_n(products, 2 * size - 1, result);
    return;
  }
  const std::size_t half = size / 2;
  const std::size_t part = (2 * (size >> recursions) - 1) * sub_polynomial_count(recursions - 1);
  join_words_at(result, products, half, recursions - 1, room);
  join_words_at(result + size, products + part, half, recursions - 1, room);
  const std::uint64_t* middle = products + 2 * part;
  if (recursions > 1) {
    join_words_at(room, middle, half, recursions - 1, room + size);
    middle = room;
  }
  // The quarters of the result hold L and H; M - L - H is added to the second and the third.
  const std::uint64_t* first = result;
  std::uint64_t* second = result + half;
  std::uint64_t* third = result + size;
  const std::uint64_t* fourth = third + half;
  second[half - 1] = 0;
  for (std::size_t i = 0; i + 1 < half; ++i) {
    const std::uint64_t both = second[i] - third[i];
    second[i] = both - first[i] + middle[i];
    third[i] = middle[half + i] - fourth[i] - both;
  }
  second[half - 1] += middle[half - 1] - first[half - 1] - third[half - 1];
}

}  // namespace

void split_chunks(std::span<std::uint32_t> chunks, const WidePoly& p, std::size_t degree) {
  public_entry("chunks of a wide polynomial", [&] {
    require(degree >= p.degree() && chunks.size() == kChunks * degree,
            concat(chunks.size(), " words for ", p.degree(), " coefficients, padded to ", degree),
            "5 words for each coefficient, padding included");
    std::fill(chunks.begin(), chunks.end(), 0U);
    for (std::size_t i = 0; i < p.degree(); ++i) {
      const WideInteger value = p[i];
      for (std::size_t c = 0; c < kChunks; ++c) {
        const std::size_t bit = c * kChunkBits;
        const std::size_t word = bit / 64;
        const std::size_t shift = bit % 64;
        std::uint64_t bits = value[word] >> shift;
        if (shift + kChunkBits > 64) bits |= value[word + 1] << (64 - shift);
        chunks[c * degree + i] = static_cast<std::uint32_t>(bits) & kChunkMask;
      }
    }
  });
}

void split_wide(std::span<std::uint32_t> result, std::span<const std::uint32_t> chunks,
                int recursions) {
  public_entry("pre-recursions of a wide polynomial", [&] {
    require_recursions(recursions);
    const std::size_t size = part_of(chunks.size(), kChunks << recursions);
    require(size > 0 && result.size() == kChunks * size * sub_polynomial_count(recursions),
            concat(result.size(), " words from ", chunks.size()),
            "5 * s * 3^r words from 5 * s * 2^r");
    const std::size_t degree = chunks.size() / kChunks;
    SecretVector<std::uint32_t> room((kChunks + 1) * degree);
    split_wide_at(result.data(), chunks.data(), degree, degree, recursions, room.data());
  });
}

void pack_small(std::span<std::uint32_t> words, SmallOperands u) {
  public_entry("packing of small polynomials", [&] {
    require(!u.empty() && u.size() <= kMaxProducts, concat(u.size(), " polynomials"), "1 to 4");
    for (const auto& small : u) {
      require(small.size() == u[0].size() && small.size() <= words.size(),
              concat(small.size(), " coefficients"), "one degree, at most the number of words");
      unsigned wrong = 0;
      for (const std::int8_t coefficient : small) wrong |= static_cast<unsigned>(coefficient) & ~1U;
      require(wrong == 0, "a coefficient outside of {0, 1}", "0 or 1");
    }
    std::fill(words.begin(), words.end(), 0U);
    for (std::size_t k = 0; k < u.size(); ++k) {
      const auto shift = static_cast<int>(k) * kFieldBits;
      for (std::size_t i = 0; i < u[k].size(); ++i) {
        words[i] |= static_cast<std::uint32_t>(u[k][i]) << shift;
      }
    }
  });
}

void split_small(std::span<std::uint32_t> result, std::span<const std::uint32_t> words,
                 int recursions) {
  public_entry("pre-recursions of small polynomials", [&] {
    require_recursions(recursions);
    const std::size_t size = part_of(words.size(), std::size_t{1} << recursions);
    require(size > 0 && result.size() == size * sub_polynomial_count(recursions),
            concat(result.size(), " words from ", words.size()), "s * 3^r words from s * 2^r");
    SecretVector<std::uint32_t> room(words.size());
    split_small_at(result.data(), words.data(), words.size(), recursions, room.data());
  });
}

void join_words(std::span<std::uint64_t> result, std::span<const std::uint64_t> products,
                int recursions) {
  public_entry("post-recursions", [&] {
    require_recursions(recursions);
    const std::size_t length = part_of(products.size(), sub_polynomial_count(recursions));
    const std::size_t degree = (length + 1) / 2 << recursions;
    require(length % 2 == 1 && result.size() == 2 * degree - 1,
            concat(result.size(), " coefficients from ", products.size()),
            "2 * s * 2^r - 1 coefficients from 3^r * (2s - 1)");
    SecretVector<std::uint64_t> room(2 * degree);
    join_words_at(result.data(), products.data(), degree, recursions, room.data());
  });
}

void join_residues(WidePoly& result, const WidePoly& products, int recursions,
                   const WideModulus& q) {
  public_entry("post-recursions modulo q", [&] {
    require_recursions(recursions);
    const std::size_t count = products.degree();
    const std::size_t length = part_of(count, sub_polynomial_count(recursions));
    require(length % 2 == 1 && products.word_count() == q.word_count(),
            concat(count, " coefficients of ", products.word_count(), " words"),
            "3^r * (2s - 1) coefficients of the words of q");
    const std::size_t degree = 2 * ((length + 1) / 2 << recursions) - 1;
    const auto bits = static_cast<std::size_t>(q.bit_count());
    const std::size_t limb_count = (bits + kLimbBits - 1) / kLimbBits;

    SecretVector<std::uint64_t> limbs(count);
    SecretVector<std::uint64_t> planes(limb_count * degree);
    for (std::size_t k = 0; k < limb_count; ++k) {
      copy_limbs(limbs, products, k * kLimbBits);
      join_words(std::span(planes).subspan(k * degree, degree), limbs, recursions);
    }
    // A recursion adds four residues at most: A_L B_L, M, A_L B_L again and A_H B_H.
    const int value_bits = std::max(q.bit_count(), 32) + 2 * recursions + 1;
    if (result.degree() != degree || result.word_count() != q.word_count()) {
      result = WidePoly(degree, q.word_count());
    }
    Finish(q, {kLimbBits, limb_count, value_bits}).run(result, planes, degree, {});
  });
}

}  // namespace ringlet::wide
