// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "seal/ciphertext.h"
#include "seal/context.h"
#include "seal/encryptionparams.h"
#include "seal/memorymanager.h"
#include "seal/plaintext.h"
#include "seal/publickey.h"
#include "seal/secretkey.h"
#include "seal/serializable.h"
#include "seal/util/defines.h"

namespace ringlet::seal4 {

/// Encrypts plaintexts with a public key, a secret key, or either. Each function has a form with a
/// destination and a form that returns a Serializable, which can only be saved; a symmetric
/// encryption in a Serializable has half the size. Randomness comes from the parameters' random
/// generator, or from the operating system if they have none. Several threads may call const
/// functions at once. Constant time in message, keys and randomness.
///
/// The result has size 2, in coefficient form for BFV and in NTT form for BGV and CKKS. Messages of
/// BFV and BGV are in coefficient form and are encrypted at the first data level. Messages of CKKS
/// are in NTT form and are encrypted at their own level with their scale.
///
/// Common errors: std::logic_error if the required key is missing; std::invalid_argument for a
/// plaintext that is not valid for the context or in the other form, an identifier that names no
/// level, and an uninitialized pool; std::runtime_error if there is no randomness. The destination
/// then keeps its value.
class RINGLET_SEAL_API Encryptor {
 public:
  /// Makes an encryptor with copies of the keys.
  /// @throws std::invalid_argument if the context's parameters or a key are not valid.
  explicit Encryptor(const SEALContext& context, const PublicKey& public_key);
  explicit Encryptor(const SEALContext& context, const SecretKey& secret_key);
  explicit Encryptor(const SEALContext& context, const PublicKey& public_key,
                     const SecretKey& secret_key);
  Encryptor(const Encryptor&) = delete;
  Encryptor& operator=(const Encryptor&) = delete;
  ~Encryptor();

  /// Replaces the key by a copy of the given key.
  /// @throws std::invalid_argument if the key is not valid for the context.
  void set_public_key(const PublicKey& public_key);
  void set_secret_key(const SecretKey& secret_key);

  /// Encrypts a plaintext with the public key.
  void encrypt(const Plaintext& plain, Ciphertext& destination,
               MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  SEAL_NODISCARD Serializable<Ciphertext> encrypt(
      const Plaintext& plain, MemoryPoolHandle pool = MemoryManager::GetPool()) const;

  /// Encrypts zero at a level, by default the first data level; the key level is allowed.
  void encrypt_zero(parms_id_type parms_id, Ciphertext& destination,
                    MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  SEAL_NODISCARD Serializable<Ciphertext> encrypt_zero(
      parms_id_type parms_id, MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void encrypt_zero(Ciphertext& destination,
                    MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  SEAL_NODISCARD Serializable<Ciphertext> encrypt_zero(
      MemoryPoolHandle pool = MemoryManager::GetPool()) const;

  /// Encrypt with the secret key, otherwise as the functions with the public key.
  void encrypt_symmetric(const Plaintext& plain, Ciphertext& destination,
                         MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  SEAL_NODISCARD Serializable<Ciphertext> encrypt_symmetric(
      const Plaintext& plain, MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void encrypt_zero_symmetric(parms_id_type parms_id, Ciphertext& destination,
                              MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  SEAL_NODISCARD Serializable<Ciphertext> encrypt_zero_symmetric(
      parms_id_type parms_id, MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void encrypt_zero_symmetric(Ciphertext& destination,
                              MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  SEAL_NODISCARD Serializable<Ciphertext> encrypt_zero_symmetric(
      MemoryPoolHandle pool = MemoryManager::GetPool()) const;

 private:
  struct Impl;

  std::unique_ptr<Impl> impl_;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
