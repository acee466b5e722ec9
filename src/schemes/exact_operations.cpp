// SPDX-License-Identifier: Apache-2.0
#include "schemes/exact_operations.hpp"

#include "base/text.hpp"
#include "ringlet/aligned.hpp"
#include "ringlet/backend.hpp"
#include "ringlet/error.hpp"
#include "rlwe/checks.hpp"
#include "schemes/plain_polynomials.hpp"

namespace ringlet {

ExactOperations::ExactOperations(const Context& context) : context_(context) {
  const RnsBasis& basis = context.backend().basis();
  const PrimeIndices all = context.first_context_data()->primes();
  for (std::size_t count = 1; count <= all.size(); ++count) {
    to_t_.emplace_back(basis, all.first(count), t());
  }
}

const ContextData& ExactOperations::check_message(const Plaintext& plain,
                                                  const char* operation) const {
  schemes::check_coefficients(context_, plain, operation);
  return *context_.first_context_data();
}

Balance ExactOperations::check_addends(const Ciphertext& a, const Ciphertext&, const char*) const {
  return {.common = a.correction_factor()};
}

double ExactOperations::product_scale(const Ciphertext&, const Plaintext&, const char*) const {
  return 1.0;
}

double ExactOperations::rescaled_scale(const Ciphertext& a, const ContextData&,
                                       const char* operation) const {
  throw_invalid_argument(
      {operation,
       concat("scheme ", to_string(context_.scheme()), ", ", rlwe::describe(context_, a)),
       "scheme ckks: other messages have no scale",
       "use mod_switch_to_next, which shrinks the noise"});
}

void ExactOperations::check_scale_at(double, const ContextData&, const char*,
                                     const std::string&) const {}

Plaintext ExactOperations::centred_modulo_t(const ContextData& level, ConstCoeffView phase,
                                            std::uint64_t factor) const {
  SecretVector<std::uint64_t> message(phase.degree);
  context_.backend().convert_to_modulus(message, phase, to_t_[level.prime_count() - 1]);
  for (std::uint64_t& m : message) m = t().multiply(m, factor);
  return schemes::trimmed(message);
}

std::uint64_t ExactOperations::modulus_mod_t(const ContextData& level) const {
  return to_t_[level.prime_count() - 1].product(0);
}

}  // namespace ringlet
