// SPDX-License-Identifier: Apache-2.0
#include "rlwe/key_switch.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "ring/reinterpret.hpp"
#include "ringlet/backend.hpp"
#include "ringlet/rns_poly.hpp"
#include "rlwe/encrypt_zero.hpp"
#include "rlwe/key_switch_plan.hpp"

namespace ringlet::rlwe {
namespace {

// Digits that are lifted before their products are added: such a sum is reduced once, and its limbs
// still fit the cache. With few digits this does not pay for the memory.
constexpr std::size_t kDigitsAtOnce = 4;

std::size_t digits_at_once(std::size_t digit_count) {
  return digit_count < kDigitsAtOnce ? 1 : kDigitsAtOnce;
}

/// Sums of digits times keys over the targets: the primes of the level and the special ones.
class InnerProduct {
 public:
  InnerProduct(const Context& context, const ContextData& level, const KSwitchKey& key)
      : backend_(context.backend()),
        level_(level),
        plan_(*level.key_switch_plan()),
        key_(key.prepared(backend_)),
        targets_(level.key_switch_primes()),
        sum_b_(targets_.size(), level.degree(), Secrecy::open, Contents::unspecified),
        sum_a_(targets_.size(), level.degree(), Secrecy::open, Contents::unspecified) {}

  /// `values` is the source in NTT form, or empty: then digits are lifted to their own primes too.
  void add(ConstCoeffView offset_digits, ConstNttView values);
  /// The same where digits have several primes; both are the source itself.
  void add_converted(ConstCoeffView coefficients, ConstNttView values);

  NttView sum_b() { return sum_b_.view_for_writing(backend_); }
  NttView sum_a() { return sum_a_.view_for_writing(backend_); }

 private:
  void add_target_by_target(ConstCoeffView offset_digits, ConstNttView values);
  void add_digit_by_digit(ConstCoeffView offset_digits, ConstNttView values);

