// SPDX-License-Identifier: Apache-2.0
#include "schemes/ckks/rounding.hpp"

#include <algorithm>
#include <bit>
#include <climits>

#include "base/declassify.hpp"

namespace ringlet::ckks {
namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
constexpr std::uint64_t kHiddenBit = std::uint64_t{1} << 52;
constexpr std::uint64_t kInfinity = std::uint64_t{0x7ff} << 52;
constexpr std::int64_t kExponentBias = 1075;  // of the last bit of the mantissa
/// Larger than the smallest degree of every kernel.
constexpr int kAnyDegree = 30;

constexpr std::uint64_t mask_if(bool condition) {
  return std::uint64_t{0} - static_cast<std::uint64_t>(condition);
}

constexpr std::int64_t select(std::uint64_t mask, std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(a) & mask) |
                                   (static_cast<std::uint64_t>(b) & ~mask));
}

// Returns the significant bits of x, without a branch.
constexpr std::int64_t bit_length(std::uint64_t x) {
  std::uint64_t bits = 0;
  for (std::uint64_t step = 32; step != 0; step /= 2) {
    const std::uint64_t taken = step & mask_if((x >> step) != 0);
    bits += taken;
    x >>= taken;
  }
  return static_cast<std::int64_t>(bits + x);
}

// Returns bits [64*w, 64*w + 64) of the integer nearest to mantissa * 2^exponent, mantissa < 2^53.
// Shifts take the same time for all counts; masks replace what is shifted out altogether.
constexpr std::uint64_t magnitude_word(std::uint64_t mantissa, std::int64_t exponent,
                                       std::int64_t w) {
  // Dropping more than 54 bits leaves nothing: 63 does the same and is a valid count.
  const std::uint64_t is_fraction = mask_if(exponent < 0);
  const std::int64_t dropped = std::min<std::int64_t>(select(is_fraction, -exponent, 1), 63);
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  const std::uint64_t rounded = (mantissa + half) >> dropped;
  mantissa = (rounded & is_fraction) | (mantissa & ~is_fraction);

  const std::int64_t shift = select(is_fraction, 0, exponent) - 64 * w;
  const std::uint64_t to_left = mask_if(shift >= 0 && shift < 64);
  const std::uint64_t to_right = mask_if(shift < 0 && shift > -64);
  const std::uint64_t left = mantissa << (shift & 63);
  const std::uint64_t right = mantissa >> (-shift & 63);
  return (left & to_left) | (right & to_right);
}

// Returns the 64-bit words of signed integers up to 2^ceil_log2.
std::size_t count_words(int ceil_log2) {
  static_assert(kernels::kEmbeddingWordBits == 62);
  const auto bits = static_cast<std::uint64_t>(ceil_log2 & ~(ceil_log2 >> 31));
  return declassify((bits + 1) / 64) + 1;
}

Scratch make_scratch(HostPool* pool, std::size_t words) {
  return pool == nullptr ? Scratch(words) : Scratch(*pool, words);
}

}  // namespace

EmbeddingChoice any_embedding(const KernelSelection& selection) {
  return kernels::choose_embedding(kAnyDegree, selection);
}

bool all_finite(std::span<const double> values, const EmbeddingChoice& kernel) {
  kernel.counter.count();
  return declassify(kernel.kernel->largest(values.data(), values.size()) < kInfinity);
}

int ceil_log2_of_largest(std::span<const double> values, int shift, const EmbeddingChoice& kernel) {
  kernel.counter.count();
  const std::uint64_t largest = kernel.kernel->largest(values.data(), values.size());
  // mantissa * 2^exponent with a mantissa below 2^53.
  const auto field = static_cast<std::int64_t>(largest >> 52);
  const std::uint64_t is_normal = mask_if(field != 0);
  const std::uint64_t mantissa = (largest & (kHiddenBit - 1)) | (kHiddenBit & is_normal);
  const std::int64_t exponent = select(is_normal, field, 1) - kExponentBias + shift;
  return static_cast<int>(
      select(mask_if(largest == 0), INT_MIN, exponent + bit_length(mantissa - 1)));
}

RoundedIntegers::RoundedIntegers(std::span<const double> values, int shift, int ceil_log2,
                                 const EmbeddingChoice& kernel, HostPool* pool)
    : count_(values.size()),
      ceil_log2_(ceil_log2),
      kernel_(kernel),
      word_count_(count_words(ceil_log2)),
      words_(make_scratch(pool, word_count_ == 1 ? count_ : count_ * (word_count_ + 1))) {
  std::uint64_t* words = words_.words().data();
  if (word_count_ == 1) {
    kernel_.counter.count();
    kernel_.kernel->round(words, values.data(), count_, shift);
    return;
  }
  for (std::size_t i = 0; i < count_; ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(values[i]);
    const auto field = static_cast<std::int64_t>((bits & ~kSignBit) >> 52);
    const std::uint64_t is_normal = mask_if(field != 0);
    const std::uint64_t mantissa = (bits & (kHiddenBit - 1)) | (kHiddenBit & is_normal);
    const std::int64_t exponent = select(is_normal, field, 1) - kExponentBias + shift;
    for (std::size_t w = 0; w < word_count_; ++w) {
      words[w * count_ + i] = magnitude_word(mantissa, exponent, static_cast<std::int64_t>(w));
    }
    words[word_count_ * count_ + i] = mask_if((bits & kSignBit) != 0);
  }
}

RoundedIntegers::RoundedIntegers(std::int64_t value, HostPool* pool)
    : count_(1), ceil_log2_(INT_MIN), word_count_(2), words_(make_scratch(pool, 3)) {
  const auto bits = static_cast<std::uint64_t>(value);
  const std::uint64_t negative = mask_if(value < 0);
  const std::uint64_t magnitude = (bits ^ negative) - negative;
  words_.words()[0] = magnitude;
  words_.words()[1] = 0;
  words_.words()[2] = negative;
  ceil_log2_ =
      static_cast<int>(select(mask_if(magnitude == 0), INT_MIN, bit_length(magnitude - 1)));
}

void RoundedIntegers::reduce(std::span<std::uint64_t> result, const Modulus& q) const {
  if (word_count_ > 1) return reduce_words(result, q);
  kernel_.counter.count();
  kernel_.kernel->reduce(result.data(), words_.words().data(), count_, q.value(), q.ratio());
}

void RoundedIntegers::reduce_words(std::span<std::uint64_t> result, const Modulus& q) const {
  const std::uint64_t modulus = q.value();
  const BarrettRatio ratio = q.ratio();
  const std::uint64_t* word = words_.words().data() + (word_count_ - 1) * count_;
  for (std::size_t i = 0; i < count_; ++i) result[i] = barrett_reduce(word[i], modulus, ratio);
  for (std::size_t w = word_count_ - 1; w-- > 0;) {
    word -= count_;
    for (std::size_t i = 0; i < count_; ++i) {
      const uint128_t next = (static_cast<uint128_t>(result[i]) << 64) | word[i];
      result[i] = barrett_reduce_wide(next, modulus, ratio);
    }
  }
  const std::uint64_t* negative = words_.words().data() + word_count_ * count_;
  for (std::size_t i = 0; i < count_; ++i) {
    const std::uint64_t negated = negate_mod(result[i], modulus);
    result[i] ^= (result[i] ^ negated) & negative[i];
  }
}

}  // namespace ringlet::ckks
