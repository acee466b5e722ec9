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
  /// Brings the higher one down if the rule states how. Otherwise both stay unchanged, and the
  /// operation refuses them. Needs no interpreter.
  Aligned(const Workshop& workshop, const Ciphertext& a, const Ciphertext& b);

  const Ciphertext& first() const { return a_ == nullptr ? lowered_ : *a_; }
  const Ciphertext& second() const { return b_ == nullptr ? lowered_ : *b_; }

 private:
  const Ciphertext* a_;
  const Ciphertext* b_;
  Ciphertext lowered_;
};

/// Returns `a`, whose scale must be that of its level, at a level of fewer data primes. Needs no
/// interpreter.
Ciphertext brought_down(const Workshop& workshop, const Ciphertext& a, std::size_t primes);

/// Returns the number of data primes of a ciphertext's level.
std::size_t prime_count(const Workshop& workshop, const Ciphertext& a);

/// CKKS: checks that `a` can come down `needed` levels, one for each multiplication.
/// @throws InvalidArgument otherwise.
void check_levels(const Workshop& workshop, const Ciphertext& a, std::size_t needed,
                  const char* operation);

/// CKKS: returns whether the scale is that of the ciphertext's level, up to rounding.
bool has_level_scale(const Workshop& workshop, const Ciphertext& a);

/// CKKS: returns the scale of numbers that multiply `a`, such that the rescaled product has the
/// scale of the level below. If the rule does not hold, returns the scale of `a`.
double factor_scale(const Workshop& workshop, const Ciphertext& a);

/// Finishes a product of two ciphertexts of size 2 as an operator does: relinearizes, and goes one
/// level down for CKKS and, if there is a lower level, for BGV.
void reduce_product(const Workshop& workshop, Ciphertext& product, const RelinKeys& keys);

/// CKKS: after a rescaling, sets the exact scale of the level if the scale is near it.
void settle_scale(const Workshop& workshop, Ciphertext& product);

}  // namespace ringlet::python
