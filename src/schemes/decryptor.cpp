// SPDX-License-Identifier: Apache-2.0
#include "ringlet/decryptor.hpp"

#include <algorithm>
#include <cstddef>

#include "base/text.hpp"
#include "ring/reinterpret.hpp"
#include "ringlet/backend.hpp"
#include "ringlet/error.hpp"
#include "rlwe/checks.hpp"
#include "schemes/named_operands.hpp"
#include "schemes/noise.hpp"
#include "schemes/scheme_operations.hpp"

namespace ringlet {
namespace {

void check_residues(const ContextData& level, const Ciphertext& encrypted, const char* operation) {
  for (std::size_t k = 0; k < encrypted.size(); ++k) {
    const ConstResidueView poly = encrypted.view(k);
    for (std::size_t i = 0; i < poly.limb_count; ++i) {
      const std::uint64_t q = level.coeff_modulus()[i].value();
      const auto limb = poly.limb(i);
      const auto bad = std::ranges::find_if(limb, [q](std::uint64_t x) { return x >= q; });
      if (bad == limb.end()) continue;
      throw_invalid_argument({operation,
                              concat("residue ", *bad, " at place ", bad - limb.begin(),
                                     " of polynomial ", k, ", prime ", i),
                              concat("below the prime ", q),
                              "use ciphertexts as they were made or loaded"});
    }
  }
}

const ContextData& check_ciphertext(const Context& context, const Ciphertext& encrypted,
                                    const char* operation) {
  const ContextData* level = nullptr;
  const auto check = [&] {
    level = &rlwe::check_operand(context, encrypted, "ciphertext", operation);
    check_residues(*level, encrypted, operation);
  };
  schemes::name_operands(operation, context, check, encrypted);
  return *level;
}

}  // namespace

Decryptor::Decryptor(const Context& context, const SecretKey& secret_key)
    : context_(context.on_host()), operations_(make_scheme_operations(context_)) {
  rlwe::check_key(context_, secret_key.parms_id(), "secret key", "Decryptor");
  secret_key_ = secret_key;
}

Decryptor::~Decryptor() = default;

// By Horner's rule in s, in NTT form; c_0 joins in native form.
RnsPoly<Form::any> Decryptor::phase(const ContextData& level, const Ciphertext& encrypted) const {
  const Backend& backend = context_.backend();
  const PrimeIndices primes = level.primes();
  const ConstNttView secret = secret_key_.view().first(level.prime_count());
  RnsPoly<Form::any> result(level.prime_count(), level.degree(), Secrecy::secret);
  const ResidueView words = result.view_for_writing();
  const NttView sum{words.data, words.degree, words.limb_count, words.limb_stride};
  const std::size_t last = encrypted.size() - 1;
  if (encrypted.is_ntt_form()) {
    ConstNttView partial = encrypted.ntt_view(last);
    for (std::size_t i = last; i-- > 0;) {
      backend.multiply_add(sum, partial, secret, encrypted.ntt_view(i), primes);
      partial = sum;
    }
    return result;
  }
  NttPoly term(level.prime_count(), level.degree());
  backend.forward_ntt(sum, encrypted.coeff_view(last), primes);
  for (std::size_t i = last - 1; i > 0; --i) {
    backend.forward_ntt(term.view_for_writing(), encrypted.coeff_view(i), primes);
    backend.multiply_add(sum, sum, secret, term.view(), primes);
  }
  backend.multiply(sum, sum, secret, primes);
  backend.inverse_ntt(as_coefficients(sum), sum, primes);
  backend.add(words, words, encrypted.view(0), primes);
  return result;
}

Plaintext Decryptor::decrypt(const Ciphertext& encrypted) const {
  constexpr const char* kOperation = "Decryptor::decrypt";
  const ContextData& level = check_ciphertext(context_, encrypted, kOperation);
  RnsPoly<Form::any> message = phase(level, encrypted);
  return operations_->decode_phase(level, message.view_for_writing(), encrypted);
}

int Decryptor::invariant_noise_budget(const Ciphertext& encrypted) const {
  constexpr const char* kOperation = "Decryptor::invariant_noise_budget";
  const ContextData& level = check_ciphertext(context_, encrypted, kOperation);
  RnsPoly<Form::any> noise = phase(level, encrypted);
  operations_->phase_to_noise(level, noise.view_for_writing(), kOperation);
  const int bits = schemes::centred_bit_count(level, noise.view());
  return std::max(0, level.total_coeff_modulus_bit_count() - bits - 1);
}

}  // namespace ringlet
