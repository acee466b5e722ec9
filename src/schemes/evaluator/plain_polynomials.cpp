// SPDX-License-Identifier: Apache-2.0
#include "schemes/evaluator/plain_polynomials.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/declassify.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/backend/reinterpret.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/rns_poly.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/scheme_traits.hpp"
#include "schemes/evaluator/polynomials.hpp"

namespace ringlet::schemes {
namespace {

std::string describe_coefficients(const Plaintext& plain) {
  return concat("a plaintext of ", plain.coeff_count(), " coefficients, scale ", plain.scale());
}

void check_coefficient_form(const Context& context, const Plaintext& plain) {
  if (plain.is_ntt_form()) {
    refuse("the plaintext is in NTT form",
           concat("coefficient form, the form of messages of ", to_string(context.scheme())),
           "encode the message again; only products take this plaintext");
  }
  if (!rlwe::traits_of(context.scheme()).has_plain_modulus) {
    refuse(plain.empty() ? "empty plaintext" : "the plaintext is in coefficient form",
           concat("NTT form, the form of messages of ", to_string(context.scheme())),
           "encode it for this context");
  }
  if (plain.coeff_count() > context.ring().degree() || plain.scale() != 1.0) {
    refuse(describe_coefficients(plain),
           concat("at most N = ", context.ring().degree(), " coefficients and scale 1"),
           "use plaintexts made for this context");
  }
}

}  // namespace

void check_coefficients(const Context& context, const Plaintext& plain) {
  check_coefficient_form(context, plain);
  const std::uint64_t t = context.plain_modulus().value();
  const auto coefficients = plain.coefficients();
  // t is below 2^60: a difference m - t that did not wrap around, or a word from 2^63 on, offends.
  std::uint64_t offence = 0;
  for (const std::uint64_t m : coefficients) offence |= (m | ~(m - t)) >> 63;
  if (!declassify(offence != 0)) return;
  const auto bad = std::ranges::find_if(coefficients, [t](std::uint64_t m) { return m >= t; });
  refuse(concat("coefficient ", bad - coefficients.begin(), " is out of range"),
         concat("below the plain modulus t = ", t), "reduce the coefficients modulo t");
}

void lift_centred(const Context& context, const ContextData& level, const Plaintext& plain,
                  CoeffView result) {
  context.on_host().backend().lift_message(result, plain.coefficients(),
                                           context.plain_modulus().value(), level.primes());
}

NttPoly lift_centred_to_ntt(const Context& context, const ContextData& level,
                            const Plaintext& plain) {
  const Backend& backend = context.backend();
  NttPoly result(backend, level.prime_count(), Secrecy::secret, Contents::unspecified);
  lift_centred(context, level, plain, as_coefficients(result.view_for_writing()));
  const NttView values = result.view_for_writing(backend);
  backend.forward_ntt(values, as_coefficients(values), level.primes());
  return result;
}

Plaintext trimmed(const Context& context, std::span<const std::uint64_t> coefficients) {
  std::size_t count = coefficients.size();
  while (count > 1 && declassify(coefficients[count - 1] == 0)) --count;
  Plaintext plain(count, context.first_context_data()->pool());
  std::ranges::copy(coefficients.first(count), plain.coefficients_for_writing().begin());
  return plain;
}

void multiply_plain(const Context& context, const ContextData& level, const Ciphertext& a,
                    const Plaintext& plain, double scale, Ciphertext& destination) {
  const Backend& backend = context.backend();
  const PrimeIndices primes = level.primes();
  NttPoly lifted;
  if (!plain.is_ntt_form()) lifted = lift_centred_to_ntt(context, level, plain);
  const ConstNttView factor = plain.is_ntt_form() ? plain.ntt_view(backend) : lifted.view(backend);
  const std::uint64_t correction_factor = a.correction_factor();
  if (a.is_ntt_form()) {
    bool transparent = refuses_transparent_here(context);
    for (std::size_t k = 1; k < a.size() && transparent; ++k) {
      transparent = !product_is_nonzero(a.view(k), factor);
    }
    if (transparent) rlwe::throw_transparent();
    ElementwiseResult result(context, destination, level, a.size(), Form::ntt);
    for (std::size_t k = 0; k < a.size(); ++k) {
      backend.multiply(result.ciphertext().ntt_view_for_writing(k, backend), a.ntt_view(k, backend),
                       factor, primes);
    }
    result.commit(a.key_id(), scale, correction_factor);
    return;
  }
  Ciphertext result = destination.new_result(level, a.size(), Form::coefficient);
  for (std::size_t k = 0; k < a.size(); ++k) {
    const CoeffView product = result.coeff_view_for_writing(k, backend);
    const NttView values = as_values(product);
    backend.forward_ntt(values, a.coeff_view(k, backend), primes);
    backend.multiply(values, values, factor, primes);
    backend.inverse_ntt(product, values, primes);
  }
  check_not_transparent(context, result);
  result.key_id() = a.key_id();
  result.scale() = scale;
  result.correction_factor() = correction_factor;
  destination = std::move(result);
}

void inner_product_plain(const Context& context, const ContextData& level,
                         std::span<const Ciphertext* const> a,
                         std::span<const Plaintext* const> plains, double scale,
                         Ciphertext& destination) {
  const Backend& backend = context.backend();
  const PrimeIndices primes = level.primes();
  const Ciphertext& first = *a.front();
  std::vector<ConstNttView> factors;
  for (const Plaintext* plain : plains) factors.push_back(plain->ntt_view(backend));
  Ciphertext result = destination.new_result(level, first.size(), first.form());
  NttPoly lifted;
  if (!first.is_ntt_form()) {
    lifted = NttPoly(backend, level.prime_count(), Secrecy::open, Contents::unspecified);
  }
  for (std::size_t p = 0; p < first.size(); ++p) {
    if (first.is_ntt_form()) {
      std::vector<ConstNttView> values;
      for (const Ciphertext* term : a) values.push_back(term->ntt_view(p, backend));
      backend.multiply_accumulate(result.ntt_view_for_writing(p, backend), values, factors, primes);
      continue;
    }
    const CoeffView sum = result.coeff_view_for_writing(p, backend);
    const NttView values = as_values(sum);
    for (std::size_t k = 0; k < a.size(); ++k) {
      const NttView term = k == 0 ? values : lifted.view_for_writing(backend);
      backend.forward_ntt(term, a[k]->coeff_view(p, backend), primes);
      if (k == 0) {
        backend.multiply(values, values, factors[0], primes);
      } else {
        backend.multiply_add(values, term, factors[k], values, primes);
      }
    }
    backend.inverse_ntt(sum, values, primes);
  }
  check_not_transparent(context, result);
  result.key_id() = first.key_id();
  result.scale() = scale;
  result.correction_factor() = first.correction_factor();
  destination = std::move(result);
}

}  // namespace ringlet::schemes
