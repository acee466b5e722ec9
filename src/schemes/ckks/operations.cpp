// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ringlet/ring/backend.hpp"
#include "rlwe/checks.hpp"
#include "schemes/evaluator/polynomials.hpp"
#include "schemes/evaluator/scheme_operations.hpp"
#include "schemes/evaluator/tensor.hpp"

namespace ringlet {
namespace {

using schemes::Sign;

/// CKKS: everything is in NTT form, and a scale goes with every message.
class CkksOperations final : public SchemeOperations {
 public:
  explicit CkksOperations(const Context& context) : context_(context) {}

  const ContextData& check_message(const Plaintext& plain) const override {
    return rlwe::check_operand(context_, plain, "plaintext");
  }
  void add_message(const Plaintext& plain, Ciphertext& zero) const override;
  void phase_to_noise(const ContextData& level, ResidueView phase) const override;
  Balance check_addends(const Ciphertext& a, const Ciphertext& b) const override {
    rlwe::check_same_scale(a, b);
    return {};
  }
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
  double product_scale(const Ciphertext& a, const Plaintext& plain) const override {
    return scale_of_product(a, plain);
  }
  double rescaled_scale(const Ciphertext& a, const ContextData& target) const override;
  void mod_switch(const Ciphertext& a, const ContextData& target,
                  Ciphertext& destination) const override;

 private:
  bool fits_scale(double scale, const ContextData& level) const override;
  void refuse_scale(double scale, const ContextData& level) const override;
  const ContextData& level_of(const Ciphertext& a) const {
    return *context_.get_context_data(a.parms_id());
  }
  template <typename A, typename B>
  double scale_of_product(const A& a, const B& b) const;
  void add_or_subtract_plain(const Ciphertext& a, const Plaintext& plain, Sign sign,
                             Ciphertext& destination) const;

  Context context_;
};

bool CkksOperations::fits_scale(double scale, const ContextData& level) const {
  return std::isnormal(scale) && std::ilogb(scale) < level.total_coeff_modulus_bit_count();
}

std::string scale_limit(const ContextData& level) {
  return concat("a positive normal scale below 2^", level.total_coeff_modulus_bit_count(),
                ", the size of the modulus at level ", level.chain_index());
}

template <typename A, typename B>
double CkksOperations::scale_of_product(const A& a, const B& b) const {
  const ContextData& level = level_of(a);
  const double scale = a.scale() * b.scale();
  if (!fits_scale(scale, level)) {
    const bool is_last = level.next_context_data() == nullptr;
    refuse(concat(is_last ? "no multiplication is left: " : "", "a product of ",
                  rlwe::describe_scale(scale)),
           scale_limit(level),
           is_last ? "use parameters with more primes, or fewer multiplications"
                   : "rescale the operands first, or use smaller scales or more primes");
  }
  return scale;
}

void CkksOperations::refuse_scale(double scale, const ContextData& level) const {
  refuse(concat("a result of ", rlwe::describe_scale(scale), " at level ", level.chain_index()),
         scale_limit(level), "rescale it first, or stay at a higher level");
}

void CkksOperations::add_message(const Plaintext& plain, Ciphertext& zero) const {
  const NttView c0 = zero.ntt_view_for_writing(0);
  context_.backend().add(c0, c0, plain.ntt_view(), level_of(zero).primes());
  zero.scale() = plain.scale();
}

void CkksOperations::phase_to_noise(const ContextData&, ResidueView) const {
  refuse<LogicError>("scheme ckks", "schemes with exact messages: bfv and bgv",
                     "compare the level and the scale with the parameters instead");
}

void CkksOperations::multiply(const Ciphertext& a, const Ciphertext& b,
                              Ciphertext& destination) const {
  schemes::check_product_size(a.size() + b.size() - 1);
  const double scale = scale_of_product(a, b);
  schemes::multiply_in_ntt_form(context_, a, b, scale, 1, destination);
}

void CkksOperations::square(const Ciphertext& a, Ciphertext& destination) const {
  schemes::check_product_size(2 * a.size() - 1);
  const double scale = scale_of_product(a, a);
  schemes::square_in_ntt_form(context_, a, scale, 1, destination);
}

void CkksOperations::add_or_subtract_plain(const Ciphertext& a, const Plaintext& plain, Sign sign,
                                           Ciphertext& destination) const {
  rlwe::check_operand(context_, plain, "plaintext");
  rlwe::check_same_level(a, plain);
  rlwe::check_same_scale(a, plain);
  schemes::check_operand_not_transparent(context_, a);
  schemes::add_to_first(context_, a, plain.ntt_view(context_.backend()), sign, destination);
}

double CkksOperations::rescaled_scale(const Ciphertext& a, const ContextData& target) const {
  const ContextData& top = level_of(a);
  double scale = a.scale();
  for (std::size_t i = top.prime_count(); i > target.prime_count(); --i) {
    scale /= static_cast<double>(top.coeff_modulus()[i - 1].value());
  }
  check_scale_at(scale, target);
  return scale;
}

void CkksOperations::mod_switch(const Ciphertext& a, const ContextData& target,
                                Ciphertext& destination) const {
  check_scale_at(a.scale(), target);
  schemes::drop_primes(context_, target, a, destination);
}

}  // namespace

std::unique_ptr<const SchemeOperations> make_ckks_operations(const Context& context) {
  return std::make_unique<const CkksOperations>(context);
}

}  // namespace ringlet
