// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/factor_writer.hpp"
#include "ntt/wide_checks.hpp"

// Roots of unity modulo a prime of double words. Public values.

namespace ringlet {

/// Arithmetic modulo one odd q.
class DoubleResidues {
 public:
  explicit DoubleResidues(const WideModulus& q)
      : q_(to_double(q)), barrett_(kernels::make_double_barrett(q_)) {}

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

/// The smallest element of order 2^log_order modulo the prime q, where 2^log_order divides q - 1
/// and log_order >= 1. It takes 2^(log_order - 1) products.
uint128_t minimal_double_root(int log_order, const DoubleResidues& residues);

}  // namespace ringlet
