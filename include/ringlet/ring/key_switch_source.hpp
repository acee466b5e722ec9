// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ringlet/ring/basis_conversion.hpp"
#include "ringlet/ring/storage.hpp"

namespace ringlet {

class PreparedKey;

/// A digit of key switching: a polynomial modulo the primes [first, first + count) of a basis.
struct KeySwitchDigit {
  std::size_t first = 0;
  std::size_t count = 0;
  /// The conversion to all targets except the digit's own primes, in order. Empty if all digits are
  /// single primes, for which Backend::lift_digit_to_ntt is used.
  std::optional<BasisConversion> lift;
};

/// A view of a polynomial with its division into digits, for Backend::multiply_digits_by_key. Limb
/// p of both members is modulo prime p of the basis.
struct KeySwitchSource {
  std::span<const KeySwitchDigit>
      digits;  ///< At least one; together they have all limbs, in order.
  /// Offset digits, as Backend::to_digits makes them, if digits are single primes without a
  /// conversion; else the coefficients.
  ConstCoeffView coefficients;
  /// The polynomial in NTT form. It may have no limbs if digits are single primes: then digits are
  /// lifted to their own primes too, which gives the same bits.
  ConstNttView values;
};

/// The image of a polynomial under X -> X^galois_element, and the key of its digits.
struct KeyedImage {
  std::uint64_t galois_element = 0;
  const PreparedKey* key = nullptr;
};

/// The two sums of Backend::multiply_images_by_keys, over at least one image.
struct GadgetImages {
  NttView b;
  NttView a;
  std::span<const KeyedImage> images;
  bool adds = false;  ///< Adds to what the sums hold.
};

/// Where Backend::switch_key writes, and how it divides.
struct KeySwitchResult {
  Form form = Form::ntt;  ///< Of all views.
  std::array<ResidueView, 2> results;
  /// Without limbs for 0. An addend may be the result that it is added to.
  std::array<ConstResidueView, 2> addends;
  const BasisConversion* conversion = nullptr;  ///< As in Backend::divide_and_round_each.
  std::uint64_t preserve = 1;
};

}  // namespace ringlet
