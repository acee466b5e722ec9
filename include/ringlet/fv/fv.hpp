// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ringlet/arith/wide_modulus.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/fv/wide_poly.hpp"
#include "ringlet/fv/wide_product.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/ring/ring_spec.hpp"
#include "ringlet/rlwe/parameters.hpp"
#include "ringlet/rlwe/random.hpp"
#include "ringlet/rlwe/security.hpp"

/// FV with a multi-precision modulus (Fan and Vercauteren, IACR ePrint 2012/144; Migliore et al.
/// 2017): key generation, encryption, decryption and addition. Coefficients are integers modulo one
/// q of up to 135 bits. There is no product of ciphertexts: for it use BFV with primes
/// (ringlet::Context) over the same ring.
namespace ringlet::fv {

/// The distribution of secrets: of the secret key and of the polynomial U of encryption.
enum class SecretDistribution : std::uint8_t {
  ternary = 0,  ///< Uniform in {-1, 0, 1}.
  binary = 1,   ///< Uniform in {0, 1}, as in the paper; needs SecurityLevel::reproduction or none.
};

/// The parameters of FV. A plain value; Context validates it.
struct Parameters {
  RingSpec ring;
  WideModulus modulus;
  /// The plaintext modulus t: messages are polynomials modulo t.
  std::uint64_t plain_modulus = 2;
  SecretDistribution secrets = SecretDistribution::ternary;
  ProductWay way = ProductWay::automatic;

  /// Returns parameters with 128 bits of security by the table of 2024: m = 10773, n = 5832, 108
  /// slots, and the largest prime of 125 bits.
  static Parameters default_128();
  /// Returns parameters with 128 bits of security, more slots and a larger modulus: m = 8191,
  /// n = 8190, 630 slots, and the largest prime of 135 bits.
  static Parameters default_128_8190();
  /// Returns the ring and the sizes of Migliore et al. 2017, with about 64 bits of security:
  /// m = 2783, n = 2420, 22 slots, the largest prime of 125 bits, and binary secrets. A Context
  /// accepts them only with SecurityLevel::reproduction or none.
  static Parameters reproduction_2420();
  /// Returns the parameters of reproduction_2420(), but with m = 3485, n = 2560 and 64 slots.
  static Parameters reproduction_2560();
};

class Context;

/// A message: n coefficients in [0, t). Its memory is wiped when it is released.
using Message = SecretVector<std::uint64_t>;

/// The secret key S: n coefficients in {-1, 0, 1}. Its memory is wiped when it is released.
class RINGLET_API SecretKey {
 public:
  std::span<const std::int8_t> coefficients() const noexcept { return coefficients_; }
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  /// Returns the identifier of this key, which is public.
  const KeyId& key_id() const noexcept { return key_id_; }

 private:
  friend class KeyGenerator;
  friend struct Access;
  SecretVector<std::int8_t> coefficients_;
  ParmsId parms_id_{};
  KeyId key_id_ = kKeyIdUnknown;
};

/// The public key (P_1, P_2) = ([-(A * S + E)]_q, A), with coefficients in [0, q). A is expanded
/// from a seed.
class RINGLET_API PublicKey {
 public:
  /// Returns P_1 for i = 0 and P_2 for i = 1.
  /// @throws OutOfRange for any other i.
  const WidePoly& operator[](std::size_t i) const;
  /// Returns the seed from which A is expanded; it is public.
  const PublicSeed& seed() const noexcept { return seed_; }
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  /// Returns the identifier of the secret key that this public key belongs to.
  const KeyId& key_id() const noexcept { return key_id_; }

 private:
  friend class KeyGenerator;
  friend struct Access;
  std::array<WidePoly, 2> polys_;
  int modulus_bits_ = 0;
  PublicSeed seed_{};
  ParmsId parms_id_{};
  KeyId key_id_ = kKeyIdUnknown;
};

/// A ciphertext (C_1, C_2), with coefficients in [0, q).
class RINGLET_API Ciphertext {
 public:
  /// Returns C_1 for i = 0 and C_2 for i = 1.
  /// @throws OutOfRange for any other i.
  const WidePoly& operator[](std::size_t i) const;
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  /// Returns the identifier of the secret key that decrypts this ciphertext.
  const KeyId& key_id() const noexcept { return key_id_; }

