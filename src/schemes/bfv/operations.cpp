// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include "ringlet/base/aligned.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/basis_conversion.hpp"
#include "schemes/bfv/message.hpp"
#include "schemes/bfv/product.hpp"
#include "schemes/evaluator/exact_operations.hpp"
#include "schemes/evaluator/plain_polynomials.hpp"
#include "schemes/evaluator/polynomials.hpp"
#include "schemes/evaluator/tensor.hpp"

namespace ringlet {
namespace {

using schemes::Sign;

CoeffView as_coefficients(ResidueView view) {
  return {view.data, view.degree, view.limb_count, view.limb_stride};
}

/// BFV: c_0 + c_1*s + ... = q/t*m + e modulo q; all in coefficient form.
class BfvOperations final : public ExactOperations {
 public:
  explicit BfvOperations(const Context& context);

  void add_message(const Plaintext& plain, Ciphertext& zero) const override;
  Plaintext decode_phase(const ContextData& level, ResidueView phase,
                         const Ciphertext& encrypted) const override;
  void phase_to_noise(const ContextData& level, ResidueView phase) const override;
  void multiply(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const override {
    products_.multiply(a, b, destination);
  }
  void square(const Ciphertext& a, Ciphertext& destination) const override {
    products_.square(a, destination);
  }
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

  bfv::Products products_;
  bfv::MessageScaling scaling_;
  std::vector<BasisConversion> to_message_;  ///< By the number of primes, from 1 on.
};

// With z = [t*phase]_q, centred, t*phase - z is q*m up to a multiple of t*q: modulo t the message
// is -z/q.
BfvOperations::BfvOperations(const Context& context)
    : ExactOperations(context), products_(context), scaling_(context) {
  const RnsBasis& basis = context.backend().basis();
  const PrimeIndices all = context.first_context_data()->primes();
  for (std::size_t count = 1; count <= all.size(); ++count) {
    const BasisConversion to_t(basis, all.first(count), t());
    to_message_.push_back(to_t.scaled(t().value(), t().value() - to_t.product_inverse(0)));
  }
}

void BfvOperations::add_message(const Plaintext& plain, Ciphertext& zero) const {
  const ContextData& level = level_of(zero);
  const CoeffPoly message = scaling_.scale(level, plain);
  const CoeffView c0 = zero.coeff_view_for_writing(0);
  context().backend().add(c0, c0, message.view(), level.primes());
}

Plaintext BfvOperations::decode_phase(const ContextData& level, ResidueView phase,
                                      const Ciphertext&) const {
  return converted(as_coefficients(phase), to_message_[level.prime_count() - 1]);
}

// t*phase = q*m + t*e: modulo q, t times the noise is left.
void BfvOperations::phase_to_noise(const ContextData& level, ResidueView phase) const {
  std::vector<std::uint64_t> factors;
  for (const Modulus& q : level.coeff_modulus()) factors.push_back(q.reduce(t().value()));
  context().backend().multiply_scalars(phase, phase, factors, level.primes());
}

void BfvOperations::add_or_subtract_plain(const Ciphertext& a, const Plaintext& plain, Sign sign,
                                          Ciphertext& destination) const {
  schemes::check_coefficients(context(), plain);
  schemes::check_operand_not_transparent(context(), a);
  const CoeffPoly message = scaling_.scale(level_of(a), plain);
  schemes::add_to_first(context(), a, message.view(context().backend()), sign, destination);
}

void BfvOperations::mod_switch(const Ciphertext& a, const ContextData& target,
                               Ciphertext& destination) const {
  destination = schemes::mod_switch_divide_to(context(), target, a, destination);
}

}  // namespace

std::unique_ptr<const SchemeOperations> make_bfv_operations(const Context& context) {
  return std::make_unique<const BfvOperations>(context);
}

}  // namespace ringlet
