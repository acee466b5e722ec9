// SPDX-License-Identifier: Apache-2.0
#include "schemes/evaluator/key_switching.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/rns_poly.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/keys/key_switch.hpp"
#include "schemes/evaluator/polynomials.hpp"

namespace ringlet::schemes {
namespace {

template <Form F>
auto view_of(const Ciphertext& a, std::size_t index, const Backend& backend) {
  if constexpr (F == Form::ntt) {
    return a.ntt_view(index, backend);
  } else {
    return a.coeff_view(index, backend);
  }
}
template <Form F>
auto view_for_writing_of(Ciphertext& a, std::size_t index, const Backend& backend) {
  if constexpr (F == Form::ntt) {
    return a.ntt_view_for_writing(index, backend);
  } else {
    return a.coeff_view_for_writing(index, backend);
  }
}

// Starts the image of `a` in `result`: c0(X^g), and room for c1.
template <Form F>
rlwe::SwitchedImage<F> begin_image(const Context& context, const ContextData& level,
                                   const Ciphertext& a, std::uint64_t element,
                                   const KSwitchKey& key, Ciphertext& result) {
  const Backend& backend = context.backend();
  const rlwe::SwitchedImage<F> image{element, &key, view_for_writing_of<F>(result, 0, backend),
                                     view_for_writing_of<F>(result, 1, backend)};
  backend.automorphism(image.c0, view_of<F>(a, 0, backend), element, level.primes());
  return image;
}

template <Form F>
Ciphertext image_of(const Context& context, const ContextData& level, const Ciphertext& a,
                    std::uint64_t element, const KSwitchKey& key, Ciphertext& destination) {
  const Backend& backend = context.backend();
  Ciphertext result = destination.new_result(level, 2, F);
  const rlwe::SwitchedImage<F> image = begin_image<F>(context, level, a, element, key, result);
  RnsPoly<F> source(backend, level.prime_count(), Secrecy::open, Contents::unspecified);
  backend.automorphism(source.view_for_writing(backend), view_of<F>(a, 1, backend), element,
                       level.primes());
  rlwe::switch_image<F>(context, level, source.view(backend), image);
  return result;
}

Ciphertext apply_automorphism(const Context& context, const ContextData& level, const Ciphertext& a,
                              std::uint64_t element, const KSwitchKey& key,
                              Ciphertext& destination) {
  return a.is_ntt_form()
             ? image_of<Form::ntt>(context, level, a, element, key, destination)
             : image_of<Form::coefficient>(context, level, a, element, key, destination);
}

// All images share the digits of c1.
template <Form F>
void images_of(const Context& context, const ContextData& level, const Ciphertext& a,
               std::span<const std::uint64_t> elements, const GaloisKeys& keys,
               std::span<Ciphertext> results) {
  std::vector<rlwe::SwitchedImage<F>> images;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    results[i] = Ciphertext(level, 2, F, Contents::unspecified);
    images.push_back(
        begin_image<F>(context, level, a, elements[i], keys.key(elements[i]), results[i]));
  }
  rlwe::switch_images(context, level, view_of<F>(a, 1, context.backend()), images);
}

template <Form F>
Ciphertext summed_images(const Context& context, const ContextData& level,
                         std::span<const Images> images, std::span<const Ciphertext* const> addends,
                         const GaloisKeys& keys) {
  const Backend& backend = context.backend();
  Ciphertext result(level, 2, F, Contents::unspecified);
  const std::array<PolyView<F>, 2> sums{view_for_writing_of<F>(result, 0, backend),
                                        view_for_writing_of<F>(result, 1, backend)};
  std::array<ConstPolyView<F>, 2> begun;
  for (const Ciphertext* addend : addends) {
    for (std::size_t k = 0; k < 2; ++k) {
      const auto next = view_of<F>(*addend, k, backend);
      if (begun[k].limb_count != 0) backend.add(sums[k], begun[k], next, level.primes());
      begun[k] = begun[k].limb_count != 0 ? ConstPolyView<F>(sums[k]) : next;
    }
  }
  std::vector<rlwe::SourceImages<F>> sources;
  RnsPoly<F> moved(backend, level.prime_count(), Secrecy::open, Contents::unspecified);
  for (const auto& [source, elements] : images) {
    sources.push_back({view_of<F>(*source, 1, backend), {}});
    for (const std::uint64_t element : elements) {
      sources.back().images.push_back({element, &keys.key(element)});
      const bool is_first = begun[0].limb_count == 0;
      const PolyView<F> image = is_first ? sums[0] : moved.view_for_writing(backend);
      backend.automorphism(image, view_of<F>(*source, 0, backend), element, level.primes());
      if (!is_first) backend.add(sums[0], begun[0], image, level.primes());
      begun[0] = sums[0];
    }
  }
  rlwe::add_switched_images<F>(context, level, sources, {begun[0], begun[1], sums[0], sums[1]});
  return result;
}

// Returns the first two polynomials plus the key-switched others.
template <Form F>
Ciphertext relinearized(const Context& context, const ContextData& level, const Ciphertext& a,
                        const RelinKeys& keys, Ciphertext& destination) {
  const Backend& backend = context.backend();
  Ciphertext result = destination.new_result(level, 2, F);
  const PolyView<F> c0 = view_for_writing_of<F>(result, 0, backend);
  const PolyView<F> c1 = view_for_writing_of<F>(result, 1, backend);
  for (std::size_t power = 2; power < a.size(); ++power) {
    rlwe::SwitchedSum<F> sum{c0, c1, c0, c1};
    if (power == 2) {
      sum.a0 = view_of<F>(a, 0, backend);
      sum.a1 = view_of<F>(a, 1, backend);
    }
    rlwe::add_key_switched<F>(context, level, view_of<F>(a, power, backend), keys.key(power), sum);
  }
  return result;
}

void check_relin_keys(const Context& context, const Ciphertext& a, const RelinKeys& keys) {
  rlwe::check_key(context, keys.parms_id(), "relinearization keys");
  rlwe::check_key_id(a.key_id(), "the ciphertext", keys.key_id(), "the relinearization keys");
  for (std::size_t power = 2; power < a.size(); ++power) {
    if (keys.has_key(power)) continue;
    refuse(concat("a ciphertext of size ", a.size(), " needs the key of s^", power),
           "powers of the secret that have a relinearization key",
           "relinearize after each multiplication, at size 3");
  }
}

}  // namespace

