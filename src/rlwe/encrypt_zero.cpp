// SPDX-License-Identifier: Apache-2.0
#include "rlwe/encrypt_zero.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#include "ringlet/backend.hpp"
#include "ringlet/rns_poly.hpp"
#include "rlwe/random_stream.hpp"
#include "rlwe/samplers.hpp"

namespace ringlet::rlwe {
namespace {

// Writes small coefficients in NTT form.
void write_small_ntt(const Backend& backend, NttView result, const SmallPoly& values,
                     PrimeIndices primes) {
  const CoeffView coefficients{result.data, result.degree, result.limb_count, result.limb_stride};
  write_small(coefficients, values, backend.basis(), primes);
  backend.forward_ntt(result, coefficients, primes);
}

}  // namespace

void encrypt_zero_symmetric(const Backend& backend, PrimeIndices primes, ConstNttView secret,
                            const RandomSource& random, NttView b, NttView a) {
  const Seed seed(random);
  const Seed public_seed(seed, {StreamPurpose::public_seed});
  for (std::size_t i = 0; i < primes.size(); ++i) {
    RandomStream stream(public_seed, {StreamPurpose::uniform, 0, i});
    sample_uniform(a.limb(i), backend.basis()[primes[i]], stream);
  }

  SmallPoly values(a.degree);
  RandomStream stream(seed, {StreamPurpose::error});
  sample_error(values, stream);
  NttPoly error(primes.size(), a.degree, Secrecy::secret);
  write_small_ntt(backend, error.view_for_writing(), values, primes);

  // Subtracting a*s from e would leave a*s alone in memory for a while, which gives s away.
  backend.multiply_add(b, a, secret, error.view(), primes);
  backend.negate(b, b, primes);
}

void encrypt_zero_asymmetric(const Context& context, const ContextData& level,
                             const PublicKey& public_key, const RandomSource& random, NttView c0,
                             NttView c1) {
  const Backend& backend = context.backend();
  const ContextData* above = level.prev_context_data();
  const ContextData& source = above == nullptr ? level : *above;
  const PrimeIndices primes = source.primes();

  const Seed seed(random);
  SmallPoly values(source.degree());
  RandomStream ephemeral_stream(seed, {StreamPurpose::ternary});
  sample_ternary(values, ephemeral_stream);
  NttPoly ephemeral(primes.size(), source.degree(), Secrecy::secret);
  write_small_ntt(backend, ephemeral.view_for_writing(), values, primes);

  NttPoly error(primes.size(), source.degree(), Secrecy::secret);
  NttPoly sum(primes.size(), source.degree());
  const std::array<NttView, 2> results{c0, c1};
  for (std::size_t i = 0; i < results.size(); ++i) {
    RandomStream stream(seed, {StreamPurpose::error, i});
    sample_error(values, stream);
    write_small_ntt(backend, error.view_for_writing(), values, primes);
    const ConstNttView key = public_key.data().ntt_view(i).first(primes.size());
    const NttView product = above == nullptr ? results[i] : sum.view_for_writing();
    backend.multiply_add(product, key, ephemeral.view(), error.view(), primes);
    if (above != nullptr) backend.divide_and_round_by_last(results[i], product, primes);
  }
}

}  // namespace ringlet::rlwe
