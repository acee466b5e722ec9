// SPDX-License-Identifier: Apache-2.0
#include "ring/conversion_tile.hpp"

#include <algorithm>
#include <cassert>
#include <vector>

#include "ringlet/modular.hpp"

namespace ringlet {
namespace {

using Words = std::span<std::uint64_t>;
using ConstWords = std::span<const std::uint64_t>;

// Rows of a power of two of words would share the sets of the cache.
constexpr std::size_t kRowGap = 64;

// sum[c] += floor(y[c] * theta / 2^kBits).
template <int kBits>
void add_fractions(Words sum, ConstWords y, std::uint64_t theta) {
  for (std::size_t c = 0; c < sum.size(); ++c) {
    sum[c] += static_cast<std::uint64_t>((static_cast<uint128_t>(y[c]) * theta) >> kBits);
  }
}

// result = y mod p for y in [0, bound).
void reduce_below(const Eltwise& p, Words result, ConstWords y, std::uint64_t bound) {
  const std::uint64_t modulus = p.modulus().value();
  if (bound <= 2 * modulus) {
    p.reduce_range(result, y, 2, 1);
  } else if (bound <= 4 * modulus) {
    p.reduce_range(result, y, 4, 1);
  } else {
    p.reduce(result, y);
  }
}

}  // namespace

ConversionTile::ConversionTile(std::span<const Eltwise> eltwise, const BasisConversion& conversion,
                               std::size_t max_words)
    : eltwise_(eltwise),
      conversion_(conversion),
      size_(conversion.from().size()),
      words_(max_words),
      row_words_(std::min(max_words, kMaxRowWords)),
      stride_(max_words + kRowGap),
      memory_((size_ + 1) * (stride_ + 2 * row_words_)) {
  assert(max_words <= kMaxWords);
}

void ConversionTile::load(ConstCoeffView a, std::size_t first, std::size_t words) {
  assert(words > 0 && words <= stride_ - kRowGap);
  words_ = words;
  const int fraction_bits = conversion_.fraction_bits();
  const Words sum = u();
  std::ranges::fill(sum, std::uint64_t{1} << (fraction_bits - 1));
  for (std::size_t i = 0; i < size_; ++i) {
    const Eltwise& q = eltwise_[conversion_.from()[i]];
    q.multiply_scalar(y(i), a.limb(i).subspan(first, words_), conversion_.punctured_inverses()[i]);
    if (conversion_.word_bits() == 52) {
      add_fractions<52>(sum, y(i), conversion_.reciprocals()[i]);
    } else {
      add_fractions<64>(sum, y(i), conversion_.reciprocals()[i]);
    }
  }
  for (std::uint64_t& word : sum) word >>= fraction_bits;
}

// The sum of y_i * (Q/q_i) and u * (-Q), modulo p. Factors are vectors of one value, for the kernel
// that adds products.
void ConversionTile::convert(Words result, std::size_t j) const {
  const Eltwise& eltwise = eltwise_[conversion_.to()[j]];
  const std::uint64_t p = eltwise.modulus().value();
  const ConstWords products = conversion_.punctured_products(j);
  std::vector<std::uint64_t> bounds(size_ + 1);
  std::vector<ConstWords> terms(size_ + 1);
  std::vector<ConstWords> factors(size_ + 1);
  for (std::size_t i = 0; i <= size_; ++i) {
    const bool is_count = i == size_;
    bounds[i] = is_count ? size_ + 1 : eltwise_[conversion_.from()[i]].modulus().value();
    std::ranges::fill(factor(i, row_words_),
                      is_count ? negate_mod(conversion_.product(j), p) : products[i]);
  }
  for (std::size_t first = 0; first < words_; first += row_words_) {
    const std::size_t count = std::min(row_words_, words_ - first);
    for (std::size_t i = 0; i <= size_; ++i) {
      terms[i] = y(i).subspan(first, count);
      factors[i] = factor(i, count);
      if (bounds[i] <= p) continue;
      reduce_below(eltwise, reduced(i, count), terms[i], bounds[i]);
      terms[i] = reduced(i, count);
    }
    eltwise.multiply_accumulate(result.subspan(first, count), terms, factors);
  }
}

void ConversionTile::convert_to_modulus(Words result) const {
  const Modulus& t = *conversion_.modulus();
  const ConstWords products = conversion_.punctured_products(0);
  const std::uint64_t last = negate_mod(conversion_.product(0), t.value());
  // With y < 2^61 a group of seven products stays below t*2^64 - t: its reduction is one step.
  constexpr std::size_t kGroup = 7;
  for (std::size_t c = 0; c < words_; ++c) {
    uint128_t sum = static_cast<uint128_t>(u()[c]) * last;
    for (std::size_t first = 0; first < size_; first += kGroup) {
      const std::size_t end = std::min(size_, first + kGroup);
      for (std::size_t i = first; i < end; ++i) {
        sum += static_cast<uint128_t>(y(i)[c]) * products[i];
      }
      sum = barrett_reduce_wide(sum, t.value(), t.ratio());
    }
    result[c] = static_cast<std::uint64_t>(sum);
  }
}

}  // namespace ringlet