void relinearize(const Context& context, const Ciphertext& a, const RelinKeys& keys,
                 Ciphertext& destination) {
  check_relin_keys(context, a, keys);
  if (a.size() == 2) {
    if (&destination != &a) destination = a;
    return;
  }
  const ContextData& level = *context.get_context_data(a.parms_id());
  Ciphertext result = a.is_ntt_form()
                          ? relinearized<Form::ntt>(context, level, a, keys, destination)
                          : relinearized<Form::coefficient>(context, level, a, keys, destination);
  take_over(context, result, a);
  destination = std::move(result);
}

Ciphertext relinearize_and_rescale(const Context& context, const Ciphertext& a,
                                   const RelinKeys& keys, const ContextData& target,
                                   Ciphertext& destination) {
  check_relin_keys(context, a, keys);
  if (a.size() == 2) return mod_switch_divide_to(context, target, a, destination);
  const ContextData& level = *context.get_context_data(a.parms_id());
  const Backend& backend = context.backend();
  InlineVector<ConstNttView, kMaxCiphertextSize> polynomials;
  InlineVector<const KSwitchKey*, kMaxCiphertextSize> used_keys;
  for (std::size_t k = 0; k < a.size(); ++k) {
    polynomials.push_back(a.ntt_view(k, backend));
    if (k >= 2) used_keys.push_back(&keys.key(k));
  }
  Ciphertext result = destination.new_result(target, 2, Form::ntt);
  rlwe::relinearize_and_rescale(context, level, polynomials, used_keys,
                                result.ntt_view_for_writing(0, backend),
                                result.ntt_view_for_writing(1, backend));
  result.key_id() = a.key_id();
  check_not_transparent(context, result);
  return result;
}

void apply_automorphisms(const Context& context, const Ciphertext& a,
                         std::span<const std::uint64_t> galois_elements, const GaloisKeys& keys,
                         Ciphertext& destination) {
  if (galois_elements.empty()) {
    if (&destination != &a) destination = a;
    return;
  }
  const ContextData& level = *context.get_context_data(a.parms_id());
  Ciphertext previous;
  const Ciphertext* operand = &a;
  for (const std::uint64_t element : galois_elements) {
    previous =
        apply_automorphism(context, level, *operand, element, keys.key(element), destination);
    operand = &previous;
  }
  take_over(context, previous, a);
  destination = std::move(previous);
}

