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

/// Decrypts ciphertexts with the secret key. const methods may be called by several threads at
/// once. Constant time in key and message.
///
/// A CKKS decryption carries the noise of the ciphertext. Anyone who has both the decryption and
/// the ciphertext can learn about the key (Li and Micciancio, IACR ePrint 2020/1533). Do not give a
/// decryption to anyone who must not have the secret key. Use SharingDecryptor for results that
/// others see, whether they know the ciphertext or not.
class RINGLET_API Decryptor {
 public:
  /// Makes a decryptor with a copy of the key.
  /// @throws InvalidArgument if the key is empty or belongs to another context.
  Decryptor(const Context& context, const SecretKey& secret_key);
  ~Decryptor();
  Decryptor(const Decryptor&) = delete;
  Decryptor& operator=(const Decryptor&) = delete;

  /// Returns the message of a ciphertext of any size from 2 on at any data level:
  /// c_0 + c_1*s + c_2*s^2 + ... CKKS: the result is this polynomial, in NTT form with the
  /// ciphertext's level and scale. BFV and BGV: the result is at least one coefficient modulo t,
  /// without trailing zeros; the number of coefficients is not secret. If the noise exceeds the
  /// modulus, the result is wrong and there is no error. The same holds for a wrong key, unless
  /// both key and ciphertext have a key_id().
  /// @throws InvalidArgument if the ciphertext is empty, of another context or key, at the key
  ///         level or not in native form, its scale or correction factor is not valid in the
  ///         scheme, or a residue is not reduced. `destination` then keeps its value.
  Plaintext decrypt(const Ciphertext& encrypted) const;
  void decrypt(const Ciphertext& encrypted, Plaintext& destination) const {
    destination = decrypt(encrypted);
  }
  /// Decrypts into `memory`, owned or borrowed, if that is a plaintext in NTT form at the level of
  /// a CKKS ciphertext; otherwise as decrypt(encrypted). Its words must not be those of the
  /// ciphertext or the key. After an error they are lost.
  /// @throws as decrypt(encrypted).
  Plaintext decrypt(const Ciphertext& encrypted, Plaintext&& memory) const;

  /// Decrypts, but refuses a ciphertext of BFV or BGV whose noise budget is used up. Takes twice as
  /// long as decrypt(). Whether it refuses depends on the key: anyone who can send ciphertexts and
  /// sees which are refused learns about the key. Show refusals only to the owner of the key.
  /// @throws InvalidArgument as decrypt, or if invariant_noise_budget is 0; LogicError for CKKS.
  Plaintext decrypt_checked(const Ciphertext& encrypted) const;

  /// Returns by how many bits the noise may still grow before decryption fails:
  ///   max(0, bits(q) - bits(w) - 1),
  /// where w is the largest coefficient, centred modulo q, of t*(c_0 + c_1*s + ...) for BFV and of
  /// c_0 + c_1*s + ... for BGV. 0 means that the message is lost. The budget is not treated as a
  /// secret: the time depends on the noise.
  /// @throws LogicError for CKKS; InvalidArgument as decrypt.
  int invariant_noise_budget(const Ciphertext& encrypted) const;

 private:
  friend class SharingDecryptor;

  Plaintext message_of(const Ciphertext& encrypted, Plaintext memory = {}) const;
  int budget_of(const Ciphertext& encrypted) const;
  /// Computes result = c_0 + c_1*s + ..., in the form of `encrypted`.
  /// @throws InvalidArgument if a residue of `encrypted` is not reduced.
  void compute_phase(const ContextData& level, const Ciphertext& encrypted,
                     ResidueView result) const;
  /// Compute one limb of the phase from operands in NTT form and in coefficient form.
  bool add_values(const Ciphertext& encrypted, std::size_t limb, PrimeIndices prime,
                  ResidueView result) const;
  void add_coefficients(const Ciphertext& encrypted, std::size_t limb, PrimeIndices prime,
                        ResidueView result) const;

  Context context_;
  std::unique_ptr<const SchemeOperations> operations_;
  SecretKey secret_key_;
};

}  // namespace ringlet
