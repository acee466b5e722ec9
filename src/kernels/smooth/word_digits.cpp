// SPDX-License-Identifier: Apache-2.0
#include "kernels/smooth/word_digits.hpp"

#include "kernels/smooth/word_reduction.hpp"

namespace ringlet::kernels {
namespace {

ThreeWords words_of(const std::uint64_t (&words)[kResidueWords]) {
  return {words[0], words[1], words[2]};
}

/// Digit l: `x` is its residue, positive.
std::uint64_t mixed_digit(const MixedDigit& digit, std::uint64_t x, const std::uint64_t* before,
                          std::size_t l) {
  std::uint64_t y = barrett_reduce(x, digit.p, digit.ratio);
  // Primes of one size: the digits before are below 2p.
  for (std::size_t k = 0; k < l; ++k) {
    y = mul_mod_shoup(y + 2 * digit.p - before[k], digit.inverse[k], digit.inverse_quotient[k],
                      digit.p);
  }
  return y;
}

}  // namespace

void reconstruct_words(const ReconstructArguments& r) {
  const MixedDigits& d = *r.digits;
  const WideBarrett barrett{words_of(d.q), d.shift, d.quotient};
  const ThreeWords offset = words_of(d.offset);
  for (std::size_t i = 0; i < r.count; ++i) {
    ThreeWords value = offset;
    if (r.e != nullptr) add_signed(value, r.e[i]);
    std::uint64_t digits[kMaxResiduePrimes];
    for (std::size_t l = 0; l < d.count; ++l) {
      const std::uint64_t x = r.residues[l * r.stride + i] + d.digit[l].shift;
      digits[l] = mixed_digit(d.digit[l], x, digits, l);
      add_product(value, digits[l], words_of(d.digit[l].weight));
    }
    reduce_words_modulo(value, barrett);
    for (std::size_t w = 0; w < d.word_count; ++w) r.results[w][i] = value[w];
  }
}

}  // namespace ringlet::kernels
