// SPDX-License-Identifier: Apache-2.0
#include "schemes/evaluator/polynomials.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/inline_vector.hpp"
#include "ringlet/arith/modular.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/ring/backend.hpp"
#include "rlwe/checks.hpp"

namespace ringlet::schemes {
namespace {

bool has_shape(const Ciphertext& ciphertext, const ContextData& level, std::size_t size,
               Form form) {
  return ciphertext.form() == form && ciphertext.size() == size &&
         ciphertext.parms_id() == level.parms_id();
}

bool is_zero(ConstResidueView a) {
  for (std::size_t i = 0; i < a.limb_count; ++i) {
    if (!std::ranges::all_of(a.limb(i), [](std::uint64_t word) { return word == 0; })) return false;
  }
  return true;
}

// Returns whether a = -b (plus) or a = b (minus); stops at the first difference.
bool cancels(ConstResidueView a, ConstResidueView b, Sign sign, const ContextData& level) {
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
    if (!cancels(a.view(k), b.view(k), sign, level)) return false;
  }
  for (std::size_t k = common; k < longer.size(); ++k) {
    if (!is_zero(longer.view(k))) return false;
  }
  return true;
}

void divide_by_last(const Backend& backend, PrimeIndices primes, const Ciphertext& a,
                    Ciphertext& quotient, std::uint64_t preserve) {
  const auto divide = [&](const auto& to, const auto& from) {
    InlineVector<decltype(to(0)), kMaxCiphertextSize> quotients;
    InlineVector<decltype(from(0)), kMaxCiphertextSize> dividends;
    for (std::size_t k = 0; k < a.size(); ++k) {
      quotients.push_back(to(k));
      dividends.push_back(from(k));
    }
    backend.divide_and_round_each(std::span(quotients.begin(), quotients.end()),
                                  std::span(dividends.begin(), dividends.end()), primes, nullptr,
                                  preserve);
  };
  if (a.is_ntt_form()) {
    divide([&](std::size_t k) { return quotient.ntt_view_for_writing(k, backend); },
           [&](std::size_t k) { return a.ntt_view(k, backend); });
  } else {
    divide([&](std::size_t k) { return quotient.coeff_view_for_writing(k, backend); },
           [&](std::size_t k) { return a.coeff_view(k, backend); });
  }
}

}  // namespace

ElementwiseResult::ElementwiseResult(const Context& context, Ciphertext& destination,
                                     const ContextData& level, std::size_t size, Form form,
                                     bool may_reuse)
    : context_(context),
      destination_(destination),
      is_fresh_(!may_reuse || destination.is_vacant() || !is_on_host(context) ||
                !has_shape(destination, level, size, form)) {
  if (is_fresh_) fresh_ = destination.new_result(level, size, form);
}

void ElementwiseResult::commit(const KeyId& key_id, double scale, std::uint64_t correction_factor) {
  const KeyId id = key_id;  // it may be that of the destination
  if (is_fresh_) destination_ = std::move(fresh_);
  destination_.key_id() = id;
  destination_.scale() = scale;
  destination_.correction_factor() = correction_factor;
  destination_.check_on_host(!is_on_host(context_) && !context_.allows_transparent_results());
}

bool is_on_host(const Context& context) { return context.backend().memory() == nullptr; }

bool refuses_transparent_here(const Context& context) {
  return is_on_host(context) && !context.allows_transparent_results();
}

void negate(const Context& context, const ContextData& level, const Ciphertext& a,
            Ciphertext& destination) {
  check_operand_not_transparent(context, a);
  const Backend& backend = context.backend();
  const double scale = a.scale();
  const std::uint64_t factor = a.correction_factor();
  ElementwiseResult result(context, destination, level, a.size(), a.form());
  for (std::size_t k = 0; k < a.size(); ++k) {
    backend.negate(result.ciphertext().view_for_writing(k, backend), a.view(k, backend),
                   level.primes());
  }
  result.commit(a.key_id(), scale, factor);
}

void add(const Context& context, const ContextData& level, const Ciphertext& a, const Ciphertext& b,
         Sign sign, Ciphertext& destination) {
  if (refuses_transparent_here(context) && sum_is_transparent(level, a, b, sign)) {
    rlwe::throw_transparent();
  }
  const Backend& backend = context.backend();
  const PrimeIndices primes = level.primes();
  const double scale = a.scale();
  const std::uint64_t factor = a.correction_factor();
  const std::size_t common = std::min(a.size(), b.size());
  const std::size_t size = std::max(a.size(), b.size());
  ElementwiseResult result(context, destination, level, size, a.form());
  for (std::size_t k = 0; k < size; ++k) {
    const ResidueView sum = result.ciphertext().view_for_writing(k, backend);
    if (k < common && sign == Sign::plus) {
      backend.add(sum, a.view(k, backend), b.view(k, backend), primes);
    } else if (k < common) {
      backend.subtract(sum, a.view(k, backend), b.view(k, backend), primes);
    } else if (k < a.size()) {
      backend.copy(sum, a.view(k, backend));
    } else if (sign == Sign::plus) {
      backend.copy(sum, b.view(k, backend));
    } else {
      backend.negate(sum, b.view(k, backend), primes);
    }
  }
  result.commit(rlwe::common_key(a.key_id(), b.key_id()), scale, factor);
}

