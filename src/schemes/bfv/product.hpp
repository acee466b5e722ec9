// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"

namespace ringlet::bfv {

/// Products of BFV ciphertexts: round(t/Q * (a x b)) with the tensor product over the integers, for
/// operands as centred representatives modulo Q. The integers are computed modulo Q*R, R the
/// product of the level's auxiliary primes; with z = [t*x]_Q centred, (t*x - z)/Q is an exact
/// division modulo R, and leads back to Q by a basis conversion. No floating point, no large
/// integers. Bajard, Eynard, Hasan and Zucca, SAC 2016, with the conversions of BasisConversion.
/// Immutable, shared by threads.
class Products {
 public:
  explicit Products(const Context& context);
  ~Products();

  /// Operands fit the context and are at one level.
  /// @throws InvalidArgument if the size is too large; LogicError if the result is transparent.
  void multiply(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const;
  void square(const Ciphertext& a, Ciphertext& destination) const;

 private:
  struct Level;

  const Level& level(const Ciphertext& a) const;
  /// Computes the product of a and b, or the square of a if b is null.
  void multiply(const Level& level, const ContextData& data, const Ciphertext& a,
                const Ciphertext* b, Ciphertext& result) const;

  Context context_;
  std::vector<std::unique_ptr<Level>> levels_;  ///< By the number of primes, from 1 on.
};

}  // namespace ringlet::bfv
