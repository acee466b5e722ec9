// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/backend/reinterpret.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/schemes/evaluator.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/scheme_traits.hpp"
#include "schemes/evaluator/evaluation.hpp"
#include "schemes/evaluator/key_switching.hpp"
#include "schemes/evaluator/plain_polynomials.hpp"
#include "schemes/evaluator/polynomials.hpp"
#include "schemes/operand_entry.hpp"

// The part of Evaluator that moves slots and changes forms.

namespace ringlet {
namespace {

using schemes::check_has_scale;
using schemes::evaluate;
using schemes::Evaluation;
using schemes::operand_entry;

// Checks that messages are vectors of slots in rows: batching.
void check_batching(const Context& context) {
  if (rlwe::traits_of(context.scheme()).has_plain_modulus && context.using_batching()) return;
  if (context.parms().has_general_ring()) {
    refuse<LogicError>(rlwe::describe_ring(context.ring()),
                       "rings X^N + 1: slots of others form a hypercube",
                       "apply the Galois elements of rotations of these slots");
  }
  refuse<LogicError>(concat("scheme ", to_string(context.scheme()),
                            context.scheme() == SchemeType::ckks ? "" : " without batching"),
                     "bfv or bgv with a plain modulus that is a prime = 1 mod 2N",
                     context.scheme() == SchemeType::ckks
                         ? "rotate the vector, or conjugate it"
                         : "choose a prime that is 1 mod 2N as the plain modulus");
}

void check_destinations(std::size_t automorphisms, std::size_t destinations) {
  if (automorphisms == destinations) return;
  refuse(concat(destinations, " destinations for ", automorphisms, " results"),
         "as many destinations as results", "pass a span of that size");
}

void check_form_to_leave(const Ciphertext& a, Form form) {
  if (a.form() == form) return;
  refuse(concat("the operand is in ", a.is_ntt_form() ? "NTT" : "coefficient", " form"),
         concat(form == Form::ntt ? "NTT" : "coefficient", " form"),
         "skip this call, or transform in the other direction");
}

void transform(const Context& context, const Ciphertext& a, Form form, Ciphertext& destination) {
  const ContextData& level = rlwe::check_ciphertext(context, a, "operand");
  check_form_to_leave(a, form == Form::ntt ? Form::coefficient : Form::ntt);
  // The transform of a polynomial is zero only for zero.
  schemes::check_operand_not_transparent(context, a);
  const Backend& backend = context.backend();
  schemes::ElementwiseResult result(context, destination, level, a.size(), form);
  Ciphertext& target = result.ciphertext();
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (form == Form::ntt) {
      backend.forward_ntt(target.ntt_view_for_writing(k, backend), a.coeff_view(k, backend),
                          level.primes());
    } else {
      backend.inverse_ntt(target.coeff_view_for_writing(k, backend), a.ntt_view(k, backend),
                          level.primes());
    }
  }
  result.commit(a.key_id(), a.scale(), a.correction_factor());
}

}  // namespace

void Evaluator::conjugate(const Ciphertext& a, const GaloisKeys& keys, const char* meaning,
                          Ciphertext& destination) const {
  schemes::check_automorphism_operands(context_, a, keys);
  const std::uint64_t element = context_.ring().conjugation_element();
  schemes::check_galois_key(keys, element, meaning);
  schemes::apply_automorphisms(context_, a, {&element, 1}, keys, destination);
}

void Evaluator::rotate_vector(const Ciphertext& a, int steps, const GaloisKeys& keys,
                              Ciphertext& destination) const {
  evaluate("Evaluator::rotate_vector", context_, destination, std::tie(a),
           [&] { Evaluation(*this).rotate_vector(a, steps, keys, destination); });
}

void Evaluator::complex_conjugate(const Ciphertext& a, const GaloisKeys& keys,
                                  Ciphertext& destination) const {
  evaluate("Evaluator::complex_conjugate", context_, destination, std::tie(a), [&] {
    check_has_scale(context_, "swap the rows instead");
    conjugate(a, keys, "complex conjugation", destination);
  });
}

void Evaluator::rotate_rows(const Ciphertext& a, int steps, const GaloisKeys& keys,
                            Ciphertext& destination) const {
  evaluate("Evaluator::rotate_rows", context_, destination, std::tie(a), [&] {
    check_batching(context_);
    Evaluation(*this).rotate(a, steps, keys, destination);
  });
}

