// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "ringlet/ring/basis_conversion.hpp"
#include "ringlet/ring/storage.hpp"

namespace ringlet {

/// One digit of key switching: a polynomial modulo the primes [first, first + count) of a basis.
struct KeySwitchDigit {
  std::size_t first = 0;
  std::size_t count = 0;
  /// To all targets but the digit's own primes, in order. None where all digits are single primes,
  /// which Backend::lift_digit_to_ntt serves.
  std::optional<BasisConversion> lift;
};

/// A polynomial that falls apart into digits, for Backend::multiply_digits_by_key. Limb p of both
/// views is modulo prime p of the basis. Does not own.
struct KeySwitchSource {
  std::span<const KeySwitchDigit>
      digits;  ///< At least one; together they have all limbs, in order.
  /// Offset digits, as of Backend::to_digits, where digits are single primes without a conversion;
  /// else the coefficients.
  ConstCoeffView coefficients;
  /// The same polynomial in NTT form. Where digits are single primes it may have no limbs: then
  /// digits are lifted to their own primes too, which gives the same bits.
  ConstNttView values;
};

}  // namespace ringlet
