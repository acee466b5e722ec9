// SPDX-License-Identifier: Apache-2.0
#include "ringlet/schemes/decryptor.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <tuple>
#include <utility>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/backend/reinterpret.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/ring/backend.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/scheme_traits.hpp"
#include "schemes/evaluator/scheme_operations.hpp"
#include "schemes/noise.hpp"
#include "schemes/operand_entry.hpp"

namespace ringlet {
namespace {

// The words of a ciphertext's limbs from which another thread pays.
constexpr std::size_t kElementsPerThread = std::size_t{1} << 16;
constexpr std::size_t kTransformsPerThread = std::size_t{1} << 14;

const ContextData& check_ciphertext(const Context& context, const Ciphertext& encrypted,
                                    const KeyId& secret_key) {
  const ContextData& level = rlwe::check_operand(context, encrypted, "ciphertext");
  rlwe::check_key_id(encrypted.key_id(), "the ciphertext", secret_key, "the decrypting key");
  if (encrypted.is_unchecked() && encrypted.is_transparent()) rlwe::throw_transparent();
  encrypted.await_words();
  return level;
}

// Names a place where a residue of `encrypted` is not reduced.
[[noreturn]] void throw_not_reduced(const ContextData& level, const Ciphertext& encrypted) {
  ErrorDetails details{
      .offending = "a residue that is not reduced",
      .limit = "below the prime",
      .remedy = "do not change the words of a ciphertext after it was made or loaded"};
  for (std::size_t k = encrypted.size(); k-- > 0;) {
    const ConstResidueView poly = encrypted.view(k);
    for (std::size_t i = poly.limb_count; i-- > 0;) {
      const std::uint64_t q = level.coeff_modulus()[i].value();
      const auto limb = poly.limb(i);
      const auto bad = std::ranges::find_if(limb, [q](std::uint64_t x) { return x >= q; });
      if (bad == limb.end()) continue;
      details.offending = concat("residue ", *bad, " at place ", bad - limb.begin(),
                                 " of polynomial ", k, ", prime ", i);
      details.limit = concat("below the prime ", q);
    }
  }
  throw_invalid_argument(std::move(details));
}

}  // namespace

Decryptor::Decryptor(const Context& context, const SecretKey& secret_key)
    : context_(context.on_host()), operations_(make_scheme_operations(context_)) {
  public_entry("Decryptor",
               [&] { rlwe::check_key(context_, secret_key.parms_id(), "secret key"); });
  secret_key_ = secret_key;
}

Decryptor::~Decryptor() = default;

// Goes limb by limb, so that a limb stays in the cache: its residues are checked just before their
// use, as kernels take reduced ones only.
void Decryptor::compute_phase(const ContextData& level, const Ciphertext& encrypted,
                              ResidueView result) const {
  const bool in_ntt_form = encrypted.is_ntt_form();
  std::atomic<bool> is_reduced{true};
  const auto add_limb = [&](std::size_t i) {
    const PrimeIndices prime = level.primes().subspan(i, 1);
    if (in_ntt_form) {
      if (!add_values(encrypted, i, prime, result.part(i, 1))) is_reduced = false;
      return;
    }
    bool is_limb_reduced = true;
    for (std::size_t k = 0; k < encrypted.size(); ++k) {
      is_limb_reduced &= context_.backend().is_reduced(encrypted.view(k).part(i, 1), prime);
    }
    if (!is_limb_reduced) {
      is_reduced = false;
    } else {
      add_coefficients(encrypted, i, prime, result.part(i, 1));
    }
  };
  const std::size_t words_per_thread = in_ntt_form ? kElementsPerThread : kTransformsPerThread;
  parallel_for(level.prime_count(), add_limb, Chunks::even,
               std::max<std::size_t>(1, words_per_thread / level.degree()));
  if (!is_reduced) throw_not_reduced(level, encrypted);
}

// Both functions use Horner's rule in s. This one returns whether all residues are reduced.
bool Decryptor::add_values(const Ciphertext& encrypted, std::size_t limb, PrimeIndices prime,
                           ResidueView result) const {
  const ConstNttView secret = secret_key_.view().part(limb, 1);
  const NttView sum{result.data, result.degree, 1, result.limb_stride};
  const std::size_t last = encrypted.size() - 1;
  ConstNttView partial = encrypted.ntt_view(last).part(limb, 1);
  for (std::size_t k = last; k-- > 0;) {
    const ConstNttView addend = encrypted.ntt_view(k).part(limb, 1);
    if (!context_.backend().multiply_add_if_reduced(sum, partial, secret, addend, prime)) {
      return false;
    }
    partial = sum;
  }
  return true;
}

// Sums in NTT form, but adds c_0 in coefficients.
void Decryptor::add_coefficients(const Ciphertext& encrypted, std::size_t limb, PrimeIndices prime,
                                 ResidueView result) const {
  const Backend& backend = context_.backend();
  const ConstNttView secret = secret_key_.view().part(limb, 1);
  const NttView sum{result.data, result.degree, 1, result.limb_stride};
  const std::size_t last = encrypted.size() - 1;
  backend.forward_ntt(sum, encrypted.coeff_view(last).part(limb, 1), prime);
  if (last > 1) {
    NttPoly term(backend, 1, Secrecy::open, Contents::unspecified);
    for (std::size_t k = last - 1; k > 0; --k) {
      backend.forward_ntt(term.view_for_writing(), encrypted.coeff_view(k).part(limb, 1), prime);
      backend.multiply_add(sum, sum, secret, term.view(), prime);
    }
  }
  backend.multiply(sum, sum, secret, prime);
  backend.inverse_ntt(as_coefficients(sum), sum, prime);
  backend.add(result, result, encrypted.view(0).part(limb, 1), prime);
}

Plaintext Decryptor::message_of(const Ciphertext& encrypted, Plaintext memory) const {
  const ContextData& level = check_ciphertext(context_, encrypted, secret_key_.key_id());
  if (rlwe::traits_of(context_.scheme()).has_scale) {
    const bool fits = memory.is_ntt_form() && memory.parms_id() == level.parms_id();
    Plaintext message = fits ? std::move(memory) : Plaintext(level, Contents::unspecified);
    compute_phase(level, encrypted, message.ntt_view_for_writing());
    message.scale() = encrypted.scale();
    return message;
  }
  RnsPoly<Form::any> phase(context_.backend(), level.prime_count(), Secrecy::secret,
                           Contents::unspecified);
  compute_phase(level, encrypted, phase.view_for_writing());
  return operations_->decode_phase(level, phase.view_for_writing(), encrypted);
}

int Decryptor::budget_of(const Ciphertext& encrypted) const {
  const ContextData& level = check_ciphertext(context_, encrypted, secret_key_.key_id());
  RnsPoly<Form::any> noise(context_.backend(), level.prime_count(), Secrecy::secret,
                           Contents::unspecified);
  compute_phase(level, encrypted, noise.view_for_writing());
  operations_->phase_to_noise(level, noise.view_for_writing());
  const int bits = schemes::centred_bit_count(level, noise.view());
  return std::max(0, level.total_coeff_modulus_bit_count() - bits - 1);
}

Plaintext Decryptor::decrypt(const Ciphertext& encrypted) const {
  return schemes::operand_entry("Decryptor::decrypt", context_, std::tie(encrypted),
                                [&] { return message_of(encrypted); });
}

Plaintext Decryptor::decrypt(const Ciphertext& encrypted, Plaintext&& memory) const {
  return schemes::operand_entry("Decryptor::decrypt", context_, std::tie(encrypted),
                                [&] { return message_of(encrypted, std::move(memory)); });
}

Plaintext Decryptor::decrypt_checked(const Ciphertext& encrypted) const {
  return schemes::operand_entry("Decryptor::decrypt_checked", context_, std::tie(encrypted), [&] {
    if (budget_of(encrypted) != 0) return message_of(encrypted);
    refuse("a ciphertext with a noise budget of 0 bits",
           "at least 1 bit: with 0 the message is lost",
           "compute less on it, or use parameters with more primes");
  });
}

int Decryptor::invariant_noise_budget(const Ciphertext& encrypted) const {
  return schemes::operand_entry("Decryptor::invariant_noise_budget", context_, std::tie(encrypted),
                                [&] { return budget_of(encrypted); });
}

}  // namespace ringlet
