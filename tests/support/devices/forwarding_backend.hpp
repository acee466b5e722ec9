// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/key_switch_source.hpp"

namespace ringlet::test {

/// Forwards the primitives that every backend implements to another backend. The other primitives
/// are the compositions of these in Backend.
class Compositions : public Backend {
 public:
  explicit Compositions(std::shared_ptr<const Backend> inner)
      : Compositions(inner, inner->memory()) {}
  /// Takes another memory than that of `inner`; `inner` must be able to follow its addresses.
  Compositions(const std::shared_ptr<const Backend>& inner, std::shared_ptr<Memory> memory)
      : Backend(inner->basis(), std::move(memory)), inner_(inner) {}

  std::string name() const override { return "compositions of " + inner_->name(); }
  std::vector<std::string> kernel_names() const override { return inner_->kernel_names(); }
  void do_copy(ResidueView result, ConstResidueView a) const override {
    around("copy", [&] { inner_->copy(result, a); });
  }
  void do_forward_ntt(NttView result, ConstCoeffView a, PrimeIndices primes) const override {
    around("forward_ntt", [&] { inner_->forward_ntt(result, a, primes); });
  }
  void do_inverse_ntt(CoeffView result, ConstNttView a, PrimeIndices primes) const override {
    around("inverse_ntt", [&] { inner_->inverse_ntt(result, a, primes); });
  }
  void do_add(ResidueView result, ConstResidueView a, ConstResidueView b,
              PrimeIndices primes) const override {
    around("add", [&] { inner_->add(result, a, b, primes); });
  }
  void do_subtract(ResidueView result, ConstResidueView a, ConstResidueView b,
                   PrimeIndices primes) const override {
    around("subtract", [&] { inner_->subtract(result, a, b, primes); });
  }
  void do_negate(ResidueView result, ConstResidueView a, PrimeIndices primes) const override {
    around("negate", [&] { inner_->negate(result, a, primes); });
  }
  void do_multiply(NttView result, ConstNttView a, ConstNttView b,
                   PrimeIndices primes) const override {
    around("multiply", [&] { inner_->multiply(result, a, b, primes); });
  }
  void do_multiply_add(NttView result, ConstNttView a, ConstNttView b, ConstNttView c,
                       PrimeIndices primes) const override {
    around("multiply_add", [&] { inner_->multiply_add(result, a, b, c, primes); });
  }
  void do_multiply_scalars(ResidueView result, ConstResidueView a, ConstWords scalars,
                           PrimeIndices primes) const override {
    around("multiply_scalars", [&] { inner_->multiply_scalars(result, a, scalars, primes); });
  }
  void do_automorphism(NttView result, ConstNttView a, std::uint64_t galois_element,
                       PrimeIndices primes) const override {
    around("automorphism", [&] { inner_->automorphism(result, a, galois_element, primes); });
  }
  void do_automorphism(CoeffView result, ConstCoeffView a, std::uint64_t galois_element,
                       PrimeIndices primes) const override {
    around("automorphism", [&] { inner_->automorphism(result, a, galois_element, primes); });
  }
  void do_lift_digit(CoeffView result, ConstWords digit, std::size_t digit_prime,
                     PrimeIndices primes) const override {
    around("lift_digit", [&] { inner_->lift_digit(result, digit, digit_prime, primes); });
  }
  void do_inverse_ntt_to_digits(CoeffView result, ConstNttView a,
                                PrimeIndices primes) const override {
    around("inverse_ntt_to_digits", [&] { inner_->inverse_ntt_to_digits(result, a, primes); });
  }
  void do_to_digits(CoeffView result, ConstCoeffView a, PrimeIndices primes) const override {
    around("to_digits", [&] { inner_->to_digits(result, a, primes); });
  }
  void do_lift_digit_to_ntt(NttView result, ConstWords digit, std::size_t digit_prime,
                            PrimeIndices primes) const override {
    around("lift_digit_to_ntt",
           [&] { inner_->lift_digit_to_ntt(result, digit, digit_prime, primes); });
  }
  void do_convert_basis(CoeffView result, ConstCoeffView a,
                        const BasisConversion& conversion) const override {
    around("convert_basis", [&] { inner_->convert_basis(result, a, conversion); });
  }
  void do_convert_to_modulus(std::span<std::uint64_t> result, ConstCoeffView a,
                             const BasisConversion& conversion) const override {
    around("convert_to_modulus", [&] { inner_->convert_to_modulus(result, a, conversion); });
  }
  void do_divide_and_round_by_last(NttView result, ConstNttView a, PrimeIndices primes,
                                   std::uint64_t preserve) const override {
    around("divide_and_round_by_last",
           [&] { inner_->divide_and_round_by_last(result, a, primes, preserve); });
  }
  void do_divide_and_round_by_last(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                                   std::uint64_t preserve) const override {
    around("divide_and_round_by_last",
           [&] { inner_->divide_and_round_by_last(result, a, primes, preserve); });
  }

