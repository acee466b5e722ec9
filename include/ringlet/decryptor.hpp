// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ciphertext.hpp"
#include "ringlet/context.hpp"
#include "ringlet/export.hpp"
#include "ringlet/keys.hpp"
#include "ringlet/plaintext.hpp"

namespace ringlet {

/// Decrypts. const methods may be called by several threads at once. Constant time in key and
/// message.
///
/// A CKKS decryption carries the noise of the ciphertext. Who is given it together with the
/// ciphertext can learn about the key (Li and Micciancio, IACR ePrint 2020/1533): do not hand it to
/// anybody who must not have the secret key.
class RINGLET_API Decryptor {
 public:
  /// @throws InvalidArgument if the key is empty or belongs to another context.
  Decryptor(const Context& context, const SecretKey& secret_key);
  Decryptor(const Decryptor&) = delete;
  Decryptor& operator=(const Decryptor&) = delete;

  /// c_0 + c_1*s + c_2*s^2 + ... for a ciphertext of any size from 2, with its level and scale, in
  /// NTT form. A wrong key or noise past the modulus give a wrong result, not an error.
  /// @throws InvalidArgument if the ciphertext is empty, of another context, at the key level, not
  ///         in NTT form, or its scale is not a positive normal number. `destination` then keeps
  ///         its value.
  Plaintext decrypt(const Ciphertext& encrypted) const;
  void decrypt(const Ciphertext& encrypted, Plaintext& destination) const {
    destination = decrypt(encrypted);
  }

 private:
  Context context_;
  SecretKey secret_key_;
};

}  // namespace ringlet
