// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ringlet/kernels/eltwise.hpp"
#include "ringlet/ring/basis_conversion.hpp"
#include "schemes/evaluator/scheme_operations.hpp"

namespace ringlet {

/// The operations that BFV and BGV share: messages are polynomials modulo t, without a scale.
class ExactOperations : public SchemeOperations {
 public:
  explicit ExactOperations(const Context& context);

  const ContextData& check_message(const Plaintext& plain) const override;
  Balance check_addends(const Ciphertext& a, const Ciphertext& b) const override;
  double product_scale(const Ciphertext& a, const Plaintext& plain) const override;
  double rescaled_scale(const Ciphertext& a, const ContextData& target) const override;

 protected:
  const Context& context() const noexcept { return context_; }
  const Modulus& t() const { return context_.plain_modulus(); }
  const ContextData& level_of(const Ciphertext& a) const {
    return *context_.get_context_data(a.parms_id());
  }
  /// Returns `phase`, converted by `to_t`, as a message.
  Plaintext converted(ConstCoeffView phase, const BasisConversion& to_t) const;
  /// Returns factor * [phase]_q modulo t as a message, [.]_q the centred representative. `phase`
  /// holds coefficients.
  Plaintext centred_modulo_t(const ContextData& level, ConstCoeffView phase,
                             std::uint64_t factor) const;

 private:
  bool fits_scale(double, const ContextData&) const override { return true; }
  void refuse_scale(double, const ContextData&) const override {}

  Context context_;
  Eltwise eltwise_;                    ///< Modulo t.
  std::vector<BasisConversion> to_t_;  ///< By the number of primes, from 1 on.
};

}  // namespace ringlet