 private:
  friend class Encryptor;
  friend class Context;
  friend struct Access;
  std::array<WidePoly, 2> polys_;
  int modulus_bits_ = 0;
  ParmsId parms_id_{};
  KeyId key_id_ = kKeyIdUnknown;
};

/// Holds validated parameters and all precomputed tables. Immutable, cheap to copy; threads may
/// share it.
class RINGLET_API Context {
 public:
  /// Validates the parameters and makes the tables.
  /// @throws InvalidArgument at the first condition that does not hold: t is from 2 to 2^32 and
  ///         coprime to m and q; secrets are ternary, or the level is reproduction or none; q has
  ///         at most max_modulus_bits bits for the ring's degree; the degree is at most 16384; and
  ///         fresh ciphertexts decrypt (max_additions() >= 1).
  explicit Context(const Parameters& parameters, SecurityLevel level = SecurityLevel::tc128,
                   SecurityTable table = SecurityTable::classical_2024,
                   const KernelSelection& kernels = KernelSelection::from_environment());

  const Parameters& parameters() const noexcept;
  SecurityLevel security_level() const noexcept;
  /// Returns a digest of parameters and level, which keys and ciphertexts carry.
  const ParmsId& parms_id() const noexcept;
  SecurityTable security_table() const noexcept;
  const WideProduct& product() const noexcept;
  /// Returns log2 of a bound on |noise| of a fresh ciphertext, rounding included. The noise exceeds
  /// the bound with probability below 2^-192: docs/notes/fv_noise.md.
  double fresh_noise_bits() const noexcept;
  /// Returns the largest number of fresh ciphertexts, at most 2^64 - 1, whose sum decrypts
  /// correctly if the noise of each is within the bound of fresh_noise_bits(). Decryption of the
  /// sum fails with probability below 2^-128.
  std::uint64_t max_additions() const noexcept;

  /// Returns a + b.
  /// @throws InvalidArgument if a or b belongs to other parameters, or a and b belong to different
  ///         keys.
  Ciphertext add(const Ciphertext& a, const Ciphertext& b) const;

 private:
  struct State;
  friend struct Access;
  std::shared_ptr<const State> state_;
};

/// Makes a secret key and its public keys.
class RINGLET_API KeyGenerator {
 public:
  /// Draws a new secret key.
  /// @throws InvalidArgument if `random` has its own uniform half: public keys keep a seed instead.
  explicit KeyGenerator(const Context& context, RandomSource random = {});
  /// Uses an existing secret key, for which it makes public keys.
  /// @throws InvalidArgument if `random` has its own uniform half, or if the key belongs to other
  ///         parameters.
  KeyGenerator(const Context& context, SecretKey secret_key, RandomSource random = {});
  const SecretKey& secret_key() const noexcept { return secret_key_; }
  PublicKey create_public_key() const;

 private:
  Context context_;
  RandomSource random_;
  SecretKey secret_key_;
};

/// Encrypts with a public key: (round(q * m / t) + P_1 * U + E_1, P_2 * U + E_2). Four encryptions
/// in one call share the work on the key and give the same bits as four calls. Constant time in
/// messages and randomness, except for the number of words that the ternary sampler rejects.
class RINGLET_API Encryptor {
 public:
  /// Prepares the public key for products.
  /// @throws InvalidArgument if the key belongs to other parameters.
  Encryptor(const Context& context, const PublicKey& public_key, RandomSource random = {});
  /// Encrypts a message of n coefficients in [0, t).
  /// @throws InvalidArgument if the message has another length, or a coefficient that is not below
  ///         t.
  Ciphertext encrypt(std::span<const std::uint64_t> message) const;
  /// Encrypts any number of messages, four at a time; result i is the ciphertext of message i.
  /// @throws InvalidArgument as for one message.
  std::vector<Ciphertext> encrypt(std::span<const Message> messages) const;

 private:
  Context context_;
  RandomSource random_;
  KeyId key_id_;
  std::array<std::shared_ptr<const PreparedWidePoly>, 2> prepared_;
};

/// Decrypts with the secret key.
class RINGLET_API Decryptor {
 public:
  /// Holds a copy of the secret key.
  /// @throws InvalidArgument if the key belongs to other parameters.
  Decryptor(const Context& context, SecretKey secret_key);
  /// Decrypts: returns round(t * (C_1 + C_2 * S) / q) modulo t. Constant time.
  /// @throws InvalidArgument if the ciphertext belongs to other parameters or to another key.
  Message decrypt(const Ciphertext& encrypted) const;
  /// Returns the remaining noise budget in bits: log2 of q/(2t) divided by the largest noise
  /// coefficient, at least 0. The result counts as public.
  /// @throws InvalidArgument as decrypt.
  double noise_budget(const Ciphertext& encrypted) const;

 private:
  Context context_;
  SecretKey secret_key_;
};

}  // namespace ringlet::fv
