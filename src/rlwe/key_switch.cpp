// SPDX-License-Identifier: Apache-2.0
#include "rlwe/key_switch.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

#include "ring/reinterpret.hpp"
#include "ringlet/backend.hpp"
#include "ringlet/key_switch_source.hpp"
#include "ringlet/rns_poly.hpp"
#include "rlwe/encrypt_zero.hpp"
#include "rlwe/key_switch_plan.hpp"

namespace ringlet::rlwe {
namespace {

bool has_single_prime_digits(const ContextData& level) {
  return !level.key_switch_plan()->digits().front().lift.has_value();
}

/// Sums of digits times keys over the targets: the primes of the level and the special ones.
class KeySwitchSums {
 public:
  KeySwitchSums(const Context& context, const ContextData& level, const KSwitchKey& key)
      : backend_(context.backend()),
        level_(level),
        key_(key.prepared(backend_)),
        sum_b_(level.key_switch_primes().size(), level.degree(), Secrecy::open,
               Contents::unspecified),
        sum_a_(level.key_switch_primes().size(), level.degree(), Secrecy::open,
               Contents::unspecified) {}

  /// The digits of the source.
  void add(ConstNttView source);
  void add(ConstCoeffView source);

  NttView sum_b() { return sum_b_.view_for_writing(backend_); }
  NttView sum_a() { return sum_a_.view_for_writing(backend_); }

 private:
  /// Offset digits where they are single primes, else coefficients; `values` as KeySwitchSource.
  void add(ConstCoeffView coefficients, ConstNttView values) {
    backend_.multiply_digits_by_key(sum_b(), sum_a(),
                                    {level_.key_switch_plan()->digits(), coefficients, values},
                                    key_, level_.key_switch_primes());
  }

  const Backend& backend_;
  const ContextData& level_;
  const PreparedKey& key_;
  NttPoly sum_b_;
  NttPoly sum_a_;
};

void KeySwitchSums::add(ConstNttView source) {
  CoeffPoly digits(level_.prime_count(), level_.degree(), Secrecy::open, Contents::unspecified);
  const CoeffView coefficients = digits.view_for_writing(backend_);
  if (has_single_prime_digits(level_)) {
    backend_.inverse_ntt_to_digits(coefficients, source, level_.primes());
  } else {
    backend_.inverse_ntt(coefficients, source, level_.primes());
  }
  add(coefficients, source);
}

void KeySwitchSums::add(ConstCoeffView source) {
  if (has_single_prime_digits(level_)) {
    CoeffPoly digits(level_.prime_count(), level_.degree(), Secrecy::open, Contents::unspecified);
    backend_.to_digits(digits.view_for_writing(backend_), source, level_.primes());
    add(digits.view(backend_), {});
  } else {
    NttPoly values(level_.prime_count(), level_.degree(), Secrecy::open, Contents::unspecified);
    backend_.forward_ntt(values.view_for_writing(backend_), source, level_.primes());
    add(source, values.view(backend_));
  }
}

// sum / P, rounded; over the primes of the level, in the place of the sum's first limbs.
template <Form F>
PolyView<F> divide_by_special(const Context& context, const ContextData& level, PolyView<F> sum) {
  const Backend& backend = context.backend();
  const PolyView<F> quotient = sum.first(level.prime_count());
  const std::uint64_t preserve = noise_factor(context);
  const auto& conversion = level.key_switch_plan()->from_special();
  if (conversion) {
    backend.divide_and_round(quotient, sum, level.key_switch_primes(), *conversion, preserve);
  } else {
    backend.divide_and_round_by_last(quotient, sum, level.key_switch_primes(), preserve);
  }
  return quotient;
}

// sum += a * scalars[i] over the primes of the level.
void add_multiple(const Backend& backend, const ContextData& level, ConstNttView a,
                  std::span<const std::uint64_t> scalars, NttView sum) {
  const NttView part = sum.first(level.prime_count());
  backend.multiply_scalars_add(part, a, part, scalars, level.primes());
}

}  // namespace

void add_key_switched(const Context& context, const ContextData& level, ConstNttView source,
                      const KSwitchKey& key, NttView c0, NttView c1) {
  const Backend& backend = context.backend();
  KeySwitchSums sums(context, level, key);
  sums.add(source);
  backend.add(c0, c0, divide_by_special(context, level, sums.sum_b()), level.primes());
  backend.add(c1, c1, divide_by_special(context, level, sums.sum_a()), level.primes());
}

void add_key_switched(const Context& context, const ContextData& level, ConstCoeffView source,
                      const KSwitchKey& key, CoeffView c0, CoeffView c1) {
  const Backend& backend = context.backend();
  KeySwitchSums sums(context, level, key);
  sums.add(source);
  const auto add_quotient = [&](CoeffView c, NttView sum) {
    const CoeffView coefficients = as_coefficients(sum);
    backend.inverse_ntt(coefficients, sum, level.key_switch_primes());
    backend.add(c, c, divide_by_special(context, level, coefficients), level.primes());
  };
  add_quotient(c0, sums.sum_b());
  add_quotient(c1, sums.sum_a());
}

void relinearize_and_rescale(const Context& context, const ContextData& level,
                             std::span<const ConstNttView> polynomials,
                             std::span<const KSwitchKey* const> keys, NttView result_0,
                             NttView result_1) {
  const Backend& backend = context.backend();
  const PrimeIndices targets = level.key_switch_primes();
  KeySwitchSums sums(context, level, *keys.front());
  sums.add(polynomials[2]);
  for (std::size_t k = 1; k < keys.size(); ++k) {
    KeySwitchSums more(context, level, *keys[k]);
    more.add(polynomials[k + 2]);
    backend.add(sums.sum_b(), sums.sum_b(), more.sum_b(), targets);
    backend.add(sums.sum_a(), sums.sum_a(), more.sum_a(), targets);
  }
  const KeySwitchRescaling& rescaling = *level.key_switch_plan()->rescaling();
  add_multiple(backend, level, polynomials[0], rescaling.special_product, sums.sum_b());
  add_multiple(backend, level, polynomials[1], rescaling.special_product, sums.sum_a());
  backend.divide_and_round(result_0, sums.sum_b(), targets, rescaling.conversion);
  backend.divide_and_round(result_1, sums.sum_a(), targets, rescaling.conversion);
}

}  // namespace ringlet::rlwe
