// SPDX-License-Identifier: Apache-2.0
#include "rlwe/keys/key_switch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/inline_vector.hpp"
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

/// The two sums of a key switch over the targets: the primes of the level and the special ones.
/// Side by side, so that a device takes both in the same launches.
class GadgetSums {
 public:
  GadgetSums(const Backend& backend, const ContextData& level)
      : backend_(backend),
        targets_(level.key_switch_primes()),
        words_(backend, 2 * targets_.size(), Secrecy::open, Contents::unspecified) {}

  NttView b() { return words_.view_for_writing(backend_).part(0, targets_.size()); }
  NttView a() { return words_.view_for_writing(backend_).part(targets_.size(), targets_.size()); }

  /// Returns both sums in a form. In coefficient form the sums are overwritten.
  template <Form F>
  std::array<PolyView<F>, 2> in_form() {
    if constexpr (F == Form::ntt) {
      return {b(), a()};
    } else {
      InlineVector<std::size_t, 2 * kMaxCoeffModulusCount> primes;
      for (std::size_t i = 0; i < 2 * targets_.size(); ++i) {
        primes.push_back(targets_[i < targets_.size() ? i : i - targets_.size()]);
      }
      const NttView both = words_.view_for_writing(backend_);
      backend_.inverse_ntt(as_coefficients(both), both, primes);
      return {as_coefficients(b()), as_coefficients(a())};
    }
  }

 private:
  const Backend& backend_;
  PrimeIndices targets_;
  NttPoly words_;
};

/// Calls use(source) with `source` divided into digits.
template <typename Use>
void with_digits(const Backend& backend, const ContextData& level, ConstNttView source,
                 const Use& use) {
  CoeffPoly digits(backend, level.prime_count(), Secrecy::open, Contents::unspecified);
  const CoeffView coefficients = digits.view_for_writing(backend);
  if (has_single_prime_digits(level)) {
    backend.inverse_ntt_to_digits(coefficients, source, level.primes());
  } else {
    backend.inverse_ntt(coefficients, source, level.primes());
  }
  use(KeySwitchSource{level.key_switch_plan()->digits(), coefficients, source});
}

template <typename Use>
void with_digits(const Backend& backend, const ContextData& level, ConstCoeffView source,
                 const Use& use) {
  const auto& digits = level.key_switch_plan()->digits();
  if (has_single_prime_digits(level)) {
    CoeffPoly offset(backend, level.prime_count(), Secrecy::open, Contents::unspecified);
    backend.to_digits(offset.view_for_writing(backend), source, level.primes());
    use(KeySwitchSource{digits, offset.view(backend), {}});
  } else {
    NttPoly values(backend, level.prime_count(), Secrecy::open, Contents::unspecified);
    backend.forward_ntt(values.view_for_writing(backend), source, level.primes());
    use(KeySwitchSource{digits, source, values.view(backend)});
  }
}

// Adds the switched polynomial to the addends of `sum`; one without limbs is 0.
template <Form F>
void switch_key(const Context& context, const ContextData& level, ConstPolyView<F> source,
                const KSwitchKey& key, const SwitchedSum<F>& sum) {
  const Backend& backend = context.backend();
  const auto& conversion = level.key_switch_plan()->from_special();
  const KeySwitchResult result{F,
                               {sum.c0, sum.c1},
                               {sum.a0, sum.a1},
                               conversion ? &*conversion : nullptr,
                               noise_factor(context)};
  with_digits(backend, level, source, [&](const KeySwitchSource& digits) {
    backend.switch_key(result, digits, key.prepared(backend), level.key_switch_primes());
  });
}

// quotients = sums / P, rounded, over the primes of the level; they may be the sums' first limbs.
template <Form F>
void mod_down(const Context& context, const ContextData& level,
              const std::array<PolyView<F>, 2>& quotients, const std::array<PolyView<F>, 2>& sums) {
  const std::array<ConstPolyView<F>, 2> dividends{sums[0], sums[1]};
  const auto& conversion = level.key_switch_plan()->from_special();
  context.backend().divide_and_round_each(quotients, dividends, level.key_switch_primes(),
                                          conversion ? &*conversion : nullptr,
                                          noise_factor(context));
}

// sum += a * scalars[i] over the primes of the level.
void add_multiple(const Backend& backend, const ContextData& level, ConstNttView a,
                  std::span<const std::uint64_t> scalars, NttView sum) {
  const NttView part = sum.first(level.prime_count());
  backend.multiply_scalars_add(part, a, part, scalars, level.primes());
}

// (c0, c1) = (a0, a1) + sums / P; an a1 without limbs is 0.
template <Form F>
void set_quotients(const Context& context, const ContextData& level, const SwitchedSum<F>& result,
                   GadgetSums& sums) {
  const Backend& backend = context.backend();
  const std::array<PolyView<F>, 2> dividends = sums.in_form<F>();
  const PolyView<F> quotient = dividends[0].first(level.prime_count());
  const bool is_alone = result.a1.limb_count == 0;
  const PolyView<F> other = is_alone ? result.c1 : dividends[1].first(level.prime_count());
  mod_down<F>(context, level, {quotient, other}, dividends);
  backend.add(result.c0, result.a0, quotient, level.primes());
  if (!is_alone) backend.add(result.c1, result.a1, other, level.primes());
}

