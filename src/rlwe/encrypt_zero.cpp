// SPDX-License-Identifier: Apache-2.0
#include "rlwe/encrypt_zero.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ring/reinterpret.hpp"
#include "ringlet/aligned.hpp"
#include "ringlet/backend.hpp"
#include "ringlet/modular.hpp"
#include "ringlet/rns_poly.hpp"
#include "rlwe/random_stream.hpp"
#include "rlwe/samplers.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet::rlwe {
namespace {

/// An error of the ring of a context.
struct Error {
  Error(const Context& context, RandomStream& stream)
      : bound(context.error_sampler().bound()), values(context.ring().degree()) {
    context.error_sampler().sample(values, stream);
  }

  std::int32_t bound;
  ErrorPoly values;
};

// All of it works limb by limb: one prime's scratch stays in the cache, and little is to be wiped.
void write_ntt(const Backend& backend, NttView limb, const SmallPoly& values, PrimeIndices prime) {
  write_small(as_coefficients(limb), values, backend.basis(), prime);
  backend.forward_ntt(limb, as_coefficients(limb), prime);
}

void write_ntt(const Backend& backend, NttView limb, const Error& error, PrimeIndices prime) {
  write_small(as_coefficients(limb), error.values, error.bound, backend.basis(), prime);
  backend.forward_ntt(limb, as_coefficients(limb), prime);
}

// limb *= factor.
void scale(const Backend& backend, NttView limb, std::uint64_t factor, PrimeIndices prime) {
  if (factor == 1) return;
  const std::uint64_t reduced = backend.basis()[prime[0]].reduce(factor);
  backend.multiply_scalars(limb, limb, std::span(&reduced, 1), prime);
}

/// What one public-key encryption samples.
struct Ephemeral {
  Ephemeral(const Context& context, const RandomSource& random);

  SmallPoly secret;           ///< u
  std::vector<Error> errors;  ///< e_0, e_1
};

Ephemeral::Ephemeral(const Context& context, const RandomSource& random)
    : secret(context.ring().degree()) {
  const Seed seed(random);
  RandomStream secret_stream(seed, {StreamPurpose::ternary});
  sample_ternary(secret, secret_stream);
  errors.reserve(2);
  for (std::uint64_t i = 0; i < 2; ++i) {
    RandomStream stream(seed, {StreamPurpose::error, i});
    errors.emplace_back(context, stream);
  }
}

/// Signed coefficients below 2^61 in absolute value, wiped.
using Correction = SecretVector<std::int64_t>;

// Of a = key*u + f*e the result shall be (a - f*d) / P with d = a*f^-1 modulo P, centred: an exact
// division that keeps the result modulo f. This is e - d, which times f is what is to be added to
// key*u modulo the other primes before they multiply by 1/P. One transform per limb then serves
// both the error and the rounding.
Correction rounding_correction(const Backend& backend, ConstNttView key, ConstNttView u,
                               const Error& error, PrimeIndices special, std::uint64_t factor) {
  const Modulus& prime = backend.basis()[special[0]];
  const std::uint64_t p = prime.value();
  const std::uint64_t half = p / 2;
  NttPoly product(1, key.degree, Secrecy::secret);
  const NttView values = product.view_for_writing();
  backend.multiply(values, key, u, special);
  if (factor != 1) {
    const std::uint64_t inverse = inverse_mod(prime.reduce(factor), prime);
    backend.multiply_scalars(values, values, std::span(&inverse, 1), special);
  }
  const CoeffView coefficients = as_coefficients(values);
  backend.inverse_ntt(coefficients, values, special);
  CoeffPoly residues(1, key.degree, Secrecy::secret);
  write_small(residues.view_for_writing(), error.values, error.bound, backend.basis(), special);

  const std::span<const std::uint64_t> a = coefficients.limb(0);
  const std::span<const std::uint64_t> e = residues.view().limb(0);
  Correction correction(key.degree);
  for (std::size_t n = 0; n < correction.size(); ++n) {
    const std::uint64_t t = add_mod(add_mod(a[n], e[n], p), half, p);
    correction[n] = std::int64_t{error.values[n]} + static_cast<std::int64_t>(half - t);
  }
  return correction;
}

// result = values mod q, for |value| < bound.
void reduce_correction(std::span<std::uint64_t> result, const Correction& values, const Modulus& q,
                       std::uint64_t bound) {
  const std::uint64_t offset = (bound / q.value() + 1) * q.value();  // above bound, at most by q
  const bool is_close = offset + bound <= 4 * q.value();
  for (std::size_t n = 0; n < result.size(); ++n) {
    const std::uint64_t x = static_cast<std::uint64_t>(values[n]) + offset;
    result[n] = is_close ? subtract_if_at_least(subtract_if_at_least(x, 2 * q.value()), q.value())
                         : q.reduce(x);
  }
}

}  // namespace

