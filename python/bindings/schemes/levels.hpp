// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/schemes/state.hpp"
#include "ringlet/rlwe/ciphertext.hpp"

// How operators bring operands together: the rule of ringlet::CircuitPlan, one product at a time.
//
// CKKS: a level with l data primes q_1, ..., q_l has one scale D_l, that of the parameters at the
// first level and D_(l-1) = D_l^2 / q_l below, as long as that stays within a factor of two of the
// parameters' scale. A ciphertext of scale D_l comes down to level t by dropping primes to level
// t + 1, a product with 1 at scale D_t * q_(t+1) / D_l, and a rescaling. Others stay unchanged.
// BFV and BGV: modulus switching.

namespace ringlet::python {

/// Two operands of a sum or a product at one level.
class Aligned {
 public:
  /// Brings the higher one down where the rule says how; otherwise both are as they were, and the
  /// operation refuses them. Needs no interpreter.
  Aligned(const Workshop& workshop, const Ciphertext& a, const Ciphertext& b);

  const Ciphertext& first() const { return a_ == nullptr ? lowered_ : *a_; }
  const Ciphertext& second() const { return b_ == nullptr ? lowered_ : *b_; }

 private:
  const Ciphertext* a_;
  const Ciphertext* b_;
  Ciphertext lowered_;
};

/// `a`, whose scale is that of its level, at a level of fewer data primes. Needs no interpreter.
Ciphertext brought_down(const Workshop& workshop, const Ciphertext& a, std::size_t primes);

/// Data primes of the level that a ciphertext is at.
std::size_t prime_count(const Workshop& workshop, const Ciphertext& a);

/// CKKS: that `a` can come down `needed` levels, one for each multiplication.
/// @throws InvalidArgument otherwise.
void check_levels(const Workshop& workshop, const Ciphertext& a, std::size_t needed,
                  const char* operation);

/// CKKS: whether the scale is that of the ciphertext's level, up to rounding.
bool has_level_scale(const Workshop& workshop, const Ciphertext& a);

/// CKKS: at which scale numbers are encoded by which `a` is multiplied, so that the product has,
/// rescaled, the scale of the level below; where the rule does not hold, the same scale as `a`.
double factor_scale(const Workshop& workshop, const Ciphertext& a);

/// What an operator does after a product of two ciphertexts of size 2: relinearizes and goes one
/// level down, for BFV not, and for BGV only if there is one.
void reduce_product(const Workshop& workshop, Ciphertext& product, const RelinKeys& keys);

/// CKKS: after a rescaling, the exact scale of the level in place of one that rounding left near.
void settle_scale(const Workshop& workshop, Ciphertext& product);

}  // namespace ringlet::python
