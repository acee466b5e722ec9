// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "ringlet/base/export.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/rlwe/plaintext.hpp"
#include "ringlet/rlwe/random.hpp"
#include "ringlet/rlwe/seeded_ciphertext.hpp"

namespace ringlet {

class SchemeOperations;

namespace rlwe {
struct SmallPolyView;
}  // namespace rlwe

/// Encrypts plaintexts with a public key, a secret key, or either. const methods may be called by
/// several threads at once. Constant time in message, keys and randomness.
///
/// Public key (b, a): the ciphertext is (b*u + e_0, a*u + e_1) for ternary u, plus the message m.
/// It is computed with one prime more than the message's level has (a special prime for a message
/// at the first level) and divided by that prime with rounding, which reduces the noise; then m is
/// added. If there is no such prime, there is no division. Secret key: the ciphertext is
/// (m - (a*s + e), a) for uniform a.
///
/// CKKS: m is the plaintext. BFV: m is floor((q*p + floor((t+1)/2)) / t) for the plaintext p
/// (Brakerski, CRYPTO 2012; Fan and Vercauteren, IACR ePrint 2012/144). BGV: m is the plaintext,
/// and errors are multiples of t (Brakerski, Gentry and Vaikuntanathan, IACR ePrint 2011/277).
/// Plaintexts of BFV and BGV are encrypted at the first level.
class RINGLET_API Encryptor {
 public:
  /// Makes an encryptor with copies of the keys; `random` supplies all its randomness.
  /// @throws InvalidArgument if a key is empty or belongs to another context.
  Encryptor(const Context& context, const PublicKey& public_key,
            RandomSource random = RandomSource());
  Encryptor(const Context& context, const SecretKey& secret_key,
            RandomSource random = RandomSource());
  Encryptor(const Context& context, const PublicKey& public_key, const SecretKey& secret_key,
            RandomSource random = RandomSource());
  ~Encryptor();
  Encryptor(const Encryptor&) = delete;
  Encryptor& operator=(const Encryptor&) = delete;

  /// Sets or replaces a key.
  /// @throws InvalidArgument if the key is empty or belongs to another context.
  void set_public_key(const PublicKey& public_key);
  void set_secret_key(const SecretKey& secret_key);

  /// Encrypts a plaintext. The ciphertext has size 2, the scale of the plaintext and the native
  /// form of the scheme. encrypt() uses the public key, encrypt_symmetric() the secret key. A
  /// `destination` of the same level, size and form keeps its memory.
  /// @throws LogicError if that key is missing; InvalidArgument unless the plaintext is a message
  ///         of the scheme (CKKS: NTT form at a data level with a positive normal scale; BFV and
  ///         BGV: coefficient form, at most N coefficients, all below t, scale 1); RuntimeError if
  ///         there is no randomness. `destination` then keeps its value.
  Ciphertext encrypt(const Plaintext& plain) const;
  void encrypt(const Plaintext& plain, Ciphertext& destination) const;
  Ciphertext encrypt_symmetric(const Plaintext& plain) const;
  void encrypt_symmetric(const Plaintext& plain, Ciphertext& destination) const;

  /// Encrypts as encrypt_symmetric() and keeps the seed of the uniform half, for a file of half the
  /// size.
  /// @throws as encrypt_symmetric; LogicError if the random source has its own function for uniform
  ///         halves.
  SeededCiphertext encrypt_symmetric_seeded(const Plaintext& plain) const;
  /// Encrypts zero as encrypt_zero_symmetric() and keeps the seed of the uniform half.
  SeededCiphertext encrypt_zero_symmetric_seeded(const ParmsId& parms_id) const;
  SeededCiphertext encrypt_zero_symmetric_seeded() const {
    return encrypt_zero_symmetric_seeded(context_.first_parms_id());
  }

  /// Encrypts zero with scale 1 at a data level, by default the first.
  /// @throws as encrypt; InvalidArgument if no data level of the context has that identifier.
  Ciphertext encrypt_zero(const ParmsId& parms_id) const;
  Ciphertext encrypt_zero() const { return encrypt_zero(context_.first_parms_id()); }
  void encrypt_zero(const ParmsId& parms_id, Ciphertext& destination) const;
  void encrypt_zero(Ciphertext& destination) const {
    encrypt_zero(context_.first_parms_id(), destination);
  }
  Ciphertext encrypt_zero_symmetric(const ParmsId& parms_id) const;
  Ciphertext encrypt_zero_symmetric() const {
    return encrypt_zero_symmetric(context_.first_parms_id());
  }
  void encrypt_zero_symmetric(const ParmsId& parms_id, Ciphertext& destination) const;
  void encrypt_zero_symmetric(Ciphertext& destination) const {
    encrypt_zero_symmetric(context_.first_parms_id(), destination);
  }

 private:
  enum class Key { public_key, secret_key };

  std::optional<PublicSeed> encrypt_by(Key key, const Plaintext& plain,
                                       Ciphertext& destination) const;
  std::optional<PublicSeed> zero_by(Key key, const ParmsId& parms_id,
                                    Ciphertext& destination) const;
  std::optional<PublicSeed> write(Key key, const ContextData& level, const Plaintext* plain,
                                  Ciphertext& destination) const;
  void check_has(Key key) const;

  Context context_;
  std::unique_ptr<const SchemeOperations> operations_;
  RandomSource random_;
  std::optional<PublicKey> public_key_;
  std::optional<SecretKey> secret_key_;
};

}  // namespace ringlet
