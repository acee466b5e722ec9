// SPDX-License-Identifier: Apache-2.0
#include "kernels/crt/word_digits.hpp"

#include "kernels/crt/word_reduction.hpp"

namespace ringlet::kernels {
namespace {

__extension__ using int128_t = __int128;

/// value += limb * 2^(64 * word + shift), shift below 64.
RINGLET_INLINE void add_shifted(ThreeWords& value, std::int64_t limb, std::size_t word, int shift) {
  const auto shifted = static_cast<uint128_t>(static_cast<int128_t>(limb)) << shift;
  const auto sign = static_cast<std::uint64_t>(limb >> 63);
  const std::array<std::uint64_t, 3> part{static_cast<std::uint64_t>(shifted),
                                          static_cast<std::uint64_t>(shifted >> 64), sign};
  uint128_t carry = 0;
  for (std::size_t w = word; w < kResidueWords; ++w) {
    carry += static_cast<uint128_t>(value[w]) + part[w - word];
    value[w] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

ThreeWords words_of(const std::uint64_t (&words)[kResidueWords]) {
  return {words[0], words[1], words[2]};
}

/// Returns digit l from `x`, its positive residue.
std::uint64_t mixed_radix_digit(const MixedRadixDigit& digit, std::uint64_t x,
                                const std::uint64_t* before, std::size_t l) {
  std::uint64_t y = barrett_reduce(x, digit.p, digit.ratio);
  // The primes are of one size, so that the digits before are below 2p.
  for (std::size_t k = 0; k < l; ++k) {
    y = mul_mod_shoup(y + 2 * digit.p - before[k], digit.inverse[k], digit.inverse_quotient[k],
                      digit.p);
  }
  return y;
}

}  // namespace

void reconstruct_words(const ReconstructArguments& r) {
  const MixedRadixDigits& d = *r.digits;
  const WideBarrett barrett{words_of(d.q), d.shift, d.quotient};
  const ThreeWords offset = words_of(d.offset);
  for (std::size_t i = 0; i < r.count; ++i) {
    ThreeWords value = offset;
    if (r.e != nullptr) add_signed(value, r.e[i]);
    std::uint64_t digits[kMaxResiduePrimes];
    for (std::size_t l = 0; l < d.count; ++l) {
      const std::uint64_t x = r.residues[l * r.stride + i] + d.digit[l].shift;
      digits[l] = mixed_radix_digit(d.digit[l], x, digits, l);
      add_product(value, digits[l], words_of(d.digit[l].weight));
    }
    reduce_words_modulo(value, barrett);
    for (std::size_t w = 0; w < d.word_count; ++w) r.results[w][i] = value[w];
  }
}

void finish_words(const FinishArguments& f) {
  const MixedRadixDigits& d = *f.digits;
  const WideBarrett barrett{words_of(d.q), d.shift, d.quotient};
  const ThreeWords offset = words_of(d.offset);
  for (std::size_t i = 0; i < f.count; ++i) {
    ThreeWords value = offset;
    if (f.e != nullptr) add_signed(value, f.e[i]);
    for (std::size_t k = 0; k < f.limb_count; ++k) {
      const std::size_t bit = static_cast<std::size_t>(f.limb_bits) * k;
      add_shifted(value, static_cast<std::int64_t>(f.planes[k * f.stride + i]), bit / 64,
                  static_cast<int>(bit % 64));
    }
    reduce_words_modulo(value, barrett);
    for (std::size_t w = 0; w < d.word_count; ++w) f.results[w][i] = value[w];
  }
}

}  // namespace ringlet::kernels
