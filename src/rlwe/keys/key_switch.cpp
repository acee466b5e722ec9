// SPDX-License-Identifier: Apache-2.0
#include "rlwe/keys/key_switch.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ring/backend/reinterpret.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/key_switch_source.hpp"
#include "ringlet/ring/rns_poly.hpp"
#include "rlwe/keys/key_switch_plan.hpp"
#include "rlwe/random/encrypt_zero.hpp"

namespace ringlet::rlwe {
namespace {

bool has_single_prime_digits(const ContextData& level) {
  return !level.key_switch_plan()->digits().front().lift.has_value();
}

/// Sums digits times keys over the targets: the primes of the level and the special ones.
class GadgetProducts {
 public:
  GadgetProducts(const Context& context, const ContextData& level, const KSwitchKey& key)
      : backend_(context.backend()),
        level_(level),
        key_(key.prepared(backend_)),
        sum_b_(backend_, level.key_switch_primes().size(), Secrecy::open, Contents::unspecified),
        sum_a_(backend_, level.key_switch_primes().size(), Secrecy::open, Contents::unspecified) {}

  /// Add the digits of the source.
  void add(ConstNttView source);
  void add(ConstCoeffView source);

  NttView sum_b() { return sum_b_.view_for_writing(backend_); }
  NttView sum_a() { return sum_a_.view_for_writing(backend_); }

 private:
  /// `coefficients` are offset digits if digits are single primes; `values` as in KeySwitchSource.
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

void GadgetProducts::add(ConstNttView source) {
  CoeffPoly digits(backend_, level_.prime_count(), Secrecy::open, Contents::unspecified);
  const CoeffView coefficients = digits.view_for_writing(backend_);
  if (has_single_prime_digits(level_)) {
    backend_.inverse_ntt_to_digits(coefficients, source, level_.primes());
  } else {
    backend_.inverse_ntt(coefficients, source, level_.primes());
  }
  add(coefficients, source);
}

void GadgetProducts::add(ConstCoeffView source) {
  if (has_single_prime_digits(level_)) {
    CoeffPoly digits(backend_, level_.prime_count(), Secrecy::open, Contents::unspecified);
    backend_.to_digits(digits.view_for_writing(backend_), source, level_.primes());
    add(digits.view(backend_), {});
  } else {
    NttPoly values(backend_, level_.prime_count(), Secrecy::open, Contents::unspecified);
    backend_.forward_ntt(values.view_for_writing(backend_), source, level_.primes());
    add(source, values.view(backend_));
  }
}

// quotient = sum / P, rounded, over the primes of the level; it may be the sum's first limbs.
template <Form F>
void mod_down(const Context& context, const ContextData& level, PolyView<F> quotient,
              PolyView<F> sum) {
  const Backend& backend = context.backend();
  const std::uint64_t preserve = noise_factor(context);
  const auto& conversion = level.key_switch_plan()->from_special();
  if (conversion) {
    backend.divide_and_round(quotient, sum, level.key_switch_primes(), *conversion, preserve);
  } else {
    backend.divide_and_round_by_last(quotient, sum, level.key_switch_primes(), preserve);
  }
}

// sum += a * scalars[i] over the primes of the level.
void add_multiple(const Backend& backend, const ContextData& level, ConstNttView a,
                  std::span<const std::uint64_t> scalars, NttView sum) {
  const NttView part = sum.first(level.prime_count());
  backend.multiply_scalars_add(part, a, part, scalars, level.primes());
}

// Returns the sum in the form of the first argument.
NttView in_form_of(NttView, const Context&, const ContextData&, NttView sum) { return sum; }
CoeffView in_form_of(CoeffView, const Context& context, const ContextData& level, NttView sum) {
  const CoeffView coefficients = as_coefficients(sum);
  context.backend().inverse_ntt(coefficients, sum, level.key_switch_primes());
  return coefficients;
}

// c = sum / P.
template <Form F>
void set_quotient(const Context& context, const ContextData& level, PolyView<F> c, NttView sum) {
  mod_down(context, level, c, in_form_of(c, context, level, sum));
}

// c = a + sum / P.
template <Form F>
void add_quotient(const Context& context, const ContextData& level, PolyView<F> c,
                  ConstPolyView<F> a, NttView sum) {
  const PolyView<F> dividend = in_form_of(c, context, level, sum);
  const PolyView<F> quotient = dividend.first(level.prime_count());
  mod_down(context, level, quotient, dividend);
  context.backend().add(c, a, quotient, level.primes());
}

/// Switches several images of one polynomial.
class HoistedGadgetProducts {
 public:
  /// `coefficients` and `values` as in KeySwitchSource, in digits of one prime.
  HoistedGadgetProducts(const Context& context, const ContextData& level,
                        ConstCoeffView coefficients, ConstNttView values)
      : backend_(context.backend()),
        level_(level),
        coefficients_(coefficients),
        values_(values),
        lifted_(backend_, level.prime_count(), Secrecy::open, Contents::unspecified),
        moved_(backend_, level.prime_count(), Secrecy::open, Contents::unspecified) {}

