// SPDX-License-Identifier: Apache-2.0
#include "schemes/evaluator/exact_operations.hpp"

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/backend/scratch.hpp"
#include "ringlet/ring/backend.hpp"
#include "rlwe/checks.hpp"
#include "schemes/evaluator/plain_polynomials.hpp"

namespace ringlet {

ExactOperations::ExactOperations(const Context& context)
    : context_(context), eltwise_(context.plain_modulus()) {
  const RnsBasis& basis = context.backend().basis();
  const PrimeIndices all = context.first_context_data()->primes();
  for (std::size_t count = 1; count <= all.size(); ++count) {
    to_t_.emplace_back(basis, all.first(count), t());
  }
}

const ContextData& ExactOperations::check_message(const Plaintext& plain) const {
  schemes::check_coefficients(context_, plain);
  return *context_.first_context_data();
}

Balance ExactOperations::check_addends(const Ciphertext& a, const Ciphertext&) const {
  return {.common = a.correction_factor()};
}

double ExactOperations::product_scale(const Ciphertext&, const Plaintext&) const { return 1.0; }

double ExactOperations::rescaled_scale(const Ciphertext&, const ContextData&) const {
  refuse(concat("scheme ", to_string(context_.scheme())),
         "scheme ckks: other messages have no scale",
         "switch the modulus, which shrinks the noise");
}

Plaintext ExactOperations::converted(ConstCoeffView phase, const BasisConversion& to_t) const {
  const Scratch message(*context_.backend().pool(), phase.degree);
  context_.backend().convert_to_modulus(message.words(), phase, to_t);
  return schemes::trimmed(context_, message.words());
}

Plaintext ExactOperations::centred_modulo_t(const ContextData& level, ConstCoeffView phase,
                                            std::uint64_t factor) const {
  const Scratch message(*context_.backend().pool(), phase.degree);
  context_.backend().convert_to_modulus(message.words(), phase, to_t_[level.prime_count() - 1]);
  if (factor != 1) eltwise_.multiply_scalar(message.words(), message.words(), factor);
  return schemes::trimmed(context_, message.words());
}

}  // namespace ringlet
