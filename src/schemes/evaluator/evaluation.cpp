// SPDX-License-Identifier: Apache-2.0
#include "schemes/evaluator/evaluation.hpp"

#include <utility>

#include "base/refuse.hpp"
#include "rlwe/scheme_traits.hpp"
#include "schemes/evaluator/key_switching.hpp"

namespace ringlet::schemes {

void check_has_scale(const Context& context, const char* remedy) {
  if (rlwe::traits_of(context.scheme()).has_scale) return;
  refuse<LogicError>(concat("scheme ", to_string(context.scheme())), "scheme ckks", remedy);
}

const ContextData& check_pair(const Context& context, const Ciphertext& a, const Ciphertext& b) {
  const ContextData& level = rlwe::check_operand(context, a, "first operand");
  rlwe::check_operand(context, b, "second operand");
  rlwe::check_same_level(a, b);
  rlwe::check_same_key(a, b);
  return level;
}

const ContextData& Evaluation::check_addends(const Ciphertext& a, const Ciphertext& b) const {
  const ContextData& level = rlwe::check_ciphertext(context_, a, "first operand");
  rlwe::check_ciphertext(context_, b, "second operand");
  rlwe::check_same_level(a, b);
  rlwe::check_same_form(a, b);
  rlwe::check_same_key(a, b);
  return level;
}

void Evaluation::add(const Ciphertext& a, const Ciphertext& b, Sign sign,
                     Ciphertext& destination) const {
  const ContextData& level = check_addends(a, b);
  const Balance balance = operations_.check_addends(a, b);
  if (balance.of_a == 1 && balance.of_b == 1) {
    schemes::add(context_, level, a, b, sign, destination);
    return;
  }
  Ciphertext balanced_a;
  Ciphertext balanced_b;
  multiply_scalar(context_, level, a, balance.of_a, balanced_a);
  multiply_scalar(context_, level, b, balance.of_b, balanced_b);
  schemes::add(context_, level, balanced_a, balanced_b, sign, balanced_a);
  balanced_a.correction_factor() = balance.common;
  destination = std::move(balanced_a);
}

void Evaluation::multiply(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const {
  check_pair(context_, a, b);
  operations_.multiply(a, b, destination);
}

void Evaluation::square(const Ciphertext& a, Ciphertext& destination) const {
  rlwe::check_operand(context_, a, "operand");
  operations_.square(a, destination);
}

void Evaluation::relinearize(const Ciphertext& a, const RelinKeys& keys,
                             Ciphertext& destination) const {
  rlwe::check_operand(context_, a, "operand");
  schemes::relinearize(context_, a, keys, destination);
}

void Evaluation::relinearize_and_rescale_to_next(const Ciphertext& a, const RelinKeys& keys,
                                                 Ciphertext& destination) const {
  const ContextData& target = check_next_level(context_, a);
  const double scale = operations_.rescaled_scale(a, target);
  Ciphertext result = relinearize_and_rescale(context_, a, keys, target, destination);
  result.scale() = scale;
  destination = std::move(result);
}

void Evaluation::mod_switch_to(const Ciphertext& a, const ParmsId& parms_id,
                               Ciphertext& destination) const {
  const ContextData& target = check_target_level(context_, a, parms_id);
  if (target.parms_id() != a.parms_id()) return operations_.mod_switch(a, target, destination);
  if (&destination != &a) destination = a;
}

void Evaluation::rotate(const Ciphertext& a, int steps, const GaloisKeys& keys,
                        Ciphertext& destination) const {
  check_automorphism_operands(context_, a, keys);
  const auto elements = plan_rotation(context_.ring(), steps, keys);
  apply_automorphisms(context_, a, elements, keys, destination);
}

void Evaluation::rotate_vector(const Ciphertext& a, int steps, const GaloisKeys& keys,
                               Ciphertext& destination) const {
  check_has_scale(context_, "rotate the rows instead");
  rotate(a, steps, keys, destination);
}

void Evaluation::apply_galois(const Ciphertext& a, std::uint64_t galois_element,
                              const GaloisKeys& keys, Ciphertext& destination) const {
  check_automorphism_operands(context_, a, keys);
  check_galois_element(context_, galois_element, keys);
  apply_automorphisms(context_, a, {&galois_element, 1}, keys, destination);
}

}  // namespace ringlet::schemes
