// SPDX-License-Identifier: Apache-2.0
#include "rlwe/encrypt_zero.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ringlet/aligned.hpp"
#include "ringlet/backend.hpp"
#include "ringlet/modular.hpp"
#include "ringlet/rns_poly.hpp"
#include "rlwe/random_stream.hpp"
#include "rlwe/samplers.hpp"

namespace ringlet::rlwe {
namespace {

CoeffView as_coefficients(NttView view) {
  return {view.data, view.degree, view.limb_count, view.limb_stride};
}

// All of it works limb by limb: one prime's scratch stays in the cache, and little is to be wiped.
void write_small_ntt(const Backend& backend, NttView limb, const SmallPoly& values,
                     PrimeIndices prime) {
  write_small(as_coefficients(limb), values, backend.basis(), prime);
  backend.forward_ntt(limb, as_coefficients(limb), prime);
}

/// What one public-key encryption samples.
struct Ephemeral {
  Ephemeral(const RandomSource& random, std::size_t degree);

  SmallPoly secret;                 ///< u
  std::array<SmallPoly, 2> errors;  ///< e_0, e_1
};

Ephemeral::Ephemeral(const RandomSource& random, std::size_t degree)
    : secret(degree), errors{SmallPoly(degree), SmallPoly(degree)} {
  const Seed seed(random);
  RandomStream secret_stream(seed, {StreamPurpose::ternary});
  sample_ternary(secret, secret_stream);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    RandomStream stream(seed, {StreamPurpose::error, i});
    sample_error(errors[i], stream);
  }
}

/// Signed coefficients below 2^61 in absolute value, wiped.
using Correction = SecretVector<std::int64_t>;

// The division by P with rounding of a = key*u + e is (a + h - t) / P with h = floor(P/2) and
// t = (a + h) mod P. This is e + h - t: what is to be added to key*u modulo the other primes before
// they multiply by 1/P. One transform per limb then serves both the error and the rounding.
Correction rounding_correction(const Backend& backend, ConstNttView key, ConstNttView u,
                               const SmallPoly& error, PrimeIndices special) {
  const std::uint64_t p = backend.basis()[special[0]].value();
  const std::uint64_t half = p / 2;
  NttPoly product(1, key.degree, Secrecy::secret);
  const NttView values = product.view_for_writing();
  backend.multiply(values, key, u, special);
  const CoeffView coefficients = as_coefficients(values);
  backend.inverse_ntt(coefficients, values, special);
  CoeffPoly residues(1, key.degree, Secrecy::secret);
  write_small(residues.view_for_writing(), error, backend.basis(), special);

  const std::span<const std::uint64_t> a = coefficients.limb(0);
  const std::span<const std::uint64_t> e = residues.view().limb(0);
  Correction correction(key.degree);
  for (std::size_t n = 0; n < correction.size(); ++n) {
    const std::uint64_t t = add_mod(add_mod(a[n], e[n], p), half, p);
    correction[n] = std::int64_t{error[n]} + static_cast<std::int64_t>(half - t);
  }
  return correction;
}

// result = values mod q, for |value| <= p/2 + 21.
void reduce_correction(std::span<std::uint64_t> result, const Correction& values, const Modulus& q,
                       std::uint64_t p) {
  const std::uint64_t bound = p / 2 + kErrorBits + 1;
  const std::uint64_t offset = (bound / q.value() + 1) * q.value();  // above bound, at most by q
  const bool is_close = offset + bound <= 4 * q.value();
  for (std::size_t n = 0; n < result.size(); ++n) {
    const std::uint64_t x = static_cast<std::uint64_t>(values[n]) + offset;
    result[n] = is_close ? subtract_if_at_least(subtract_if_at_least(x, 2 * q.value()), q.value())
                         : q.reduce(x);
  }
}

}  // namespace

void encrypt_zero_symmetric(const Backend& backend, PrimeIndices primes, ConstNttView secret,
                            const RandomSource& random, NttView b, NttView a) {
  const Seed seed(random);
  const Seed public_seed(seed, {StreamPurpose::public_seed});
  SmallPoly error(a.degree);
  RandomStream error_stream(seed, {StreamPurpose::error});
  sample_error(error, error_stream);

  NttPoly scratch(1, a.degree, Secrecy::secret);
  const NttView error_limb = scratch.view_for_writing();
  for (std::size_t i = 0; i < primes.size(); ++i) {
    const PrimeIndices prime = primes.subspan(i, 1);
    RandomStream stream(public_seed, {StreamPurpose::uniform, 0, i});
    sample_uniform(a.limb(i), backend.basis()[prime[0]], stream);
    write_small_ntt(backend, error_limb, error, prime);
    // Subtracting a*s from e would leave a*s alone in memory for a while, which gives s away.
    const NttView b_limb = b.part(i, 1);
    backend.multiply_add(b_limb, a.part(i, 1), secret.part(i, 1), error_limb, prime);
    backend.negate(b_limb, b_limb, prime);
  }
}

void encrypt_zero_asymmetric(const Context& context, const ContextData& level,
                             const PublicKey& public_key, const RandomSource& random, NttView c0,
                             NttView c1) {
  const Backend& backend = context.backend();
  const ContextData* above = level.prev_context_data();
  const Ephemeral ephemeral(random, level.degree());
  const std::array<NttView, 2> results{c0, c1};
  const std::array<ConstNttView, 2> keys{public_key.data().ntt_view(0),
                                         public_key.data().ntt_view(1)};
  NttPoly u_scratch(1, level.degree(), Secrecy::secret);
  NttPoly addend_scratch(1, level.degree(), Secrecy::secret);
  const NttView u = u_scratch.view_for_writing();
  const NttView addend = addend_scratch.view_for_writing();

  std::array<Correction, 2> corrections;
  std::uint64_t p = 1;
  if (above != nullptr) {
    const std::size_t last = level.prime_count();
    const PrimeIndices special = above->primes().subspan(last, 1);
    p = backend.basis()[special[0]].value();
    write_small_ntt(backend, u, ephemeral.secret, special);
    for (std::size_t i = 0; i < results.size(); ++i) {
      corrections[i] =
          rounding_correction(backend, keys[i].part(last, 1), u, ephemeral.errors[i], special);
    }
  }
  for (std::size_t limb = 0; limb < level.prime_count(); ++limb) {
    const PrimeIndices prime = level.primes().subspan(limb, 1);
    const Modulus& q = backend.basis()[prime[0]];
    write_small_ntt(backend, u, ephemeral.secret, prime);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const NttView result = results[i].part(limb, 1);
      const ConstNttView key = keys[i].part(limb, 1);
      if (above == nullptr) {
        write_small_ntt(backend, addend, ephemeral.errors[i], prime);
        backend.multiply_add(result, key, u, addend, prime);
        continue;
      }
      reduce_correction(addend.limb(0), corrections[i], q, p);
      backend.forward_ntt(addend, as_coefficients(addend), prime);
      backend.multiply_add(result, key, u, addend, prime);
      const std::uint64_t inverse = inverse_mod(q.reduce(p), q);
      backend.multiply_scalars(result, result, std::span(&inverse, 1), prime);
    }
  }
}

}  // namespace ringlet::rlwe
