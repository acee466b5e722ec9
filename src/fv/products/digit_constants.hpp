// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "fv/products/integer.hpp"
#include "kernels/crt/residue_kernel.hpp"
#include "ringlet/arith/wide_modulus.hpp"

namespace ringlet::wide {

/// Writes `value`, below 2^156, as words and as limbs of 52 bits.
inline void set_words(std::uint64_t (&words)[kernels::kResidueWords],
                      std::uint64_t (&limbs)[kernels::kResidueWords], const LongInteger& value) {
  constexpr int kLimbBits = 52;
  for (std::size_t w = 0; w < kernels::kResidueWords; ++w) {
    words[w] = value.words[w];
    limbs[w] = value.bits(kLimbBits * static_cast<int>(w), kLimbBits);
  }
}

/// Returns the constants of the kernels that depend on q alone.
inline kernels::MixedRadixDigits modulus_constants(const WideModulus& q) {
  constexpr int kLimbBits = 52;
  kernels::MixedRadixDigits digits;
  set_words(digits.q, digits.q52, LongInteger(q.value()));
  digits.word_count = q.word_count();
  digits.limb_count = static_cast<std::size_t>((q.bit_count() + kLimbBits - 1) / kLimbBits);
  const kernels::WideBarrett barrett = make_wide_barrett(q);
  digits.shift = barrett.shift;
  digits.quotient = barrett.quotient;
  return digits;
}

}  // namespace ringlet::wide
