// SPDX-License-Identifier: Apache-2.0
#include "ringlet/decryptor.hpp"

#include <cstddef>

#include "ringlet/backend.hpp"
#include "rlwe/checks.hpp"

namespace ringlet {

Decryptor::Decryptor(const Context& context, const SecretKey& secret_key) : context_(context) {
  rlwe::check_key(context_, secret_key.parms_id(), "secret key", "Decryptor");
  secret_key_ = secret_key;
}

Plaintext Decryptor::decrypt(const Ciphertext& encrypted) const {
  const ContextData& level =
      rlwe::check_operand(context_, encrypted, "ciphertext", "Decryptor::decrypt");
  const Backend& backend = context_.backend();
  const ConstNttView secret = secret_key_.view().first(level.prime_count());
  Plaintext result(level);
  result.scale() = encrypted.scale();
  const NttView phase = result.ntt_view_for_writing();
  // Horner's rule in s.
  const std::size_t last = encrypted.size() - 1;
  ConstNttView partial = encrypted.ntt_view(last);
  for (std::size_t i = last; i-- > 0;) {
    backend.multiply_add(phase, partial, secret, encrypted.ntt_view(i), level.primes());
    partial = phase;
  }
  return result;
}

}  // namespace ringlet