template <Form F>
void switch_each(const Context& context, const ContextData& level, ConstPolyView<F> source,
                 std::span<const SwitchedImage<F>> images) {
  const Backend& backend = context.backend();
  std::vector<GadgetSums> sums;
  std::vector<KeyedImage> keyed;
  for (const SwitchedImage<F>& image : images) {
    sums.emplace_back(backend, level);
    keyed.push_back({image.galois_element, &image.key->prepared(backend)});
  }
  std::vector<GadgetImages> products;
  for (std::size_t i = 0; i < images.size(); ++i) {
    products.push_back({sums[i].b(), sums[i].a(), {&keyed[i], 1}});
  }
  with_digits(backend, level, source, [&](const KeySwitchSource& digits) {
    backend.multiply_images_by_keys(products, digits, level.key_switch_primes());
  });
  for (std::size_t i = 0; i < images.size(); ++i) {
    const SwitchedImage<F>& image = images[i];
    set_quotients<F>(context, level, {image.c0, {}, image.c0, image.c1}, sums[i]);
  }
}

template <Form F>
RnsPoly<F> image_of(const Backend& backend, const ContextData& level, ConstPolyView<F> source,
                    std::uint64_t galois_element) {
  RnsPoly<F> image(backend, level.prime_count(), Secrecy::open, Contents::unspecified);
  backend.automorphism(image.view_for_writing(backend), source, galois_element, level.primes());
  return image;
}

// Adds the products of one image to `sum`, or begins it with them.
template <Form F>
void add_image(const Context& context, const ContextData& level, ConstPolyView<F> source,
               const ImageKey& image, GadgetSums& sum, bool begins) {
  const Backend& backend = context.backend();
  const PrimeIndices targets = level.key_switch_primes();
  const RnsPoly<F> moved = image_of<F>(backend, level, source, image.galois_element);
  with_digits(backend, level, moved.view(backend), [&](const KeySwitchSource& digits) {
    const PreparedKey& key = image.key->prepared(backend);
    if (begins) return backend.multiply_digits_by_key(sum.b(), sum.a(), digits, key, targets);
    GadgetSums more(backend, level);
    backend.multiply_digits_by_key(more.b(), more.a(), digits, key, targets);
    backend.add(sum.b(), sum.b(), more.b(), targets);
    backend.add(sum.a(), sum.a(), more.a(), targets);
  });
}

}  // namespace

template <Form F>
void add_key_switched(const Context& context, const ContextData& level, ConstPolyView<F> source,
                      const KSwitchKey& key, const SwitchedSum<F>& sum) {
  switch_key<F>(context, level, source, key, sum);
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
  switch_key<F>(context, level, image, *result.key, {result.c0, {}, result.c0, result.c1});
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
  switch_each<Form::ntt>(context, level, source, images);
}

void switch_images(const Context& context, const ContextData& level, ConstCoeffView source,
                   std::span<const SwitchedImage<Form::coefficient>> images) {
  switch_each<Form::coefficient>(context, level, source, images);
}

template <Form F>
void add_switched_images(const Context& context, const ContextData& level,
                         std::span<const SourceImages<F>> sources, const SwitchedSum<F>& sum) {
  const Backend& backend = context.backend();
  if (sources.size() == 1 && sources[0].images.size() == 1) {
    const auto& [element, key] = sources[0].images[0];
    const RnsPoly<F> moved = image_of<F>(backend, level, sources[0].source, element);
    return switch_key<F>(context, level, moved.view(backend), *key, sum);
  }
  GadgetSums sums(backend, level);
  bool begins = true;
  for (const auto& [source, images] : sources) {
    if (images.size() > 1 && has_switched_images(context, level)) {
      std::vector<KeyedImage> keyed;
      for (const auto& [element, key] : images) keyed.push_back({element, &key->prepared(backend)});
      const GadgetImages sum_of_all{sums.b(), sums.a(), keyed, !std::exchange(begins, false)};
      with_digits(backend, level, source, [&](const KeySwitchSource& digits) {
        backend.multiply_images_by_keys({&sum_of_all, 1}, digits, level.key_switch_primes());
      });
      continue;
    }
    for (const ImageKey& image : images) {
      add_image<F>(context, level, source, image, sums, std::exchange(begins, false));
    }
  }
  set_quotients<F>(context, level, sum, sums);
}
template void add_switched_images(const Context&, const ContextData&,
                                  std::span<const SourceImages<Form::ntt>>,
                                  const SwitchedSum<Form::ntt>&);
template void add_switched_images(const Context&, const ContextData&,
                                  std::span<const SourceImages<Form::coefficient>>,
                                  const SwitchedSum<Form::coefficient>&);

void relinearize_and_rescale(const Context& context, const ContextData& level,
                             std::span<const ConstNttView> polynomials,
                             std::span<const KSwitchKey* const> keys, NttView result_0,
                             NttView result_1) {
  const Backend& backend = context.backend();
  const PrimeIndices targets = level.key_switch_primes();
  GadgetSums sums(backend, level);
  const auto add_products = [&](std::size_t k, GadgetSums& to) {
    with_digits(backend, level, polynomials[k + 2], [&](const KeySwitchSource& digits) {
      backend.multiply_digits_by_key(to.b(), to.a(), digits, keys[k]->prepared(backend), targets);
    });
  };
  add_products(0, sums);
  for (std::size_t k = 1; k < keys.size(); ++k) {
    GadgetSums more(backend, level);
    add_products(k, more);
    backend.add(sums.b(), sums.b(), more.b(), targets);
    backend.add(sums.a(), sums.a(), more.a(), targets);
  }
  const KeySwitchRescaling& rescaling = *level.key_switch_plan()->rescaling();
  add_multiple(backend, level, polynomials[0], rescaling.special_product, sums.b());
  add_multiple(backend, level, polynomials[1], rescaling.special_product, sums.a());
  const std::array<NttView, 2> results{result_0, result_1};
  const std::array<ConstNttView, 2> dividends{sums.b(), sums.a()};
  backend.divide_and_round_each(results, dividends, targets, &rescaling.conversion);
}

}  // namespace ringlet::rlwe
