// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/factor_writer.hpp"

// For the builders of tables only. Public values, variable time.

namespace ringlet::kernels {

/// Arithmetic modulo one odd q, 3 <= q < 2^124.
class DoubleResidues {
 public:
  explicit DoubleResidues(uint128_t q) : q_(q), barrett_(make_double_barrett(q)) {}

  uint128_t modulus() const { return q_; }
  uint128_t multiply(uint128_t a, uint128_t b) const { return mul_mod_double(a, b, barrett_); }
  uint128_t power(uint128_t base, uint128_t exponent) const {
    uint128_t result = 1;
    for (; exponent != 0; exponent >>= 1) {
      if ((exponent & 1) != 0) result = multiply(result, base);
      base = multiply(base, base);
    }
    return result;
  }
  /// True if x has the order 2^log_order, log_order >= 1, modulo the prime q.
  bool has_order(uint128_t x, int log_order) const {
    return power(x, uint128_t{1} << (log_order - 1)) == q_ - 1;
  }

 private:
  uint128_t q_;
  DoubleBarrett barrett_;
};

}  // namespace ringlet::kernels
