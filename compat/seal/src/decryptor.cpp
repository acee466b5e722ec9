// SPDX-License-Identifier: Apache-2.0
#include "seal/decryptor.h"

#include <utility>

#include "native/bridge.hpp"
#include "native/native_keys.hpp"
#include "ringlet/schemes/decryptor.hpp"

namespace ringlet::seal4 {

struct Decryptor::Impl {
  Impl(const SEALContext& context, const SecretKey& secret_key)
      : bridge(context, "Decryptor"), native(bridge.native(), checked(secret_key)) {}

  ringlet::SecretKey checked(const SecretKey& secret_key) const {
    detail::check_key(bridge, secret_key, "Decryptor");
    return detail::borrow_key(bridge.native(), secret_key);
  }

  detail::Bridge bridge;
  ringlet::Decryptor native;
};

Decryptor::Decryptor(const SEALContext& context, const SecretKey& secret_key)
    : impl_(std::make_unique<const Impl>(context, secret_key)) {}

Decryptor::~Decryptor() = default;

void Decryptor::decrypt(const Ciphertext& encrypted, Plaintext& destination) {
  const ringlet::Ciphertext operand = impl_->bridge.borrow(encrypted, "Decryptor::decrypt");
  Plaintext fresh(destination.pool());
  ringlet::Plaintext place = impl_->bridge.place_like(fresh, encrypted, destination);
  const bool is_placed = place.is_ntt_form();
  const ringlet::Plaintext message = impl_->native.decrypt(operand, std::move(place));
  impl_->bridge.store(message, is_placed ? fresh : destination);
  if (is_placed) destination = std::move(fresh);
}

int Decryptor::invariant_noise_budget(const Ciphertext& encrypted) {
  return impl_->native.invariant_noise_budget(
      impl_->bridge.borrow(encrypted, "Decryptor::invariant_noise_budget"));
}

}  // namespace ringlet::seal4
