// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ringlet/schemes/evaluator.hpp"
#include "rlwe/checks.hpp"
#include "schemes/evaluator/polynomials.hpp"
#include "schemes/evaluator/scheme_operations.hpp"

namespace ringlet::schemes {

/// Returns the level below that of the operand.
/// @throws InvalidArgument if there is none, or the operand does not fit the context.
template <typename T>
const ContextData& check_next_level(const Context& context, const T& operand,
                                    const char* name = "operand") {
  const ContextData& level = rlwe::check_operand(context, operand, name);
  if (level.next_context_data() == nullptr) {
    refuse("an operand at the last level", "a level above the lowest (level 1 and up)",
           "use parameters with more primes, or fewer multiplications");
  }
  return *level.next_context_data();
}

/// Returns the level of `parms_id`, at or below that of the operand.
/// @throws InvalidArgument if it is above, or the operand does not fit the context.
template <typename T>
const ContextData& check_target_level(const Context& context, const T& operand,
                                      const ParmsId& parms_id) {
  const ContextData& level = rlwe::check_operand(context, operand, "operand");
  const ContextData& target = rlwe::check_data_level(context, parms_id);
  if (target.chain_index() > level.chain_index()) {
    refuse(concat("target at level ", target.chain_index(), " above the operand"),
           concat("level ", level.chain_index(), " or lower"),
           "levels only go down; start from a ciphertext at a higher level");
  }
  return target;
}

/// @throws LogicError unless messages of the scheme have a scale.
void check_has_scale(const Context& context, const char* remedy);

/// Returns the level of both operands, which fit the context, in native form and of one secret key.
const ContextData& check_pair(const Context& context, const Ciphertext& a, const Ciphertext& b);

/// The operations of Evaluator that other calls are composed of, with the same checks. They refuse
/// without a name, so that the call of the user gives its own.
class Evaluation {
 public:
  explicit Evaluation(const Evaluator& evaluator)
      : context_(evaluator.context_), operations_(*evaluator.operations_) {}

  void add(const Ciphertext& a, const Ciphertext& b, Sign sign, Ciphertext& destination) const;
  /// Does the checks of Evaluator before it adds.
  const ContextData& check_addends(const Ciphertext& a, const Ciphertext& b) const;
  void multiply(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const;
  void square(const Ciphertext& a, Ciphertext& destination) const;
  void relinearize(const Ciphertext& a, const RelinKeys& keys, Ciphertext& destination) const;
  void relinearize_and_rescale_to_next(const Ciphertext& a, const RelinKeys& keys,
                                       Ciphertext& destination) const;
  void mod_switch_to(const Ciphertext& a, const ParmsId& parms_id, Ciphertext& destination) const;
  /// Rotate slots in rows, of a context that has them.
  void rotate(const Ciphertext& a, int steps, const GaloisKeys& keys,
              Ciphertext& destination) const;
  void rotate_vector(const Ciphertext& a, int steps, const GaloisKeys& keys,
                     Ciphertext& destination) const;
  void apply_galois(const Ciphertext& a, std::uint64_t galois_element, const GaloisKeys& keys,
                    Ciphertext& destination) const;

 private:
  const Context& context_;
  const SchemeOperations& operations_;
};

}  // namespace ringlet::schemes
