// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "ringlet/backend.hpp"
#include "ringlet/error.hpp"
#include "rlwe/checks.hpp"
#include "schemes/polynomials.hpp"
#include "schemes/scheme_operations.hpp"

namespace ringlet {
namespace {

using schemes::ElementwiseResult;
using schemes::Sign;

/// CKKS: everything is in NTT form, and a scale goes with every message.
class CkksOperations final : public SchemeOperations {
 public:
  explicit CkksOperations(const Context& context) : context_(context) {}

  void check_addends(const Ciphertext& a, const Ciphertext& b,
                     const char* operation) const override {
    rlwe::check_same_scale(context_, a, b, operation);
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
  void multiply_plain(const Ciphertext& a, const Plaintext& plain,
                      Ciphertext& destination) const override;
  void rescale(const Ciphertext& a, const ContextData& target, Ciphertext& destination,
               const char* operation) const override;
  void mod_switch(const Ciphertext& a, const ContextData& target, Ciphertext& destination,
                  const char* operation) const override;
  void mod_switch(const Plaintext& plain, const ContextData& target, Plaintext& destination,
                  const char* operation) const override;
  void check_rotates_vector(const char*) const override {}

 private:
  const ContextData& level_of(const Ciphertext& a) const {
    return *context_.get_context_data(a.parms_id());
  }
  template <typename A, typename B>
  double product_scale(const A& a, const B& b, const char* operation) const;
  template <typename T>
  void check_new_scale(const T& operand, double scale, const ContextData& level,
                       const char* operation) const;
  void add_or_subtract_plain(const Ciphertext& a, const Plaintext& plain, Sign sign,
                             Ciphertext& destination) const;
  void tensor(const Ciphertext& a, const Ciphertext& b, Ciphertext& product) const;
  void tensor_square(const Ciphertext& a, Ciphertext& product) const;

  Context context_;
};

bool fits(double scale, const ContextData& level) {
  return std::isnormal(scale) && std::ilogb(scale) < level.total_coeff_modulus_bit_count();
}

std::string scale_limit(const ContextData& level) {
  return concat("a positive normal scale below 2^", level.total_coeff_modulus_bit_count(),
                ", the size of the modulus at chain index ", level.chain_index());
}

void check_product_size(std::size_t size, const char* operation) {
  if (size <= kMaxCiphertextSize) return;
  throw_invalid_argument({operation, concat("a product of size ", size),
                          concat("at most ", kMaxCiphertextSize, " polynomials"),
                          "relinearize the operands first"});
}

template <typename A, typename B>
double CkksOperations::product_scale(const A& a, const B& b, const char* operation) const {
  const ContextData& level = level_of(a);
  const double scale = a.scale() * b.scale();
  if (!fits(scale, level)) {
    throw_invalid_argument(
        {operation,
         concat("a product of ", rlwe::describe_scale(scale), " from ", rlwe::describe(context_, a),
                " and ", rlwe::describe(context_, b)),
         scale_limit(level), "rescale the operands first, or use smaller scales or more primes"});
  }
  return scale;
}

template <typename T>
void CkksOperations::check_new_scale(const T& operand, double scale, const ContextData& level,
                                     const char* operation) const {
  if (fits(scale, level)) return;
  throw_invalid_argument({operation,
                          concat("a result of ", rlwe::describe_scale(scale), " at chain index ",
                                 level.chain_index(), " from ", rlwe::describe(context_, operand)),
                          scale_limit(level), "rescale it first, or stay at a higher level"});
}

// product_k = sum over i + j = k of a_i * b_j, one limb after the other so that operands stay in
// the cache.
void CkksOperations::tensor(const Ciphertext& a, const Ciphertext& b, Ciphertext& product) const {
  const Backend& backend = context_.backend();
  const ContextData& level = level_of(a);
  for (std::size_t limb = 0; limb < level.prime_count(); ++limb) {
    const PrimeIndices prime = level.primes().subspan(limb, 1);
    for (std::size_t k = 0; k < product.size(); ++k) {
      const NttView sum = product.ntt_view_for_writing(k).part(limb, 1);
      const std::size_t first = k < b.size() ? 0 : k - b.size() + 1;
      const std::size_t last = std::min(k, a.size() - 1);
      for (std::size_t i = first; i <= last; ++i) {
        const ConstNttView x = a.ntt_view(i).part(limb, 1);
        const ConstNttView y = b.ntt_view(k - i).part(limb, 1);
        if (i == first) {
          backend.multiply(sum, x, y, prime);
        } else {
          backend.multiply_add(sum, x, y, sum, prime);
        }
      }
    }
  }
}

// The same for b = a: each mixed product once, doubled.
void CkksOperations::tensor_square(const Ciphertext& a, Ciphertext& product) const {
  const Backend& backend = context_.backend();
  const ContextData& level = level_of(a);
  for (std::size_t limb = 0; limb < level.prime_count(); ++limb) {
    const PrimeIndices prime = level.primes().subspan(limb, 1);
    for (std::size_t k = 0; k < product.size(); ++k) {
      const NttView sum = product.ntt_view_for_writing(k).part(limb, 1);
      const std::size_t first = k < a.size() ? 0 : k - a.size() + 1;
      for (std::size_t i = first; 2 * i < k; ++i) {
        const ConstNttView x = a.ntt_view(i).part(limb, 1);
        const ConstNttView y = a.ntt_view(k - i).part(limb, 1);
        if (i == first) {
          backend.multiply(sum, x, y, prime);
        } else {
          backend.multiply_add(sum, x, y, sum, prime);
        }
      }
      const bool has_mixed = 2 * first < k;
      if (has_mixed) backend.add(sum, sum, sum, prime);
      if (k % 2 != 0) continue;
      const ConstNttView x = a.ntt_view(k / 2).part(limb, 1);
      if (has_mixed) {
        backend.multiply_add(sum, x, x, sum, prime);
      } else {
        backend.multiply(sum, x, x, prime);
      }
    }
  }
}

void CkksOperations::multiply(const Ciphertext& a, const Ciphertext& b,
                              Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::multiply";
  const std::size_t size = a.size() + b.size() - 1;
  check_product_size(size, kOperation);
  const double scale = product_scale(a, b, kOperation);
  const ContextData& level = level_of(a);
  if (schemes::product_is_nonzero(a.ntt_view(a.size() - 1), b.ntt_view(b.size() - 1))) {
    ElementwiseResult result(destination, level, size, a, b);
    tensor(a, b, result.ciphertext());
    result.commit(scale);
    return;
  }
  // The last polynomial vanishes: only the whole product shows whether the result is transparent.
  Ciphertext result(level, size);
  tensor(a, b, result);
  schemes::check_not_transparent(result, kOperation);
  result.scale() = scale;
  destination = std::move(result);
}

void CkksOperations::square(const Ciphertext& a, Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::square";
  const std::size_t size = 2 * a.size() - 1;
  check_product_size(size, kOperation);
  const double scale = product_scale(a, a, kOperation);
  // In each place residues form a field: a square is transparent only if its operand is.
  schemes::check_not_transparent(a, kOperation);
  ElementwiseResult result(destination, level_of(a), size, a, a);
  tensor_square(a, result.ciphertext());
  result.commit(scale);
}

void CkksOperations::add_or_subtract_plain(const Ciphertext& a, const Plaintext& plain, Sign sign,
                                           Ciphertext& destination) const {
  const char* operation = sign == Sign::plus ? "Evaluator::add_plain" : "Evaluator::sub_plain";
  rlwe::check_same_scale(context_, a, plain, operation);
  schemes::check_not_transparent(a, operation);
  const ContextData& level = level_of(a);
  const double scale = a.scale();
  ElementwiseResult result(destination, level, a.size());
  const NttView c0 = result.ciphertext().ntt_view_for_writing(0);
  if (sign == Sign::plus) {
    context_.backend().add(c0, a.ntt_view(0), plain.ntt_view(), level.primes());
  } else {
    context_.backend().subtract(c0, a.ntt_view(0), plain.ntt_view(), level.primes());
  }
  for (std::size_t k = 1; k < a.size(); ++k) {
    schemes::copy(result.ciphertext().ntt_view_for_writing(k), a.ntt_view(k));
  }
  result.commit(scale);
}

void CkksOperations::multiply_plain(const Ciphertext& a, const Plaintext& plain,
                                    Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::multiply_plain";
  const double scale = product_scale(a, plain, kOperation);
  bool transparent = true;
  for (std::size_t k = 1; k < a.size() && transparent; ++k) {
    transparent = !schemes::product_is_nonzero(a.ntt_view(k), plain.ntt_view());
  }
  if (transparent) schemes::throw_transparent(kOperation);
  const ContextData& level = level_of(a);
  ElementwiseResult result(destination, level, a.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    context_.backend().multiply(result.ciphertext().ntt_view_for_writing(k), a.ntt_view(k),
                                plain.ntt_view(), level.primes());
  }
  result.commit(scale);
}

void CkksOperations::rescale(const Ciphertext& a, const ContextData& target,
                             Ciphertext& destination, const char* operation) const {
  const ContextData& top = level_of(a);
  double scale = a.scale();
  for (std::size_t i = top.prime_count(); i > target.prime_count(); --i) {
    scale /= static_cast<double>(top.coeff_modulus()[i - 1].value());
  }
  check_new_scale(a, scale, target, operation);
  Ciphertext current;
  const Ciphertext* operand = &a;
  for (const ContextData* level = &top; level != &target; level = level->next_context_data()) {
    Ciphertext result(*level->next_context_data(), a.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      context_.backend().divide_and_round_by_last(result.ntt_view_for_writing(k),
                                                  operand->ntt_view(k), level->primes());
    }
    current = std::move(result);
    operand = &current;
  }
  schemes::check_not_transparent(current, operation);
  current.scale() = scale;
  destination = std::move(current);
}

void CkksOperations::mod_switch(const Ciphertext& a, const ContextData& target,
                                Ciphertext& destination, const char* operation) const {
  check_new_scale(a, a.scale(), target, operation);
  Ciphertext result(target, a.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    schemes::copy(result.ntt_view_for_writing(k), a.ntt_view(k));
  }
  schemes::check_not_transparent(result, operation);
  result.scale() = a.scale();
  destination = std::move(result);
}

void CkksOperations::mod_switch(const Plaintext& plain, const ContextData& target,
                                Plaintext& destination, const char* operation) const {
  check_new_scale(plain, plain.scale(), target, operation);
  Plaintext result(target);
  schemes::copy(result.ntt_view_for_writing(), plain.ntt_view());
  result.scale() = plain.scale();
  destination = std::move(result);
}

}  // namespace

std::unique_ptr<const SchemeOperations> make_ckks_operations(const Context& context) {
  return std::make_unique<const CkksOperations>(context);
}

}  // namespace ringlet