std::vector<Ciphertext> apply_each_automorphism(const Context& context, const Ciphertext& a,
                                                std::span<const std::uint64_t> galois_elements,
                                                const GaloisKeys& keys) {
  const ContextData& level = *context.get_context_data(a.parms_id());
  std::vector<Ciphertext> results(galois_elements.size());
  // One alone takes less without digits that could be shared.
  if (results.size() == 1 || !rlwe::has_switched_images(context, level)) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::uint64_t element = galois_elements[i];
      results[i] = apply_automorphism(context, level, a, element, keys.key(element), results[i]);
    }
  } else if (a.is_ntt_form()) {
    images_of<Form::ntt>(context, level, a, galois_elements, keys, results);
  } else {
    images_of<Form::coefficient>(context, level, a, galois_elements, keys, results);
  }
  for (Ciphertext& result : results) take_over(context, result, a);
  return results;
}

Ciphertext sum_of_images(const Context& context, const ContextData& level,
                         std::span<const Images> images, std::span<const Ciphertext* const> addends,
                         const GaloisKeys& keys) {
  const Ciphertext& first = *images.front().source;
  Ciphertext result = first.is_ntt_form()
                          ? summed_images<Form::ntt>(context, level, images, addends, keys)
                          : summed_images<Form::coefficient>(context, level, images, addends, keys);
  take_over(context, result, first);
  return result;
}

void check_automorphism_operands(const Context& context, const Ciphertext& a,
                                 const GaloisKeys& keys) {
  rlwe::check_operand(context, a, "ciphertext");
  rlwe::check_key(context, keys.parms_id(), "Galois keys");
  rlwe::check_key_id(a.key_id(), "the ciphertext", keys.key_id(), "the Galois keys");
  if (a.size() != 2) {
    refuse(concat("a ciphertext of size ", a.size()), "size 2", "relinearize it first");
  }
}

void check_galois_key(const GaloisKeys& keys, std::uint64_t galois_element, const char* meaning) {
  if (keys.has_key(galois_element)) return;
  refuse(concat("no key for ", meaning, ", Galois element ", galois_element),
         concat("the ", keys.size(), " Galois elements that have a key"),
         "create the Galois keys with this element");
}

void check_galois_element(const Context& context, std::uint64_t galois_element,
                          const GaloisKeys& keys) {
  if (!context.ring().is_galois_element(galois_element)) {
    refuse(concat("galois_element = ", galois_element),
           rlwe::describe_galois_elements(context.ring()),
           rlwe::galois_element_source(context.ring()));
  }
  check_galois_key(keys, galois_element, "this automorphism");
}

namespace {

template <typename Visit>
void for_non_adjacent_digits(int value, const Visit& visit) {
  std::int64_t rest = value;
  for (std::int64_t power = 1; rest != 0; power *= 2, rest /= 2) {
    if (rest % 2 == 0) continue;
    // The digit that makes the next one zero: rest - digit is a multiple of 4.
    const std::int64_t digit = ((rest % 4) + 4) % 4 == 1 ? 1 : -1;
    visit(static_cast<int>(digit * power));
    rest -= digit;
  }
}

}  // namespace

std::vector<int> non_adjacent_form(int value) {
  std::vector<int> digits;
  for_non_adjacent_digits(value, [&digits](int digit) { digits.push_back(digit); });
  return digits;
}

RotationPlan plan_rotation(const RingSpec& ring, int steps, const GaloisKeys& keys) {
  const auto count = static_cast<std::int64_t>(ring.rotation_count());
  if (std::abs(std::int64_t{steps}) >= count && steps != 0) {
    refuse(concat("steps = ", steps), concat("|steps| < N/2 = ", count),
           concat("reduce the steps modulo ", count));
  }
  if (steps == 0) return {};
  const std::uint64_t exact = ring.galois_element_from_step(steps);
  RotationPlan elements;
  if (keys.has_key(exact)) {
    elements.push_back(exact);
    return elements;
  }
  std::string missing;
  for_non_adjacent_digits(steps, [&](int digit) {
    if (std::abs(std::int64_t{digit}) == count) return;  // a full turn
    elements.push_back(ring.galois_element_from_step(digit));
    if (keys.has_key(elements.back())) return;
    missing += concat(missing.empty() ? "" : ", ", digit);
  });
  if (!missing.empty()) {
    refuse(concat("steps = ", steps, ": no key for steps ", missing),
           concat("a key for steps ", steps, ", or for all powers of two of its non-adjacent form"),
           concat("create Galois keys for steps ", steps,
                  ", or the default set, which serves all steps"));
  }
  return elements;
}

}  // namespace ringlet::schemes