  /// Goes target by target, so that the digits of one target stay in the cache over all images.
  template <Form F>
  void add_to(const Context& context, std::span<const SwitchedImage<F>> images) {
    std::vector<NttPoly> sums;
    for (std::size_t i = 0; i < 2 * images.size(); ++i) {
      sums.emplace_back(backend_, level_.key_switch_primes().size(), Secrecy::open,
                        Contents::unspecified);
    }
    for (std::size_t t = 0; t < level_.key_switch_primes().size(); ++t) {
      lift(t);
      for (std::size_t i = 0; i < images.size(); ++i) {
        add_products(t, images[i].galois_element, images[i].key->prepared(backend_),
                     sums[2 * i].view_for_writing(backend_),
                     sums[2 * i + 1].view_for_writing(backend_));
      }
    }
    for (std::size_t i = 0; i < images.size(); ++i) {
      add_quotient<F>(context, level_, images[i].c0, images[i].c0,
                      sums[2 * i].view_for_writing(backend_));
      set_quotient(context, level_, images[i].c1, sums[2 * i + 1].view_for_writing(backend_));
    }
  }

 private:
  void lift(std::size_t t) {
    const NttView lifted = lifted_.view_for_writing(backend_);
    const PrimeIndices prime = level_.key_switch_primes().subspan(t, 1);
    for (std::size_t j = 0; j < level_.prime_count(); ++j) {
      if (j == t && values_.limb_count != 0) {
        backend_.copy(lifted.part(j, 1), values_.part(j, 1));
      } else {
        backend_.lift_digit_to_ntt(lifted.part(j, 1), coefficients_.limb(j), j, prime);
      }
    }
  }

  void add_products(std::size_t t, std::uint64_t galois_element, const PreparedKey& key,
                    NttView sum_b, NttView sum_a) {
    const PrimeIndices prime = level_.key_switch_primes().subspan(t, 1);
    const NttView moved = moved_.view_for_writing(backend_);
    const std::vector<std::size_t> primes(level_.prime_count(), prime.front());
    backend_.automorphism(moved, lifted_.view(backend_), galois_element, primes);
    std::vector<ConstNttView> digits;
    for (std::size_t j = 0; j < level_.prime_count(); ++j) digits.push_back(moved.part(j, 1));
    backend_.key_inner_product(sum_b.part(t, 1), sum_a.part(t, 1), digits, 0, key, prime);
  }

  const Backend& backend_;
  const ContextData& level_;
  ConstCoeffView coefficients_;
  ConstNttView values_;
  NttPoly lifted_;  ///< The digits modulo one target.
  NttPoly moved_;   ///< The images of the digits.
};

}  // namespace

template <Form F>
void add_key_switched(const Context& context, const ContextData& level, ConstPolyView<F> source,
                      const KSwitchKey& key, const SwitchedSum<F>& sum) {
  GadgetProducts sums(context, level, key);
  sums.add(source);
  add_quotient<F>(context, level, sum.c0, sum.a0, sums.sum_b());
  add_quotient<F>(context, level, sum.c1, sum.a1, sums.sum_a());
}
template void add_key_switched(const Context&, const ContextData&, ConstNttView, const KSwitchKey&,
                               const SwitchedSum<Form::ntt>&);
template void add_key_switched(const Context&, const ContextData&, ConstCoeffView,
                               const KSwitchKey&, const SwitchedSum<Form::coefficient>&);

void add_key_switched(const Context& context, const ContextData& level, ConstNttView source,
                      const KSwitchKey& key, NttView c0, NttView c1) {
  add_key_switched<Form::ntt>(context, level, source, key, {c0, c1, c0, c1});
}

void add_key_switched(const Context& context, const ContextData& level, ConstCoeffView source,
                      const KSwitchKey& key, CoeffView c0, CoeffView c1) {
  add_key_switched<Form::coefficient>(context, level, source, key, {c0, c1, c0, c1});
}

template <Form F>
void switch_image(const Context& context, const ContextData& level, ConstPolyView<F> image,
                  const SwitchedImage<F>& result) {
  GadgetProducts sums(context, level, *result.key);
  sums.add(image);
  add_quotient<F>(context, level, result.c0, result.c0, sums.sum_b());
  set_quotient(context, level, result.c1, sums.sum_a());
}
template void switch_image(const Context&, const ContextData&, ConstNttView,
                           const SwitchedImage<Form::ntt>&);
template void switch_image(const Context&, const ContextData&, ConstCoeffView,
                           const SwitchedImage<Form::coefficient>&);

bool has_switched_images(const Context& context, const ContextData& level) {
  return context.ring().kind() == RingKind::power_of_two_cyclotomic &&
         has_single_prime_digits(level);
}

void switch_images(const Context& context, const ContextData& level, ConstNttView source,
                   std::span<const SwitchedImage<Form::ntt>> images) {
  const Backend& backend = context.backend();
  CoeffPoly digits(backend, level.prime_count(), Secrecy::open, Contents::unspecified);
  backend.inverse_ntt_to_digits(digits.view_for_writing(backend), source, level.primes());
  HoistedGadgetProducts(context, level, digits.view(backend), source).add_to(context, images);
}

void switch_images(const Context& context, const ContextData& level, ConstCoeffView source,
                   std::span<const SwitchedImage<Form::coefficient>> images) {
  const Backend& backend = context.backend();
  CoeffPoly digits(backend, level.prime_count(), Secrecy::open, Contents::unspecified);
  backend.to_digits(digits.view_for_writing(backend), source, level.primes());
  HoistedGadgetProducts(context, level, digits.view(backend), {}).add_to(context, images);
}

void relinearize_and_rescale(const Context& context, const ContextData& level,
                             std::span<const ConstNttView> polynomials,
                             std::span<const KSwitchKey* const> keys, NttView result_0,
                             NttView result_1) {
  const Backend& backend = context.backend();
  const PrimeIndices targets = level.key_switch_primes();
  GadgetProducts sums(context, level, *keys.front());
  sums.add(polynomials[2]);
  for (std::size_t k = 1; k < keys.size(); ++k) {
    GadgetProducts more(context, level, *keys[k]);
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
