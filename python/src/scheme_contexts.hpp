// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "ringlet/decryptor.hpp"
#include "ringlet/encryptor.hpp"
#include "ringlet/key_generator.hpp"
#include "scheme_state.hpp"

namespace ringlet::python {

/// The client's side. The key generator holds the secret key.
class SecretContext {
 public:
  /// With a new key.
  explicit SecretContext(SharedWorkshop workshop)
      : SecretContext(workshop, std::make_unique<KeyGenerator>(workshop->context())) {}
  SecretContext(SharedWorkshop workshop, const SecretKey& key)
      : SecretContext(workshop, std::make_unique<KeyGenerator>(workshop->context(), key)) {}

  const SharedWorkshop& workshop() const { return workshop_; }
  const KeyGenerator& generator() const { return *generator_; }
  const Decryptor& decryptor() const { return decryptor_; }
  BoundCiphertext encrypt(const Plaintext& plain) const {
    return {workshop_,
            std::make_shared<const SeededCiphertext>(encryptor_.encrypt_symmetric_seeded(plain))};
  }

 private:
  SecretContext(SharedWorkshop workshop, std::unique_ptr<const KeyGenerator> generator)
      : workshop_(std::move(workshop)),
        generator_(std::move(generator)),
        encryptor_(workshop_->context(), generator_->secret_key()),
        decryptor_(workshop_->context(), generator_->secret_key()) {}

  SharedWorkshop workshop_;
  std::unique_ptr<const KeyGenerator> generator_;
  Encryptor encryptor_;
  Decryptor decryptor_;
};

/// The server's side: built from a Workshop, in which there is no secret key.
class PublicContext {
 public:
  explicit PublicContext(SharedWorkshop workshop)
      : workshop_(std::move(workshop)),
        encryptor_(std::make_shared<const Encryptor>(
            workshop_->context(), workshop_->keys("PublicContext").encryption)) {}

  const SharedWorkshop& workshop() const { return workshop_; }
  const PublicKeys& keys() const { return *workshop_->shared_keys(); }
  BoundCiphertext encrypt(const Plaintext& plain) const {
    return {workshop_, std::make_shared<const Ciphertext>(encryptor_->encrypt(plain))};
  }

 private:
  SharedWorkshop workshop_;
  std::shared_ptr<const Encryptor> encryptor_;
};

template <SchemeType kScheme>
struct SecretContextOf : SecretContext {
  using SecretContext::SecretContext;
};
template <SchemeType kScheme>
struct PublicContextOf : PublicContext {
  using PublicContext::PublicContext;
};

}  // namespace ringlet::python