void add_to_first(const Context& context, const Ciphertext& a, ConstResidueView message, Sign sign,
                  Ciphertext& destination) {
  const Backend& backend = context.backend();
  const ContextData& level = *context.get_context_data(a.parms_id());
  const double scale = a.scale();
  const std::uint64_t factor = a.correction_factor();
  ElementwiseResult result(context, destination, level, a.size(), a.form());
  const ResidueView c0 = result.ciphertext().view_for_writing(0, backend);
  if (sign == Sign::plus) {
    backend.add(c0, a.view(0, backend), message, level.primes());
  } else {
    backend.subtract(c0, a.view(0, backend), message, level.primes());
  }
  for (std::size_t k = 1; k < a.size(); ++k) {
    backend.copy(result.ciphertext().view_for_writing(k, backend), a.view(k, backend));
  }
  result.commit(a.key_id(), scale, factor);
}

void accumulate(const Context& context, const ContextData& level,
                std::span<const Ciphertext> operands, Ciphertext& sum) {
  const Backend& backend = context.backend();
  for (const Ciphertext& operand : operands) {
    for (std::size_t k = 0; k < operand.size(); ++k) {
      const ResidueView partial = sum.view_for_writing(k, backend);
      backend.add(partial, partial, operand.view(k, backend), level.primes());
    }
  }
  for (const Ciphertext& operand : operands) {
    sum.key_id() = rlwe::common_key(sum.key_id(), operand.key_id());
  }
  sum.scale() = operands.front().scale();
  sum.correction_factor() = operands.front().correction_factor();
}

void drop_primes(const Context& context, const ContextData& target, const Ciphertext& a,
                 Ciphertext& destination) {
  const Backend& backend = context.backend();
  const auto kept = [&](std::size_t k) { return a.view(k, backend).first(target.prime_count()); };
  bool is_transparent = refuses_transparent_here(context);
  for (std::size_t k = 1; is_transparent && k < a.size(); ++k) is_transparent = is_zero(kept(k));
  if (is_transparent) rlwe::throw_transparent();
  ElementwiseResult result(context, destination, target, a.size(), a.form(), &destination != &a);
  for (std::size_t k = 0; k < a.size(); ++k) {
    backend.copy(result.ciphertext().view_for_writing(k, backend), kept(k));
  }
  result.commit(a.key_id(), a.scale(), a.correction_factor());
}

Ciphertext mod_switch_divide_to(const Context& context, const ContextData& target,
                                const Ciphertext& a, Ciphertext& destination,
                                std::uint64_t preserve) {
  Ciphertext current;
  const Ciphertext* operand = &a;
  for (const ContextData* level = context.get_context_data(a.parms_id()); level != &target;
       level = level->next_context_data()) {
    Ciphertext quotient = destination.new_result(*level->next_context_data(), a.size(), a.form());
    divide_by_last(context.backend(), level->primes(), *operand, quotient, preserve);
    current = std::move(quotient);
    operand = &current;
  }
  current.key_id() = a.key_id();
  check_not_transparent(context, current);
  return current;
}

void take_over(const Context& context, Ciphertext& result, const Ciphertext& operand) {
  result.key_id() = operand.key_id();
  result.scale() = operand.scale();
  result.correction_factor() = operand.correction_factor();
  check_not_transparent(context, result);
}

void multiply_scalar(const Context& context, const ContextData& level, const Ciphertext& a,
                     std::int64_t factor, Ciphertext& destination) {
  InlineVector<std::uint64_t, kMaxCoeffModulusCount> scalars;
  for (const Modulus& q : level.coeff_modulus()) {
    const std::uint64_t size = q.reduce(static_cast<std::uint64_t>(std::abs(factor)));
    scalars.push_back(factor < 0 ? negate_mod(size, q.value()) : size);
  }
  const Backend& backend = context.backend();
  const double scale = a.scale();
  const std::uint64_t correction_factor = a.correction_factor();
  ElementwiseResult result(context, destination, level, a.size(), a.form());
  for (std::size_t k = 0; k < a.size(); ++k) {
    backend.multiply_scalars(result.ciphertext().view_for_writing(k, backend), a.view(k, backend),
                             scalars, level.primes());
  }
  result.commit(a.key_id(), scale, correction_factor);
}

void check_not_transparent(const Context& context, Ciphertext& result) {
  if (refuses_transparent_here(context) && result.is_transparent()) rlwe::throw_transparent();
  result.check_on_host(!is_on_host(context) && !context.allows_transparent_results());
}

void check_operand_not_transparent(const Context& context, const Ciphertext& a) {
  if (refuses_transparent_here(context) && a.is_transparent()) rlwe::throw_transparent();
}

bool product_is_nonzero(ConstResidueView a, ConstResidueView b) {
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