  const Backend& backend_;
  const ContextData& level_;
  const KeySwitchPlan& plan_;
  const PreparedKey& key_;
  PrimeIndices targets_;
  NttPoly sum_b_;
  NttPoly sum_a_;
};

void InnerProduct::add(ConstCoeffView offset_digits, ConstNttView values) {
  if (backend_.memory() == nullptr) {
    add_target_by_target(offset_digits, values);
  } else {
    add_digit_by_digit(offset_digits, values);
  }
}

// The scratch limbs and the two sums stay in the cache over all digits.
void InnerProduct::add_target_by_target(ConstCoeffView offset_digits, ConstNttView values) {
  const std::size_t count = plan_.digits().size();
  const std::size_t at_once = digits_at_once(count);
  NttPoly scratch(at_once, level_.degree(), Secrecy::open, Contents::unspecified);
  const NttView limbs = scratch.view_for_writing(backend_);
  std::array<ConstNttView, kDigitsAtOnce> lifted;
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    const PrimeIndices prime = targets_.subspan(t, 1);
    for (std::size_t first = 0; first < count; first += at_once) {
      const std::size_t group = std::min(at_once, count - first);
      for (std::size_t k = 0; k < group; ++k) {
        const std::size_t j = first + k;
        if (j == t && values.limb_count != 0) {
          lifted[k] = values.part(j, 1);  // modulo its own prime a digit is the source itself
        } else {
          backend_.lift_digit_to_ntt(limbs.part(k, 1), offset_digits.limb(j), j, prime);
          lifted[k] = limbs.part(k, 1);
        }
      }
      backend_.key_inner_product(sum_b().part(t, 1), sum_a().part(t, 1),
                                 std::span(lifted).first(group), first, key_, prime);
    }
  }
}

// Few calls with much work: all digits are lifted to all targets, and their products added at once.
void InnerProduct::add_digit_by_digit(ConstCoeffView offset_digits, ConstNttView values) {
  const std::size_t count = plan_.digits().size();
  std::vector<NttPoly> lifted;
  std::vector<ConstNttView> views;
  for (std::size_t j = 0; j < count; ++j) {
    lifted.emplace_back(targets_.size(), level_.degree(), Secrecy::open, Contents::unspecified);
    const NttView all = lifted.back().view_for_writing(backend_);
    const auto lift = [&](std::size_t first, std::size_t end) {
      if (first == end) return;
      backend_.lift_digit_to_ntt(all.part(first, end - first), offset_digits.limb(j), j,
                                 targets_.subspan(first, end - first));
    };
    if (values.limb_count != 0) {
      lift(0, j);
      backend_.copy(all.part(j, 1), values.part(j, 1));
      lift(j + 1, targets_.size());
    } else {
      lift(0, targets_.size());
    }
    views.push_back(all);
  }
  backend_.key_inner_product(sum_b(), sum_a(), views, 0, key_, targets_);
}

void InnerProduct::add_converted(ConstCoeffView coefficients, ConstNttView values) {
  NttPoly lifted(targets_.size(), level_.degree(), Secrecy::open, Contents::unspecified);
  const NttView all = lifted.view_for_writing(backend_);
  for (std::size_t j = 0; j < plan_.digits().size(); ++j) {
    const KeySwitchDigit& digit = plan_.digits()[j];
    backend_.copy(all.part(digit.first, digit.count), values.part(digit.first, digit.count));
    CoeffPoly converted(targets_.size() - digit.count, level_.degree(), Secrecy::open,
                        Contents::unspecified);
    backend_.convert_basis(converted.view_for_writing(backend_),
                           coefficients.part(digit.first, digit.count), *digit.lift);
    // The other targets lie before and behind the digit's own primes.
    const auto transform = [&](std::size_t target, std::size_t from, std::size_t count) {
      if (count == 0) return;
      backend_.forward_ntt(all.part(target, count), converted.view(backend_).part(from, count),
                           targets_.subspan(target, count));
    };
    const std::size_t behind = digit.first + digit.count;
    transform(0, 0, digit.first);
    transform(behind, digit.first, targets_.size() - behind);
    const ConstNttView operand = all;
    backend_.key_inner_product(sum_b(), sum_a(), {&operand, 1}, j, key_, targets_);
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

bool has_single_prime_digits(const ContextData& level) {
  return !level.key_switch_plan()->digits().front().lift.has_value();
}

}  // namespace

void add_key_switched(const Context& context, const ContextData& level, ConstNttView source,
                      const KSwitchKey& key, NttView c0, NttView c1) {
  const Backend& backend = context.backend();
  const PrimeIndices primes = level.primes();
  InnerProduct product(context, level, key);
  CoeffPoly digits(level.prime_count(), level.degree(), Secrecy::open, Contents::unspecified);
  const CoeffView coefficients = digits.view_for_writing(backend);
  if (has_single_prime_digits(level)) {
    backend.inverse_ntt_to_digits(coefficients, source, primes);
    product.add(coefficients, source);
  } else {
    backend.inverse_ntt(coefficients, source, primes);
    product.add_converted(coefficients, source);
  }
  backend.add(c0, c0, divide_by_special(context, level, product.sum_b()), primes);
  backend.add(c1, c1, divide_by_special(context, level, product.sum_a()), primes);
}

void add_key_switched(const Context& context, const ContextData& level, ConstCoeffView source,
                      const KSwitchKey& key, CoeffView c0, CoeffView c1) {
  const Backend& backend = context.backend();
  const PrimeIndices primes = level.primes();
  InnerProduct product(context, level, key);
  if (has_single_prime_digits(level)) {
    CoeffPoly digits(level.prime_count(), level.degree(), Secrecy::open, Contents::unspecified);
    backend.to_digits(digits.view_for_writing(backend), source, primes);
    product.add(digits.view(backend), {});
  } else {
    NttPoly values(level.prime_count(), level.degree(), Secrecy::open, Contents::unspecified);
    backend.forward_ntt(values.view_for_writing(backend), source, primes);
    product.add_converted(source, values.view(backend));
  }
  const auto add_quotient = [&](CoeffView c, NttView sum) {
    const CoeffView coefficients = as_coefficients(sum);
    backend.inverse_ntt(coefficients, sum, level.key_switch_primes());
    backend.add(c, c, divide_by_special(context, level, coefficients), primes);
  };
  add_quotient(c0, product.sum_b());
  add_quotient(c1, product.sum_a());
}

}  // namespace ringlet::rlwe