 protected:
  /// Runs `call`, the work of the primitive of that name. Only primitives that compute come here.
  virtual void around(std::string_view primitive, const std::function<void()>& call) const {
    static_cast<void>(primitive);
    call();
  }

  const std::shared_ptr<const Backend> inner_;
};

/// Forwards every primitive to another backend: a base for classes that watch some primitives.
struct ForwardingBackend : Compositions {
  using Compositions::Compositions;

  std::string name() const override { return inner_->name(); }
  void do_multiply_accumulate(NttView result, ConstViews a, ConstViews b,
                              PrimeIndices primes) const override {
    around("multiply_accumulate", [&] { inner_->multiply_accumulate(result, a, b, primes); });
  }
  void do_multiply_pairs(std::span<const NttView, 3> product, std::span<const ConstNttView, 2> a,
                         std::span<const ConstNttView, 2> b, PrimeIndices primes) const override {
    around("multiply_pairs", [&] { inner_->multiply_pairs(product, a, b, primes); });
  }
  void do_multiply_matrices(const NttMatrix& c, const ConstNttMatrix& a, const ConstNttMatrix& b,
                            std::size_t held, PrimeIndices primes) const override {
    around("multiply_matrices", [&] { inner_->multiply_matrices(c, a, b, held, primes); });
  }
  void do_multiply_scalars_add(ResidueView result, ConstResidueView a, ConstResidueView b,
                               ConstWords scalars, PrimeIndices primes) const override {
    around("multiply_scalars_add",
           [&] { inner_->multiply_scalars_add(result, a, b, scalars, primes); });
  }
  void do_scale_and_round(CoeffView result, ConstCoeffView over_q, ConstCoeffView over_r,
                          const RnsScaling& scaling) const override {
    around("scale_and_round", [&] { inner_->scale_and_round(result, over_q, over_r, scaling); });
  }
  bool do_is_reduced(ConstResidueView a, PrimeIndices primes) const override {
    bool is_reduced = false;
    around("is_reduced", [&] { is_reduced = inner_->is_reduced(a, primes); });
    return is_reduced;
  }
  void do_lift_message(CoeffView result, ConstWords message, std::uint64_t t,
                       PrimeIndices primes) const override {
    around("lift_message", [&] { inner_->lift_message(result, message, t, primes); });
  }
  void do_combine_words(CoeffView result, ConstWords a, ConstWords b, std::uint64_t bound,
                        ConstWords scalars, PrimeIndices primes) const override {
    around("combine_words", [&] { inner_->combine_words(result, a, b, bound, scalars, primes); });
  }
  void do_divide_and_round(NttView result, ConstNttView a, PrimeIndices primes,
                           const BasisConversion& conversion,
                           std::uint64_t preserve) const override {
    around("divide_and_round",
           [&] { inner_->divide_and_round(result, a, primes, conversion, preserve); });
  }
  void do_divide_and_round(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                           const BasisConversion& conversion,
                           std::uint64_t preserve) const override {
    around("divide_and_round",
           [&] { inner_->divide_and_round(result, a, primes, conversion, preserve); });
  }
  std::shared_ptr<const PreparedKey> do_prepare_key(ConstViews b, ConstViews a) const override {
    return inner_->prepare_key(b, a);
  }
  void do_key_inner_product(NttView sum_b, NttView sum_a, ConstViews lifted_digits,
                            const KeyTerms& terms, PrimeIndices primes) const override {
    around("key_inner_product",
           [&] { inner_->key_inner_product(sum_b, sum_a, lifted_digits, terms, primes); });
  }
  void do_multiply_digits_by_key(NttView sum_b, NttView sum_a, const KeySwitchSource& source,
                                 const PreparedKey& key, PrimeIndices targets) const override {
    around("multiply_digits_by_key",
           [&] { inner_->multiply_digits_by_key(sum_b, sum_a, source, key, targets); });
  }
};

}  // namespace ringlet::test
