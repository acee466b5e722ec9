// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/radix2/table.hpp"
#include "kernels/ntt/signed/reductions.hpp"

namespace ringlet::kernels {

/// What distinguishes the tables of two signed policies.
struct SignedShape {
  SignedArithmetic arithmetic = SignedArithmetic::real;
  Radix2Shape radix2;
};

/// Head of the table of a signed transform: the reductions, and a radix-2 table with factors of its
/// own form. Its streams are in the order of SignedForward and SignedInverse.
struct SignedTable {
  SignedReductions reductions;
  TwiddlePair one;  ///< The factor 1.
  Radix2Table radix2;
};

/// Returns the form of the factors of an arithmetic.
RINGLET_INLINE constexpr TwiddleForm twiddle_form(SignedArithmetic arithmetic) {
  switch (arithmetic) {
    case SignedArithmetic::real:
      return TwiddleForm::real;
    case SignedArithmetic::long_real:
      return TwiddleForm::long_real;
    case SignedArithmetic::mont64:
    case SignedArithmetic::mont64_nearest:
      return TwiddleForm::mont64;
    case SignedArithmetic::mont32:
      return TwiddleForm::mont32;
    case SignedArithmetic::shoup64:
      break;
  }
  return TwiddleForm::shoup64;
}

std::size_t signed_table_bytes(int log_degree, const SignedShape& shape);

/// Fills `memory` (64-byte aligned, signed_table_bytes long).
void build_signed_table(void* memory, const NttRequest& request, const SignedShape& shape);

}  // namespace ringlet::kernels
