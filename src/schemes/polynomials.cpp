// SPDX-License-Identifier: Apache-2.0
#include "schemes/polynomials.hpp"

#include <algorithm>
#include <utility>

#include "ringlet/backend.hpp"
#include "ringlet/error.hpp"
#include "ringlet/modular.hpp"

namespace ringlet::schemes {
namespace {

bool has_shape(const Ciphertext& ciphertext, const ContextData& level, std::size_t size) {
  return ciphertext.is_ntt_form() && ciphertext.size() == size &&
         ciphertext.parms_id() == level.parms_id();
}

bool is_zero(ConstNttView a) {
  for (std::size_t i = 0; i < a.limb_count; ++i) {
    if (!std::ranges::all_of(a.limb(i), [](std::uint64_t word) { return word == 0; })) return false;
  }
  return true;
}

// a = -b (plus) or a = b (minus); stops at the first difference.
bool cancels(ConstNttView a, ConstNttView b, Sign sign, const ContextData& level) {
  for (std::size_t i = 0; i < a.limb_count; ++i) {
    const std::uint64_t q = level.coeff_modulus()[i].value();
    const auto x = a.limb(i);
    const auto y = b.limb(i);
    for (std::size_t t = 0; t < x.size(); ++t) {
      if (x[t] != (sign == Sign::plus ? negate_mod(y[t], q) : y[t])) return false;
    }
  }
  return true;
}

bool sum_is_transparent(const ContextData& level, const Ciphertext& a, const Ciphertext& b,
                        Sign sign) {
  const std::size_t common = std::min(a.size(), b.size());
  const Ciphertext& longer = a.size() > b.size() ? a : b;
  for (std::size_t k = 1; k < common; ++k) {
    if (!cancels(a.ntt_view(k), b.ntt_view(k), sign, level)) return false;
  }
  for (std::size_t k = common; k < longer.size(); ++k) {
    if (!is_zero(longer.ntt_view(k))) return false;
  }
  return true;
}

}  // namespace

ElementwiseResult::ElementwiseResult(Ciphertext& destination, const ContextData& level,
                                     std::size_t size)
    : destination_(destination), is_fresh_(!has_shape(destination, level, size)) {
  if (is_fresh_) fresh_ = Ciphertext(level, size);
}

ElementwiseResult::ElementwiseResult(Ciphertext& destination, const ContextData& level,
                                     std::size_t size, const Ciphertext& a, const Ciphertext& b)
    : destination_(destination),
      is_fresh_(&destination == &a || &destination == &b || !has_shape(destination, level, size)) {
  if (is_fresh_) fresh_ = Ciphertext(level, size);
}

void ElementwiseResult::commit(double scale) {
  if (is_fresh_) destination_ = std::move(fresh_);
  destination_.scale() = scale;
}

void copy(NttView destination, ConstNttView source) {
  if (destination.data == source.data) return;
  for (std::size_t i = 0; i < destination.limb_count; ++i) {
    std::ranges::copy(source.limb(i), destination.limb(i).begin());
  }
}

void negate(const Context& context, const ContextData& level, const Ciphertext& a,
            Ciphertext& destination) {
  check_not_transparent(a, "Evaluator::negate");
  const double scale = a.scale();
  ElementwiseResult result(destination, level, a.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    context.backend().negate(result.ciphertext().ntt_view_for_writing(k), a.ntt_view(k),
                             level.primes());
  }
  result.commit(scale);
}

void add(const Context& context, const ContextData& level, const Ciphertext& a, const Ciphertext& b,
         Sign sign, Ciphertext& destination) {
  if (sum_is_transparent(level, a, b, sign)) {
    throw_transparent(sign == Sign::plus ? "Evaluator::add" : "Evaluator::sub");
  }
  const Backend& backend = context.backend();
  const PrimeIndices primes = level.primes();
  const double scale = a.scale();
  const std::size_t common = std::min(a.size(), b.size());
  const std::size_t size = std::max(a.size(), b.size());
  ElementwiseResult result(destination, level, size);
  for (std::size_t k = 0; k < size; ++k) {
    const NttView sum = result.ciphertext().ntt_view_for_writing(k);
    if (k < common && sign == Sign::plus) {
      backend.add(sum, a.ntt_view(k), b.ntt_view(k), primes);
    } else if (k < common) {
      backend.subtract(sum, a.ntt_view(k), b.ntt_view(k), primes);
    } else if (k < a.size()) {
      copy(sum, a.ntt_view(k));
    } else if (sign == Sign::plus) {
      copy(sum, b.ntt_view(k));
    } else {
      backend.negate(sum, b.ntt_view(k), primes);
    }
  }
  result.commit(scale);
}

void add_many(const Context& context, const ContextData& level,
              std::span<const Ciphertext> operands, Ciphertext& destination) {
  std::size_t size = 0;
  for (const Ciphertext& operand : operands) size = std::max(size, operand.size());
  Ciphertext sum(level, size);
  for (const Ciphertext& operand : operands) {
    for (std::size_t k = 0; k < operand.size(); ++k) {
      const NttView partial = sum.ntt_view_for_writing(k);
      context.backend().add(partial, partial, operand.ntt_view(k), level.primes());
    }
  }
  sum.scale() = operands.front().scale();
  check_not_transparent(sum, "Evaluator::add_many");
  destination = std::move(sum);
}

void throw_transparent(const char* operation) {
  throw_logic_error({operation, "a transparent result: its polynomials 1 and up are all zero",
                     "results that need the secret key to be read",
                     "do not subtract a ciphertext from itself or multiply it by zero; where zero "
                     "is meant, encrypt it"});
}

void check_not_transparent(const Ciphertext& result, const char* operation) {
  if (result.is_transparent()) throw_transparent(operation);
}

bool product_is_nonzero(ConstNttView a, ConstNttView b) {
  for (std::size_t i = 0; i < a.limb_count; ++i) {
    const auto x = a.limb(i);
    const auto y = b.limb(i);
    for (std::size_t t = 0; t < x.size(); ++t) {
      if (x[t] != 0 && y[t] != 0) return true;
    }
  }
  return false;
}

}  // namespace ringlet::schemes
