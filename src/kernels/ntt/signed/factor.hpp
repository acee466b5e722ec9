// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/radix2/table.hpp"

// Factors of signed transforms. Portable: the builder of the tables and the kernels read it.

namespace ringlet::kernels {

/// 1/q modulo 2^32 for an odd q, by Newton's iteration: q is its own inverse modulo 8.
RINGLET_INLINE constexpr std::uint32_t half_word_inverse(std::uint64_t q) {
  const auto odd = static_cast<std::uint32_t>(q);
  std::uint32_t inverse = odd;
  for (int i = 0; i < 4; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}

/// The words of w modulo an odd q in one of the forms of centred factors.
TwiddlePair make_signed_pair(std::uint64_t w, std::uint64_t q, TwiddleForm form);

}  // namespace ringlet::kernels
