// SPDX-License-Identifier: Apache-2.0
#include "rlwe/random/encrypt_zero.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/assert.hpp"
#include "base/parallel.hpp"
#include "ring/backend/reinterpret.hpp"
#include "ring/backend/scratch.hpp"
#include "ringlet/arith/modular.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/rns_poly.hpp"
#include "rlwe/random/random_stream.hpp"
#include "rlwe/random/samplers.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet::rlwe {
namespace {

/// The words of the transforms in a chunk of limbs from which another thread pays.
constexpr std::size_t kEncryptionGrain = std::size_t{1} << 14;

/// Returns the first words of a scratch as small signed integers.
template <typename Integer>
std::span<Integer> as_integers(const Scratch& scratch, std::size_t count) {
  return {reinterpret_cast<Integer*>(scratch.words().data()), count};
}

std::size_t words_for(std::size_t bytes) {
  return (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
}

/// The ternary secret of one encryption.
class EphemeralSecret {
 public:
  EphemeralSecret(const Context& context, const Seed& seed)
      : words_(*context.backend().pool(), words_for(context.ring().degree())),
        values_(as_integers<std::int8_t>(words_, context.ring().degree())) {
    RandomStream stream(seed, {StreamPurpose::ternary});
    sample_ternary(values_, stream);
  }

  /// limb = secret * factor in NTT form.
  void write(const Backend& backend, NttView limb, std::uint64_t factor, PrimeIndices prime) const {
    write_multiples<std::int8_t>(limb.limb(0), values_, 1, backend.basis()[prime[0]], factor);
    backend.forward_ntt(limb, as_coefficients(limb), prime);
  }

 private:
  Scratch words_;
  std::span<std::int8_t> values_;
};

/// An error of the ring of a context: in bytes where they suffice, to read less memory.
class Error {
 public:
  Error(const Context& context, const Seed& seed, std::uint64_t index)
      : bound_(static_cast<std::uint64_t>(context.error_sampler().bound())),
        words_(*context.backend().pool(), words_for(context.ring().degree() * size_of(context))) {
    const std::size_t n = context.ring().degree();
    RandomStream stream(seed, {StreamPurpose::error, index});
    if (context.error_sampler().is_binomial()) {
      bytes_ = as_integers<std::int8_t>(words_, n);
      sample_error(bytes_, stream);
    } else {
      wide_ = as_integers<std::int32_t>(words_, n);
      context.error_sampler().sample(wide_, stream);
    }
  }

  /// result = error * factor - subtrahend.
  void write(std::span<std::uint64_t> result, const Modulus& q, std::uint64_t factor,
             std::span<const std::uint64_t> subtrahend) const {
    if (wide_.empty()) {
      return write_multiples<std::int8_t>(result, bytes_, bound_, q, factor, subtrahend);
    }
    write_multiples<std::int32_t>(result, wide_, bound_, q, factor, subtrahend);
  }
  void write_rounding_of(std::span<std::uint64_t> words, const Modulus& p) const {
    const std::span result(reinterpret_cast<std::int64_t*>(words.data()), words.size());
    if (wide_.empty()) return write_rounding<std::int8_t>(result, words, bytes_, bound_, p);
    write_rounding<std::int32_t>(result, words, wide_, bound_, p);
  }
  std::uint64_t bound() const noexcept { return bound_; }

 private:
  static std::size_t size_of(const Context& context) {
    return context.error_sampler().is_binomial() ? sizeof(std::int8_t) : sizeof(std::int32_t);
  }

  std::uint64_t bound_;
  Scratch words_;
  std::span<std::int8_t> bytes_;
  std::span<std::int32_t> wide_;
};

/// The summands that one public-key encryption adds to the products of the key and u: an error for
/// each, or, where it divides by a prime p, the error less the d of the division.
///
/// For a = key*u + f*e the result is (a - f*d) / p with d = a*f^-1 modulo p, centred: an exact
/// division that keeps the result modulo f. So (e - d) * f is added to key*u modulo the other
/// primes before they multiply by 1/p. One transform per limb then serves both error and rounding.
class Summands {
 public:
  Summands(const Context& context, const Seed& seed)
      : errors_{{{context, seed, 0}, {context, seed, 1}}}, bound_(errors_[0].bound()) {}

  /// Turns errors into corrections, with p the prime of index `special`.
  void divide(const Backend& backend, std::span<const ConstNttView> keys,
              const EphemeralSecret& secret, std::uint64_t factor, std::size_t special) {
    const PrimeIndices prime(&special, 1);
    const Modulus& p = backend.basis()[special];
    const auto secrecy = Secrecy::secret;
    NttPoly scaled(backend, 1, secrecy, Contents::unspecified);
    corrections_ = NttPoly(backend, keys.size(), secrecy, Contents::unspecified);
    const NttView u = scaled.view_for_writing();
    const NttView all = corrections_.view_for_writing();
    secret.write(backend, u, inverse_mod(p.reduce(factor), p), prime);
    const auto grain = std::max<std::size_t>(1, kEncryptionGrain / u.degree);
    parallel_for(
        keys.size(),
        [&](std::size_t i) {
          const NttView product = all.part(i, 1);
          backend.multiply(product, keys[i].part(special, 1), u, prime);
          backend.inverse_ntt(as_coefficients(product), product, prime);
          errors_[i].write_rounding_of(product.limb(0), p);
        },
        Chunks::even, grain);
    bound_ += p.value() / 2;
    divides_ = true;
  }

  /// result = summand i * factor - subtrahend.
  void write(std::size_t i, std::span<std::uint64_t> result, const Modulus& q, std::uint64_t factor,
             std::span<const std::uint64_t> subtrahend = {}) const {
    if (!divides_) return errors_[i].write(result, q, factor, subtrahend);
    const std::span<const std::uint64_t> words = corrections_.view().limb(i);
    const std::span values(reinterpret_cast<const std::int64_t*>(words.data()), words.size());
    write_multiples<std::int64_t>(result, values, bound_, q, factor, subtrahend);
  }

 private:
  std::array<Error, 2> errors_;
  std::uint64_t bound_;  // of the summands
  bool divides_ = false;
  NttPoly corrections_;  // signed integers
};

/// Calls body(i, prime, scratch limbs u and v) for every limb of a level, on several threads where
/// that pays. The scratch stays in the cache.
template <typename Body>
void for_limbs(const Backend& backend, const ContextData& level, const Body& body) {
  const auto grain = std::max<std::size_t>(1, kEncryptionGrain / level.degree());
  parallel_for_chunks(
      level.prime_count(),
      [&](std::size_t first, std::size_t end) {
        NttPoly scratch(backend, 2, Secrecy::secret, Contents::unspecified);
        const NttView words = scratch.view_for_writing();
        for (std::size_t i = first; i < end; ++i) {
          body(i, level.primes().subspan(i, 1), words.part(0, 1), words.part(1, 1));
        }
      },
      Chunks::even, grain);
}

/// Writes message * factor to `result` and returns it; returns nothing if there is no message.
std::span<const std::uint64_t> write_message(const SmallPolyView& message,
                                             std::span<std::uint64_t> result, const Modulus& q,
                                             std::uint64_t factor) {
  if (message.coefficients.empty()) return {};
  write_multiples(result, message.coefficients, message.bound, q, factor);
  return result;
}

NttView values_of(ResidueView view) {
  return {view.data, view.degree, view.limb_count, view.limb_stride};
}

}  // namespace

std::uint64_t noise_factor(const Context& context) {
  return traits_of(context.scheme()).noise_is_multiple_of_t ? context.plain_modulus().value() : 1;
}

std::optional<PublicSeed> encrypt_zero_symmetric(const Context& context, const ContextData& level,
                                                 ConstNttView secret, const RandomSource& random,
                                                 const FreshEncryption& fresh) {
  RINGLET_ASSERT(fresh.form == Form::ntt || fresh.message.coefficients.empty());
  const Backend& backend = context.backend();
  const std::uint64_t factor = noise_factor(context);
  const NttView b = values_of(fresh.c0);
  const NttView a = values_of(fresh.c1);
  const Seed seed(random);
  const Seed public_seed(seed, {StreamPurpose::public_seed});
  const Error error(context, seed, 0);
  const bool expands_seed = random.uniform_half() == nullptr;
  if (!expands_seed) random.uniform_half()(a, level.coeff_modulus());

  for_limbs(backend, level, [&](std::size_t i, PrimeIndices prime, NttView u, NttView) {
    const Modulus& q = backend.basis()[prime[0]];
    const NttView a_limb = a.part(i, 1);
    const NttView b_limb = b.part(i, 1);
    if (expands_seed) expand_uniform(a_limb.limb(0), q, public_seed, i);
    if (fresh.form == Form::coefficient) {
      backend.multiply(u, a_limb, secret.part(i, 1), prime);
      backend.inverse_ntt(as_coefficients(u), u, prime);
      error.write(b_limb.limb(0), q, negate_mod(q.reduce(factor), q.value()), u.limb(0));
      return backend.inverse_ntt(as_coefficients(a_limb), a_limb, prime);
    }
    error.write(u.limb(0), q, q.reduce(factor), write_message(fresh.message, u.limb(0), q, 1));
    backend.forward_ntt(u, as_coefficients(u), prime);
    // Subtracting a*s from e would leave a*s alone in b for a while, which gives s away.
    backend.multiply_add(b_limb, a_limb, secret.part(i, 1), u, prime);
    backend.negate(b_limb, b_limb, prime);
  });
  if (!expands_seed) return std::nullopt;
  PublicSeed published;
  std::ranges::copy(public_seed.bytes(), published.begin());
  return published;
}

void encrypt_zero_asymmetric(const Context& context, const ContextData& level,
                             const PublicKey& public_key, const RandomSource& random,
                             const FreshEncryption& fresh) {
  RINGLET_ASSERT(fresh.form == Form::ntt || fresh.message.coefficients.empty());
  const Backend& backend = context.backend();
  const std::uint64_t factor = noise_factor(context);
  const std::array<NttView, 2> results{values_of(fresh.c0), values_of(fresh.c1)};
  const std::array<ConstNttView, 2> keys{public_key.data().ntt_view(0),
                                         public_key.data().ntt_view(1)};
  const Seed seed(random);
  const EphemeralSecret secret(context, seed);
  Summands summands(context, seed);
  std::uint64_t p = 1;
  if (level.prev_context_data() != nullptr) {
    // The next data prime, or the first special prime, follows the primes of a level.
    const std::size_t special = level.prime_count();
    p = backend.basis()[special].value();
    summands.divide(backend, keys, secret, factor, special);
  }
  // Multiplying u and the summands by 1/p divides the result by p. In coefficient form kernels
  // subtract the product, which is therefore that of -u.
  for_limbs(backend, level, [&](std::size_t limb, PrimeIndices prime, NttView u, NttView v) {
    const Modulus& q = backend.basis()[prime[0]];
    const std::uint64_t inverse = inverse_mod(q.reduce(p), q);
    const std::uint64_t of_summand = q.multiply(inverse, q.reduce(factor));
    const bool is_ntt = fresh.form == Form::ntt;
    secret.write(backend, u, is_ntt ? inverse : negate_mod(inverse, q.value()), prime);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const NttView result = results[i].part(limb, 1);
      const ConstNttView key = keys[i].part(limb, 1);
      const SmallPolyView message = i == 0 ? fresh.message : SmallPolyView{};
      if (is_ntt) {
        const auto negated = write_message(message, v.limb(0), q, q.value() - 1);
        summands.write(i, v.limb(0), q, of_summand, negated);
        backend.forward_ntt(v, as_coefficients(v), prime);
        backend.multiply_add(result, key, u, v, prime);
      } else {
        backend.multiply(v, key, u, prime);
        backend.inverse_ntt(as_coefficients(v), v, prime);
        summands.write(i, result.limb(0), q, of_summand, v.limb(0));
      }
    }
  });
}

}  // namespace ringlet::rlwe
