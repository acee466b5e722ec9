// SPDX-License-Identifier: Apache-2.0
#include "ringlet/evaluator.hpp"

#include <utility>

#include "base/text.hpp"
#include "ringlet/error.hpp"
#include "rlwe/checks.hpp"
#include "schemes/key_switching.hpp"
#include "schemes/polynomials.hpp"
#include "schemes/scheme_operations.hpp"

namespace ringlet {
namespace {

std::unique_ptr<const SchemeOperations> make_operations(const Context& context) {
  switch (context.scheme()) {
    case SchemeType::ckks:
      return make_ckks_operations(context);
    default:
      throw_invalid_argument({"Evaluator", concat("scheme = ", to_string(context.scheme())),
                              "scheme ckks", "make the context from parameters of scheme ckks"});
  }
}

// Both operands fit for the context and at one level.
const ContextData& check_pair(const Context& context, const Ciphertext& a, const Ciphertext& b,
                              const char* operation) {
  const ContextData& level = rlwe::check_operand(context, a, "first operand", operation);
  rlwe::check_operand(context, b, "second operand", operation);
  rlwe::check_same_level(context, a, b, operation);
  return level;
}

void check_pair(const Context& context, const Ciphertext& a, const Plaintext& plain,
                const char* operation) {
  rlwe::check_operand(context, a, "ciphertext", operation);
  rlwe::check_operand(context, plain, "plaintext", operation);
  rlwe::check_same_level(context, a, plain, operation);
}

template <typename T>
const ContextData& check_next_level(const Context& context, const T& operand,
                                    const char* operation) {
  const ContextData& level = rlwe::check_operand(context, operand, "operand", operation);
  if (level.next_context_data() == nullptr) {
    throw_invalid_argument({operation,
                            concat("operand at the last level: ", rlwe::describe(context, operand)),
                            "a level that has a lower one (chain index 1 and up)",
                            "use parameters with more primes, or fewer multiplications"});
  }
  return *level.next_context_data();
}

// The level to go to, at or below that of the operand.
template <typename T>
const ContextData& check_target_level(const Context& context, const T& operand,
                                      const ParmsId& parms_id, const char* operation) {
  const ContextData& level = rlwe::check_operand(context, operand, "operand", operation);
  const ContextData& target = rlwe::check_data_level(context, parms_id, operation);
  if (target.chain_index() > level.chain_index()) {
    throw_invalid_argument({operation,
                            concat("target at chain index ", target.chain_index(),
                                   " above the operand: ", rlwe::describe(context, operand)),
                            concat("chain index ", level.chain_index(), " or lower"),
                            "levels only go down; start from a ciphertext at a higher level"});
  }
  return target;
}

template <typename T>
void copy_unless_same(const T& a, T& destination) {
  if (&destination != &a) destination = a;
}

}  // namespace

Evaluator::Evaluator(const Context& context)
    : context_(context), operations_(make_operations(context)) {}

Evaluator::~Evaluator() = default;

void Evaluator::negate(const Ciphertext& a, Ciphertext& destination) const {
  const ContextData& level = rlwe::check_operand(context_, a, "operand", "Evaluator::negate");
  schemes::negate(context_, level, a, destination);
}

void Evaluator::add(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const {
  const ContextData& level = check_pair(context_, a, b, "Evaluator::add");
  operations_->check_addends(a, b, "Evaluator::add");
  schemes::add(context_, level, a, b, schemes::Sign::plus, destination);
}

void Evaluator::sub(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const {
  const ContextData& level = check_pair(context_, a, b, "Evaluator::sub");
  operations_->check_addends(a, b, "Evaluator::sub");
  schemes::add(context_, level, a, b, schemes::Sign::minus, destination);
}

void Evaluator::add_many(std::span<const Ciphertext> operands, Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::add_many";
  if (operands.empty()) {
    throw_invalid_argument(
        {kOperation, "no operands", "at least one ciphertext", "check the list before the call"});
  }
  const Ciphertext& first = operands.front();
  const ContextData& level = rlwe::check_operand(context_, first, "first operand", kOperation);
  for (const Ciphertext& operand : operands.subspan(1)) {
    check_pair(context_, first, operand, kOperation);
    operations_->check_addends(first, operand, kOperation);
  }
  schemes::add_many(context_, level, operands, destination);
}

void Evaluator::multiply(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const {
  check_pair(context_, a, b, "Evaluator::multiply");
  operations_->multiply(a, b, destination);
}

void Evaluator::square(const Ciphertext& a, Ciphertext& destination) const {
  rlwe::check_operand(context_, a, "operand", "Evaluator::square");
  operations_->square(a, destination);
}

void Evaluator::relinearize(const Ciphertext& a, const RelinKeys& keys,
                            Ciphertext& destination) const {
  rlwe::check_operand(context_, a, "operand", "Evaluator::relinearize");
  schemes::relinearize(context_, a, keys, destination);
}

void Evaluator::add_plain(const Ciphertext& a, const Plaintext& plain,
                          Ciphertext& destination) const {
  check_pair(context_, a, plain, "Evaluator::add_plain");
  operations_->add_plain(a, plain, destination);
}

void Evaluator::sub_plain(const Ciphertext& a, const Plaintext& plain,
                          Ciphertext& destination) const {
  check_pair(context_, a, plain, "Evaluator::sub_plain");
  operations_->sub_plain(a, plain, destination);
}

void Evaluator::multiply_plain(const Ciphertext& a, const Plaintext& plain,
                               Ciphertext& destination) const {
  check_pair(context_, a, plain, "Evaluator::multiply_plain");
  operations_->multiply_plain(a, plain, destination);
}

void Evaluator::rescale_to_next(const Ciphertext& a, Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::rescale_to_next";
  operations_->rescale(a, check_next_level(context_, a, kOperation), destination, kOperation);
}

void Evaluator::rescale_to(const Ciphertext& a, const ParmsId& parms_id,
                           Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::rescale_to";
  const ContextData& target = check_target_level(context_, a, parms_id, kOperation);
  if (target.parms_id() == a.parms_id()) return copy_unless_same(a, destination);
  operations_->rescale(a, target, destination, kOperation);
}

void Evaluator::mod_switch_to_next(const Ciphertext& a, Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::mod_switch_to_next";
  operations_->mod_switch(a, check_next_level(context_, a, kOperation), destination, kOperation);
}

void Evaluator::mod_switch_to(const Ciphertext& a, const ParmsId& parms_id,
                              Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::mod_switch_to";
  const ContextData& target = check_target_level(context_, a, parms_id, kOperation);
  if (target.parms_id() == a.parms_id()) return copy_unless_same(a, destination);
  operations_->mod_switch(a, target, destination, kOperation);
}

void Evaluator::mod_switch_to_next(const Plaintext& plain, Plaintext& destination) const {
  constexpr const char* kOperation = "Evaluator::mod_switch_to_next";
  operations_->mod_switch(plain, check_next_level(context_, plain, kOperation), destination,
                          kOperation);
}

void Evaluator::mod_switch_to(const Plaintext& plain, const ParmsId& parms_id,
                              Plaintext& destination) const {
  constexpr const char* kOperation = "Evaluator::mod_switch_to";
  const ContextData& target = check_target_level(context_, plain, parms_id, kOperation);
  if (target.parms_id() == plain.parms_id()) return copy_unless_same(plain, destination);
  operations_->mod_switch(plain, target, destination, kOperation);
}

void Evaluator::rotate_vector(const Ciphertext& a, int steps, const GaloisKeys& keys,
                              Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::rotate_vector";
  operations_->check_rotates_vector(kOperation);
  schemes::check_automorphism_operands(context_, a, keys, kOperation);
  const auto elements = schemes::plan_rotation(context_.ring(), steps, keys, kOperation);
  schemes::apply_automorphisms(context_, a, elements, keys, destination, kOperation);
}

void Evaluator::complex_conjugate(const Ciphertext& a, const GaloisKeys& keys,
                                  Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::complex_conjugate";
  operations_->check_rotates_vector(kOperation);
  schemes::check_automorphism_operands(context_, a, keys, kOperation);
  const std::uint64_t element = context_.ring().conjugation_element();
  schemes::check_galois_key(keys, element, "complex conjugation", kOperation);
  schemes::apply_automorphisms(context_, a, {&element, 1}, keys, destination, kOperation);
}

void Evaluator::apply_galois(const Ciphertext& a, std::uint64_t galois_element,
                             const GaloisKeys& keys, Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::apply_galois";
  schemes::check_automorphism_operands(context_, a, keys, kOperation);
  if (!context_.ring().is_galois_element(galois_element)) {
    throw_invalid_argument({kOperation, concat("galois_element = ", galois_element),
                            concat("odd and below 2N = ", context_.ring().cyclotomic_index()),
                            "take it from RingSpec::galois_element_from_step"});
  }
  schemes::check_galois_key(keys, galois_element, "this automorphism", kOperation);
  schemes::apply_automorphisms(context_, a, {&galois_element, 1}, keys, destination, kOperation);
}

}  // namespace ringlet
