// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "ring/backend/reinterpret.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/rns_poly.hpp"
#include "rlwe/random/samplers.hpp"
#include "schemes/bgv/balance.hpp"
#include "schemes/evaluator/exact_operations.hpp"
#include "schemes/evaluator/plain_polynomials.hpp"
#include "schemes/evaluator/polynomials.hpp"
#include "schemes/evaluator/tensor.hpp"

namespace ringlet {
namespace {

using schemes::Sign;

/// BGV: c_0 + c_1*s + ... = f*m + t*e modulo q, with the correction factor f; all in NTT form.
class BgvOperations final : public ExactOperations {
 public:
  using ExactOperations::ExactOperations;

  std::uint64_t small_message_bound() const override { return t().value() / 2 + 1; }
  void write_small_message(const Plaintext& plain,
                           std::span<std::int64_t> coefficients) const override;
  Plaintext decode_phase(const ContextData& level, ResidueView phase,
                         const Ciphertext& encrypted) const override;
  void phase_to_noise(const ContextData& level, ResidueView phase) const override;
  Balance check_addends(const Ciphertext& a, const Ciphertext& b) const override;
  void multiply(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const override;
  void square(const Ciphertext& a, Ciphertext& destination) const override;
  void add_plain(const Ciphertext& a, const Plaintext& plain,
                 Ciphertext& destination) const override {
    add_or_subtract_plain(a, plain, Sign::plus, destination);
  }
  void sub_plain(const Ciphertext& a, const Plaintext& plain,
                 Ciphertext& destination) const override {
    add_or_subtract_plain(a, plain, Sign::minus, destination);
  }
  void mod_switch(const Ciphertext& a, const ContextData& target,
                  Ciphertext& destination) const override;

 private:
  void add_or_subtract_plain(const Ciphertext& a, const Plaintext& plain, Sign sign,
                             Ciphertext& destination) const;
  NttPoly lifted(const ContextData& level, const Plaintext& plain, std::uint64_t factor) const;
};

// Returns factor * plain in NTT form.
NttPoly BgvOperations::lifted(const ContextData& level, const Plaintext& plain,
                              std::uint64_t factor) const {
  if (factor == 1) return schemes::lift_centred_to_ntt(context(), level, plain);
  Plaintext scaled = plain;
  for (std::uint64_t& m : scaled.coefficients_for_writing()) m = t().multiply(m, factor);
  return schemes::lift_centred_to_ntt(context(), level, scaled);
}

void BgvOperations::write_small_message(const Plaintext& plain,
                                        std::span<std::int64_t> coefficients) const {
  const auto message = plain.coefficients();
  rlwe::write_centred(coefficients.first(message.size()), message, t());
  std::ranges::fill(coefficients.subspan(message.size()), 0);
}

Plaintext BgvOperations::decode_phase(const ContextData& level, ResidueView phase,
                                      const Ciphertext& encrypted) const {
  phase_to_noise(level, phase);
  const ConstCoeffView coefficients{phase.data, phase.degree, phase.limb_count, phase.limb_stride};
  return centred_modulo_t(level, coefficients, inverse_mod(encrypted.correction_factor(), t()));
}

// The polynomial is f*m + t*e itself, in coefficients.
void BgvOperations::phase_to_noise(const ContextData& level, ResidueView phase) const {
  const NttView values{phase.data, phase.degree, phase.limb_count, phase.limb_stride};
  context().backend().inverse_ntt(as_coefficients(values), values, level.primes());
}

Balance BgvOperations::check_addends(const Ciphertext& a, const Ciphertext& b) const {
  return bgv::balance(a.correction_factor(), b.correction_factor(), t());
}

void BgvOperations::multiply(const Ciphertext& a, const Ciphertext& b,
                             Ciphertext& destination) const {
  const std::uint64_t factor = t().multiply(a.correction_factor(), b.correction_factor());
  schemes::multiply_in_ntt_form(context(), a, b, 1.0, factor, destination);
}

void BgvOperations::square(const Ciphertext& a, Ciphertext& destination) const {
  const std::uint64_t factor = t().multiply(a.correction_factor(), a.correction_factor());
  schemes::square_in_ntt_form(context(), a, 1.0, factor, destination);
}

void BgvOperations::add_or_subtract_plain(const Ciphertext& a, const Plaintext& plain, Sign sign,
                                          Ciphertext& destination) const {
  schemes::check_coefficients(context(), plain);
  schemes::check_operand_not_transparent(context(), a);
  const NttPoly message = lifted(level_of(a), plain, a.correction_factor());
  schemes::add_to_first(context(), a, message.view(context().backend()), sign, destination);
}

// Dividing by q multiplies the message modulo t by q^-1.
void BgvOperations::mod_switch(const Ciphertext& a, const ContextData& target,
                               Ciphertext& destination) const {
  std::uint64_t factor = a.correction_factor();
  for (const Modulus& q : level_of(a).coeff_modulus().subspan(target.prime_count())) {
    factor = t().multiply(factor, inverse_mod(t().reduce(q.value()), t()));
  }
  Ciphertext result = schemes::mod_switch_divide_to(context(), target, a, destination, t().value());
  result.correction_factor() = factor;
  destination = std::move(result);
}

}  // namespace

std::unique_ptr<const SchemeOperations> make_bgv_operations(const Context& context) {
  return std::make_unique<const BgvOperations>(context);
}

}  // namespace ringlet
