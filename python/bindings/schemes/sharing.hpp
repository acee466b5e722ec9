// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/schemes/contexts.hpp"
#include "ringlet/schemes/sharing_decryptor.hpp"

namespace ringlet::python {

/// A SharingDecryptor with the workshop of its ciphertexts. Several threads may use it.
class Sharing {
 public:
  /// Needs no interpreter. @throws as SharingDecryptor.
  Sharing(const SecretContext& secret, const SharingPolicy& policy)
      : workshop_(secret.workshop()),
        decryptor_(workshop_->context(), secret.generator().secret_key(), policy) {}

  const SharedWorkshop& workshop() const { return workshop_; }
  const SharingDecryptor& decryptor() const { return decryptor_; }
  SharingDecryptor& decryptor() { return decryptor_; }

 private:
  SharedWorkshop workshop_;
  SharingDecryptor decryptor_;
};

/// Returns the object as a policy. @throws InvalidArgument if it is none.
const SharingPolicy& policy_of(nb::handle object, const char* operation);

/// Implements SecretContext.sharing_decryptor.
std::unique_ptr<Sharing> make_sharing(const SecretContext& secret, nb::handle policy);

}  // namespace ringlet::python