void Evaluator::rotate_columns(const Ciphertext& a, const GaloisKeys& keys,
                               Ciphertext& destination) const {
  evaluate("Evaluator::rotate_columns", context_, destination, std::tie(a), [&] {
    check_batching(context_);
    conjugate(a, keys, "the swap of the rows", destination);
  });
}

void Evaluator::apply_galois(const Ciphertext& a, std::uint64_t galois_element,
                             const GaloisKeys& keys, Ciphertext& destination) const {
  evaluate("Evaluator::apply_galois", context_, destination, std::tie(a),
           [&] { Evaluation(*this).apply_galois(a, galois_element, keys, destination); });
}

// Rotations by one key share the digits. A rotation by several keys starts with one of these.
std::vector<Ciphertext> Evaluator::rotate_many(const Ciphertext& a, std::span<const int> steps,
                                               const GaloisKeys& keys,
                                               std::size_t destination_count) const {
  schemes::check_automorphism_operands(context_, a, keys);
  check_destinations(steps.size(), destination_count);
  std::vector<schemes::RotationPlan> plans;
  std::vector<std::uint64_t> first_elements;
  for (const int step : steps) {
    plans.push_back(schemes::plan_rotation(context_.ring(), step, keys));
    if (!plans.back().empty()) first_elements.push_back(plans.back()[0]);
  }
  std::vector<Ciphertext> results =
      schemes::apply_each_automorphism(context_, a, first_elements, keys);
  std::vector<Ciphertext> rotated;
  auto begun = results.begin();
  for (const schemes::RotationPlan& plan : plans) {
    if (plan.empty()) {
      rotated.push_back(a);
      continue;
    }
    schemes::apply_automorphisms(context_, *begun, std::span<const std::uint64_t>(plan).subspan(1),
                                 keys, *begun);
    rotated.push_back(std::move(*begun++));
  }
  return rotated;
}

void Evaluator::rotate_vector_many(const Ciphertext& a, std::span<const int> steps,
                                   const GaloisKeys& keys,
                                   std::span<Ciphertext> destinations) const {
  evaluate("Evaluator::rotate_vector_many", context_, destinations, std::tie(a), [&] {
    check_has_scale(context_, "rotate the rows instead");
    return rotate_many(a, steps, keys, destinations.size());
  });
}

void Evaluator::rotate_rows_many(const Ciphertext& a, std::span<const int> steps,
                                 const GaloisKeys& keys, std::span<Ciphertext> destinations) const {
  evaluate("Evaluator::rotate_rows_many", context_, destinations, std::tie(a), [&] {
    check_batching(context_);
    return rotate_many(a, steps, keys, destinations.size());
  });
}

void Evaluator::apply_galois_many(const Ciphertext& a,
                                  std::span<const std::uint64_t> galois_elements,
                                  const GaloisKeys& keys,
                                  std::span<Ciphertext> destinations) const {
  evaluate("Evaluator::apply_galois_many", context_, destinations, std::tie(a), [&] {
    schemes::check_automorphism_operands(context_, a, keys);
    check_destinations(galois_elements.size(), destinations.size());
    for (const std::uint64_t element : galois_elements) {
      schemes::check_galois_element(context_, element, keys);
    }
    return schemes::apply_each_automorphism(context_, a, galois_elements, keys);
  });
}

void Evaluator::transform_to_ntt(const Plaintext& plain, const ParmsId& parms_id,
                                 Plaintext& destination) const {
  operand_entry("Evaluator::transform_to_ntt", context_, std::tie(plain), [&] {
    const ContextData& level = rlwe::check_data_level(context_, parms_id);
    schemes::check_coefficients(context_, plain);
    const Backend& backend = context_.backend();
    Plaintext result(level, Contents::unspecified);
    schemes::lift_centred(context_, level, plain, as_coefficients(result.ntt_view_for_writing()));
    const NttView values = result.ntt_view_for_writing(backend);
    backend.forward_ntt(values, as_coefficients(values), level.primes());
    destination = std::move(result);
  });
}

void Evaluator::transform_to_ntt(const Ciphertext& a, Ciphertext& destination) const {
  evaluate("Evaluator::transform_to_ntt", context_, destination, std::tie(a),
           [&] { transform(context_, a, Form::ntt, destination); });
}

void Evaluator::transform_from_ntt(const Ciphertext& a, Ciphertext& destination) const {
  evaluate("Evaluator::transform_from_ntt", context_, destination, std::tie(a),
           [&] { transform(context_, a, Form::coefficient, destination); });
}

}  // namespace ringlet