std::uint64_t noise_factor(const Context& context) {
  return traits_of(context.scheme()).noise_is_multiple_of_t ? context.plain_modulus().value() : 1;
}

std::optional<PublicSeed> encrypt_zero_symmetric(const Context& context, const ContextData& level,
                                                 ConstNttView secret, const RandomSource& random,
                                                 NttView b, NttView a) {
  const Backend& backend = context.backend();
  const PrimeIndices primes = level.primes();
  const std::uint64_t factor = noise_factor(context);
  const Seed seed(random);
  const Seed public_seed(seed, {StreamPurpose::public_seed});
  RandomStream error_stream(seed, {StreamPurpose::error});
  const Error error(context, error_stream);
  const bool expands_seed = random.uniform_half() == nullptr;
  if (!expands_seed) random.uniform_half()(a, level.coeff_modulus());

  NttPoly scratch(1, a.degree, Secrecy::secret);
  const NttView error_limb = scratch.view_for_writing();
  for (std::size_t i = 0; i < primes.size(); ++i) {
    const PrimeIndices prime = primes.subspan(i, 1);
    const Modulus& q = backend.basis()[prime[0]];
    if (expands_seed) expand_uniform(a.limb(i), q, public_seed, i);
    write_ntt(backend, error_limb, error, prime);
    scale(backend, error_limb, factor, prime);
    // Subtracting a*s from e would leave a*s alone in memory for a while, which gives s away.
    const NttView b_limb = b.part(i, 1);
    backend.multiply_add(b_limb, a.part(i, 1), secret.part(i, 1), error_limb, prime);
    backend.negate(b_limb, b_limb, prime);
  }
  if (!expands_seed) return std::nullopt;
  PublicSeed published;
  std::ranges::copy(public_seed.bytes(), published.begin());
  return published;
}

void encrypt_zero_asymmetric(const Context& context, const ContextData& level,
                             const PublicKey& public_key, const RandomSource& random, NttView c0,
                             NttView c1) {
  const Backend& backend = context.backend();
  const bool divides = level.prev_context_data() != nullptr;
  const std::uint64_t factor = noise_factor(context);
  const Ephemeral ephemeral(context, random);
  const std::array<NttView, 2> results{c0, c1};
  const std::array<ConstNttView, 2> keys{public_key.data().ntt_view(0),
                                         public_key.data().ntt_view(1)};
  NttPoly u_scratch(1, level.degree(), Secrecy::secret);
  NttPoly addend_scratch(1, level.degree(), Secrecy::secret);
  const NttView u = u_scratch.view_for_writing();
  const NttView addend = addend_scratch.view_for_writing();

  std::array<Correction, 2> corrections;
  std::uint64_t p = 1;
  std::uint64_t bound = 0;  // of corrections
  if (divides) {
    // Behind the primes of a level comes the next data prime, or the first special prime.
    const std::size_t index = level.prime_count();
    const PrimeIndices special(&index, 1);
    p = backend.basis()[index].value();
    bound = p / 2 + static_cast<std::uint64_t>(context.error_sampler().bound()) + 1;
    write_ntt(backend, u, ephemeral.secret, special);
    for (std::size_t i = 0; i < results.size(); ++i) {
      corrections[i] = rounding_correction(backend, keys[i].part(index, 1), u, ephemeral.errors[i],
                                           special, factor);
    }
  }
  for (std::size_t limb = 0; limb < level.prime_count(); ++limb) {
    const PrimeIndices prime = level.primes().subspan(limb, 1);
    const Modulus& q = backend.basis()[prime[0]];
    write_ntt(backend, u, ephemeral.secret, prime);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const NttView result = results[i].part(limb, 1);
      if (divides) {
        reduce_correction(addend.limb(0), corrections[i], q, bound);
        backend.forward_ntt(addend, as_coefficients(addend), prime);
      } else {
        write_ntt(backend, addend, ephemeral.errors[i], prime);
      }
      scale(backend, addend, factor, prime);
      backend.multiply_add(result, keys[i].part(limb, 1), u, addend, prime);
      if (divides) scale(backend, result, inverse_mod(q.reduce(p), q), prime);
    }
  }
}

}  // namespace ringlet::rlwe
