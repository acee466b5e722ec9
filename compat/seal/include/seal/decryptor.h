// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "seal/ciphertext.h"
#include "seal/context.h"
#include "seal/plaintext.h"
#include "seal/secretkey.h"
#include "seal/util/defines.h"

namespace ringlet::seal4 {

/// Decrypts ciphertexts of any size from 2 on, at any data level. Several threads may call its
/// functions at once. Constant time in key and message.
///
/// A CKKS decryption contains the noise of the ciphertext. Anyone who knows the decryption and the
/// ciphertext can learn about the secret key (Li and Micciancio, IACR ePrint 2020/1533): give
/// decryptions only to people who may have the secret key.
class RINGLET_SEAL_API Decryptor {
 public:
  /// Makes a decryptor with a copy of the key.
  /// @throws std::invalid_argument if the context's parameters or the key are not valid.
  explicit Decryptor(const SEALContext& context, const SecretKey& secret_key);
  Decryptor(const Decryptor&) = delete;
  Decryptor& operator=(const Decryptor&) = delete;
  ~Decryptor();

  /// Decrypts a ciphertext. For BFV and BGV, `destination` gets at least one coefficient, without
  /// zeros at the end. For CKKS, `destination` is in NTT form, with the ciphertext's level and
  /// scale. A wrong key or too much noise give a wrong result, not an error.
  /// @throws std::invalid_argument if the ciphertext is not valid for the context, is empty, or is
  ///         not in coefficient form (BFV) or NTT form (others). The destination then keeps its
  ///         value.
  void decrypt(const Ciphertext& encrypted, Plaintext& destination);

  /// Returns the number of bits by which the noise may still grow; 0 means that the message is
  /// lost. The result is max(0, bits(q) - bits(w) - 1), where w is the largest coefficient, centred
  /// modulo q, of t*(c_0 + c_1*s + ...) for BFV and of c_0 + c_1*s + ... for BGV.
  /// @throws std::logic_error for CKKS; std::invalid_argument as decrypt.
  SEAL_NODISCARD int invariant_noise_budget(const Ciphertext& encrypted);

 private:
  struct Impl;

  std::unique_ptr<const Impl> impl_;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
