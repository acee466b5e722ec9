// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "ringlet/ring/rns_poly.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/plaintext.hpp"

namespace ringlet::bfv {

/// Scales messages to multiples of q/t, for every level of a context; q is the product of the
/// level's primes. Immutable, shared by threads.
class MessageScaling {
 public:
  explicit MessageScaling(const Context& context);

  /// Returns floor((q*m + floor((t+1)/2)) / t) for every coefficient m of a checked message, modulo
  /// the primes of `level`. On the host. Constant time.
  CoeffPoly scale(const ContextData& level, const Plaintext& plain) const;

 private:
  /// floor(q/t) modulo each prime, and q mod t with Shoup's quotient.
  struct Quotient {
    std::vector<std::uint64_t> residues;
    std::uint64_t remainder = 0;
    std::uint64_t remainder_quotient = 0;
  };
  static Quotient divide_modulus(const ContextData& level, std::uint64_t t);

  Context host_;
  std::vector<Quotient> quotients_;  ///< By the number of primes, from 1 on.
};

}  // namespace ringlet::bfv
