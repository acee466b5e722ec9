// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "ring/backend/reinterpret.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/schemes/evaluator.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/scheme_traits.hpp"
#include "schemes/evaluator/key_switching.hpp"
#include "schemes/evaluator/plain_polynomials.hpp"
#include "schemes/evaluator/polynomials.hpp"
#include "schemes/named_operands.hpp"

// The part of Evaluator that moves slots and changes forms.

namespace ringlet {
namespace {

using schemes::name_operands;

// For messages as vectors of slots in rows: batching.
void check_batching(const Context& context, const char* operation) {
  if (rlwe::traits_of(context.scheme()).has_plain_modulus && context.using_batching()) return;
  if (context.parms().has_general_ring()) {
    throw_logic_error({operation, rlwe::describe_ring(context.ring()),
                       "rings X^N + 1: slots of others form a hypercube",
                       "use apply_galois with elements from CyclotomicSlots::galois_element"});
  }
  throw_logic_error({operation,
                     concat("scheme ", to_string(context.scheme()),
                            context.scheme() == SchemeType::ckks ? "" : " without batching"),
                     "bfv or bgv with a plain modulus that is a prime = 1 mod 2N",
                     context.scheme() == SchemeType::ckks
                         ? "use rotate_vector or complex_conjugate"
                         : "take the plain modulus from PlainModulus::batching"});
}

void check_has_scale(const Context& context, const char* operation, const char* remedy) {
  if (rlwe::traits_of(context.scheme()).has_scale) return;
  throw_logic_error(
      {operation, concat("scheme ", to_string(context.scheme())), "scheme ckks", remedy});
}

void check_destinations(std::size_t automorphisms, std::size_t destinations,
                        const char* operation) {
  if (automorphisms == destinations) return;
  throw_invalid_argument({operation,
                          concat(destinations, " destinations for ", automorphisms, " results"),
                          "as many destinations as results", "pass a span of that size"});
}

void check_galois_element(const Context& context, std::uint64_t galois_element,
                          const GaloisKeys& keys, const char* operation) {
  if (!context.ring().is_galois_element(galois_element)) {
    throw_invalid_argument({operation, concat("galois_element = ", galois_element),
                            rlwe::describe_galois_elements(context.ring()),
                            rlwe::galois_element_source(context.ring())});
  }
  schemes::check_galois_key(keys, galois_element, "this automorphism", operation);
}

void check_form_to_leave(const Ciphertext& a, Form form, const char* operation) {
  if (a.form() == form) return;
  throw_invalid_argument(
      {operation, concat("the operand is in ", a.is_ntt_form() ? "NTT" : "coefficient", " form"),
       concat(form == Form::ntt ? "NTT" : "coefficient", " form"),
       "ask is_ntt_form() first: it is there already"});
}

void transform(const Context& context, const Ciphertext& a, Form form, Ciphertext& destination,
               const char* operation) {
  const auto call = [&] {
    const ContextData& level = rlwe::check_ciphertext(context, a, "operand", operation);
    check_form_to_leave(a, form == Form::ntt ? Form::coefficient : Form::ntt, operation);
    const Backend& backend = context.backend();
    Ciphertext result(level, a.size(), form, Contents::unspecified);
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (form == Form::ntt) {
        backend.forward_ntt(result.ntt_view_for_writing(k, backend), a.coeff_view(k, backend),
                            level.primes());
      } else {
        backend.inverse_ntt(result.coeff_view_for_writing(k, backend), a.ntt_view(k, backend),
                            level.primes());
      }
    }
    schemes::take_over(context, result, a, operation);
    destination = std::move(result);
  };
  name_operands(operation, context, call, a);
}

}  // namespace

void Evaluator::rotate(const Ciphertext& a, int steps, const GaloisKeys& keys,
                       Ciphertext& destination, const char* operation) const {
  const auto call = [&] {
    schemes::check_automorphism_operands(context_, a, keys, operation);
    const auto elements = schemes::plan_rotation(context_.ring(), steps, keys, operation);
    schemes::apply_automorphisms(context_, a, elements, keys, destination, operation);
  };
  name_operands(operation, context_, call, a);
}

void Evaluator::conjugate(const Ciphertext& a, const GaloisKeys& keys, Ciphertext& destination,
                          const char* meaning, const char* operation) const {
  const auto call = [&] {
    schemes::check_automorphism_operands(context_, a, keys, operation);
    const std::uint64_t element = context_.ring().conjugation_element();
    schemes::check_galois_key(keys, element, meaning, operation);
    schemes::apply_automorphisms(context_, a, {&element, 1}, keys, destination, operation);
  };
  name_operands(operation, context_, call, a);
}

void Evaluator::rotate_vector(const Ciphertext& a, int steps, const GaloisKeys& keys,
                              Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::rotate_vector";
  check_has_scale(context_, kOperation, "use rotate_rows");
  rotate(a, steps, keys, destination, kOperation);
}

void Evaluator::complex_conjugate(const Ciphertext& a, const GaloisKeys& keys,
                                  Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::complex_conjugate";
  check_has_scale(context_, kOperation, "use rotate_columns");
  conjugate(a, keys, destination, "complex conjugation", kOperation);
}

