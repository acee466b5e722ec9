// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "ringlet/base/export.hpp"
#include "ringlet/ring/rns_poly.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/rlwe/plaintext.hpp"

namespace ringlet {

class SchemeOperations;

/// Decrypts. const methods may be called by several threads at once. Constant time in key and
/// message.
///
/// A CKKS decryption carries the noise of the ciphertext. Who is given it together with the
/// ciphertext can learn about the key (Li and Micciancio, IACR ePrint 2020/1533): do not hand it to
/// anybody who must not have the secret key. Results that others may have, whether they know the
/// ciphertext or not, are made by SharingDecryptor.
class RINGLET_API Decryptor {
 public:
  /// @throws InvalidArgument if the key is empty or belongs to another context.
  Decryptor(const Context& context, const SecretKey& secret_key);
  ~Decryptor();
  Decryptor(const Decryptor&) = delete;
  Decryptor& operator=(const Decryptor&) = delete;

  /// The message in c_0 + c_1*s + c_2*s^2 + ... for a ciphertext of any size from 2 at any data
  /// level. CKKS: that polynomial itself, in NTT form with the ciphertext's level and scale. BFV
  /// and BGV: coefficients modulo t, without trailing zeros (at least one remains; how many is no
  /// secret). Noise past the modulus gives a wrong result, not an error, and so does a wrong key
  /// where one of both is without key_id().
  /// @throws InvalidArgument if the ciphertext is empty, of another context or key, at the key
  ///         level, not in native form, its scale or correction factor is none of the scheme, or a
  ///         residue is not reduced. `destination` then keeps its value.
  Plaintext decrypt(const Ciphertext& encrypted) const;
  void decrypt(const Ciphertext& encrypted, Plaintext& destination) const {
    destination = decrypt(encrypted);
  }

  /// As decrypt, and refuses a ciphertext of BFV or BGV whose noise budget is used up. Takes twice
  /// as long. Whether it refuses depends on the key: who may send ciphertexts of his own and hears
  /// of it learns about the key with each, so tell nobody but the one who has the key.
  /// @throws InvalidArgument as decrypt, or if invariant_noise_budget is 0; LogicError for CKKS.
  Plaintext decrypt_checked(const Ciphertext& encrypted) const;

  /// How many bits the noise may still grow before decryption fails: max(0, bits(q) - bits(w) - 1),
  /// w the largest coefficient, centred modulo q, of t*(c_0 + c_1*s + ...) for BFV and of c_0 +
  /// c_1*s + ... for BGV. 0 means that the message is lost. The budget is no secret, and the time
  /// depends on the noise.
  /// @throws LogicError for CKKS; InvalidArgument as decrypt.
  int invariant_noise_budget(const Ciphertext& encrypted) const;

 private:
  friend class SharingDecryptor;

  Plaintext message_of(const Ciphertext& encrypted) const;
  int budget_of(const Ciphertext& encrypted) const;
  /// result = c_0 + c_1*s + ..., in the form of `encrypted`.
  /// @throws InvalidArgument if a residue of `encrypted` is not reduced.
  void compute_phase(const ContextData& level, const Ciphertext& encrypted,
                     ResidueView result) const;
  /// One limb of it, of operands in NTT form and in coefficient form.
  void add_values(const Ciphertext& encrypted, std::size_t limb, PrimeIndices prime,
                  ResidueView result) const;
  void add_coefficients(const Ciphertext& encrypted, std::size_t limb, PrimeIndices prime,
                        ResidueView result) const;

  Context context_;
  std::unique_ptr<const SchemeOperations> operations_;
  SecretKey secret_key_;
};

}  // namespace ringlet
