// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "ringlet/ciphertext.hpp"
#include "ringlet/context.hpp"
#include "ringlet/plaintext.hpp"

namespace ringlet {

/// What the schemes do differently; Evaluator does the rest. Arguments are fit for the context
/// (rlwe::check_operand) and, where there are two, at the same level; everything else is checked
/// here. As in Evaluator, a destination may be an operand, and on an error nothing changes.
/// Immutable, shared by threads.
class SchemeOperations {
 public:
  virtual ~SchemeOperations() = default;

  /// @throws InvalidArgument unless a + b and a - b make sense for the scheme.
  virtual void check_addends(const Ciphertext& a, const Ciphertext& b,
                             const char* operation) const = 0;

  virtual void multiply(const Ciphertext& a, const Ciphertext& b,
                        Ciphertext& destination) const = 0;
  virtual void square(const Ciphertext& a, Ciphertext& destination) const = 0;

  virtual void add_plain(const Ciphertext& a, const Plaintext& plain,
                         Ciphertext& destination) const = 0;
  virtual void sub_plain(const Ciphertext& a, const Plaintext& plain,
                         Ciphertext& destination) const = 0;
  virtual void multiply_plain(const Ciphertext& a, const Plaintext& plain,
                              Ciphertext& destination) const = 0;

  /// `target` is a level below that of the operand.
  virtual void rescale(const Ciphertext& a, const ContextData& target, Ciphertext& destination,
                       const char* operation) const = 0;
  virtual void mod_switch(const Ciphertext& a, const ContextData& target, Ciphertext& destination,
                          const char* operation) const = 0;
  virtual void mod_switch(const Plaintext& plain, const ContextData& target, Plaintext& destination,
                          const char* operation) const = 0;

  /// @throws LogicError unless the slots of the scheme form one vector that rotates and conjugates.
  virtual void check_rotates_vector(const char* operation) const = 0;

 protected:
  SchemeOperations() = default;
  SchemeOperations(const SchemeOperations&) = default;
  SchemeOperations& operator=(const SchemeOperations&) = default;
};

/// The operations of CKKS.
std::unique_ptr<const SchemeOperations> make_ckks_operations(const Context& context);

}  // namespace ringlet