void Evaluator::rotate_rows(const Ciphertext& a, int steps, const GaloisKeys& keys,
                            Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::rotate_rows";
  check_batching(context_, kOperation);
  rotate(a, steps, keys, destination, kOperation);
}

void Evaluator::rotate_columns(const Ciphertext& a, const GaloisKeys& keys,
                               Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::rotate_columns";
  check_batching(context_, kOperation);
  conjugate(a, keys, destination, "the swap of the rows", kOperation);
}

void Evaluator::apply_galois(const Ciphertext& a, std::uint64_t galois_element,
                             const GaloisKeys& keys, Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::apply_galois";
  const auto call = [&] {
    schemes::check_automorphism_operands(context_, a, keys, kOperation);
    check_galois_element(context_, galois_element, keys, kOperation);
    schemes::apply_automorphisms(context_, a, {&galois_element, 1}, keys, destination, kOperation);
  };
  name_operands(kOperation, context_, call, a);
}

// Rotations by one key share the digits; those that take several keys start with such a one.
void Evaluator::rotate_many(const Ciphertext& a, std::span<const int> steps, const GaloisKeys& keys,
                            std::span<Ciphertext> destinations, const char* operation) const {
  const auto call = [&] {
    schemes::check_automorphism_operands(context_, a, keys, operation);
    check_destinations(steps.size(), destinations.size(), operation);
    std::vector<schemes::RotationPlan> plans;
    std::vector<std::uint64_t> first_elements;
    for (const int step : steps) {
      plans.push_back(schemes::plan_rotation(context_.ring(), step, keys, operation));
      if (!plans.back().empty()) first_elements.push_back(plans.back()[0]);
    }
    std::vector<Ciphertext> results =
        schemes::apply_each_automorphism(context_, a, first_elements, keys, operation);
    std::vector<Ciphertext> rotated;
    auto begun = results.begin();
    for (const schemes::RotationPlan& plan : plans) {
      if (plan.empty()) {
        rotated.push_back(a);
        continue;
      }
      schemes::apply_automorphisms(context_, *begun,
                                   std::span<const std::uint64_t>(plan).subspan(1), keys, *begun,
                                   operation);
      rotated.push_back(std::move(*begun++));
    }
    std::ranges::move(rotated, destinations.begin());
  };
  name_operands(operation, context_, call, a);
}

void Evaluator::rotate_vector_many(const Ciphertext& a, std::span<const int> steps,
                                   const GaloisKeys& keys,
                                   std::span<Ciphertext> destinations) const {
  constexpr const char* kOperation = "Evaluator::rotate_vector_many";
  check_has_scale(context_, kOperation, "use rotate_rows_many");
  rotate_many(a, steps, keys, destinations, kOperation);
}

void Evaluator::rotate_rows_many(const Ciphertext& a, std::span<const int> steps,
                                 const GaloisKeys& keys, std::span<Ciphertext> destinations) const {
  constexpr const char* kOperation = "Evaluator::rotate_rows_many";
  check_batching(context_, kOperation);
  rotate_many(a, steps, keys, destinations, kOperation);
}

void Evaluator::apply_galois_many(const Ciphertext& a,
                                  std::span<const std::uint64_t> galois_elements,
                                  const GaloisKeys& keys,
                                  std::span<Ciphertext> destinations) const {
  constexpr const char* kOperation = "Evaluator::apply_galois_many";
  const auto call = [&] {
    schemes::check_automorphism_operands(context_, a, keys, kOperation);
    check_destinations(galois_elements.size(), destinations.size(), kOperation);
    for (const std::uint64_t element : galois_elements) {
      check_galois_element(context_, element, keys, kOperation);
    }
    std::vector<Ciphertext> results =
        schemes::apply_each_automorphism(context_, a, galois_elements, keys, kOperation);
    std::ranges::move(results, destinations.begin());
  };
  name_operands(kOperation, context_, call, a);
}

void Evaluator::transform_to_ntt(const Plaintext& plain, const ParmsId& parms_id,
                                 Plaintext& destination) const {
  constexpr const char* kOperation = "Evaluator::transform_to_ntt";
  const auto call = [&] {
    const ContextData& level = rlwe::check_data_level(context_, parms_id, kOperation);
    schemes::check_coefficients(context_, plain, kOperation);
    const Backend& backend = context_.backend();
    Plaintext result(level, Contents::unspecified);
    schemes::lift_centred(context_, level, plain, as_coefficients(result.ntt_view_for_writing()));
    const NttView values = result.ntt_view_for_writing(backend);
    backend.forward_ntt(values, as_coefficients(values), level.primes());
    destination = std::move(result);
  };
  name_operands(kOperation, context_, call, plain);
}

void Evaluator::transform_to_ntt(const Ciphertext& a, Ciphertext& destination) const {
  transform(context_, a, Form::ntt, destination, "Evaluator::transform_to_ntt");
}

void Evaluator::transform_from_ntt(const Ciphertext& a, Ciphertext& destination) const {
  transform(context_, a, Form::coefficient, destination, "Evaluator::transform_from_ntt");
}

}  // namespace ringlet
