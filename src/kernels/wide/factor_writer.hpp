// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arith/double_word.hpp"
#include "kernels/wide/constants.hpp"
#include "ringlet/arith/wide_modulus.hpp"

// For the builders of tables only: kernel units hold no containers. Public values.

namespace ringlet::kernels {

/// Splits x < 2^192 into limbs and drops what does not fit.
void split_limbs(std::uint64_t* limbs, const WideInteger& x, const LimbFormat& format);

/// Returns floor(2^exponent / divisor), for a divisor in [2^(exponent - 191), 2^190).
WideInteger quotient_of_power(int exponent, const WideInteger& divisor);

/// Returns the constants of barrett_reduce for an odd q, 3 <= q < 2^124.
DoubleBarrett make_double_barrett(uint128_t q);

/// Returns the constants of WideFactorWriter for an odd q, 3 <= q < 2^124.
WideFactorConstants make_factor_constants(uint128_t q, const LimbFormat& format);

/// Writes factors in the format of a policy.
class WideFactorWriter {
 public:
  WideFactorWriter(const WideFactorConstants& constants, const LimbFormat& format);
  WideFactorWriter(uint128_t q, const LimbFormat& format)
      : WideFactorWriter(make_factor_constants(q, format), format) {}

  /// Writes the factor_words() words of w < q.
  void write(std::uint64_t* words, uint128_t w) const;

 private:
  void write_fraction(std::uint64_t* words, uint128_t w) const;

  LimbFormat format_;
  DoubleBarrett barrett_;
  uint128_t beta_;               ///< beta mod q.
  WideInteger negated_inverse_;  ///< -q^-1 modulo 2^192.
};

}  // namespace ringlet::kernels
