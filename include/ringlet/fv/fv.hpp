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
/// 2017): key generation, encryption, decryption and addition where coefficients are integers
/// modulo one q of up to 135 bits. For products of ciphertexts use BFV with primes
/// (ringlet::Context) over the same ring.
namespace ringlet::fv {

/// How secrets (the key, and the u of encryption) are drawn.
enum class SecretDistribution : std::uint8_t {
  ternary = 0,  ///< Uniform in {-1, 0, 1}.
  binary = 1,  ///< Uniform in {0, 1}, as in the paper; only with SecurityLevel::reproduction, none.
};

/// What FV is run with; a plain value, validated by Context.
struct Parameters {
  RingSpec ring;
  WideModulus modulus;
  /// t: messages are polynomials modulo t.
  std::uint64_t plain_modulus = 2;
  SecretDistribution secrets = SecretDistribution::ternary;
  ProductWay way = ProductWay::automatic;

  /// 128 bits by the table of 2024: m = 10773, n = 5832, 108 slots, the largest prime of 125 bits.
  static Parameters default_128();
  /// 128 bits with more slots and more room: m = 8191, n = 8190, 630 slots, the largest prime of
  /// 135 bits.
  static Parameters default_128_8190();
  /// The ring and the sizes of the paper, about 64 bits of security: m = 2783, n = 2420, 22 slots,
  /// the largest prime of 125 bits, binary secrets. A Context takes them only with
  /// SecurityLevel::reproduction or none.
  static Parameters reproduction_2420();
  /// The same with n = 2560: m = 3485, 64 slots.
  static Parameters reproduction_2560();
};

class Context;

/// n coefficients modulo t. Wiped when released.
using Message = SecretVector<std::uint64_t>;

/// S: n coefficients in {-1, 0, 1}. Wiped when released.
class RINGLET_API SecretKey {
 public:
  std::span<const std::int8_t> coefficients() const noexcept { return coefficients_; }
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  /// Names the key; public.
  const KeyId& key_id() const noexcept { return key_id_; }

 private:
  friend class KeyGenerator;
  friend struct Access;
  SecretVector<std::int8_t> coefficients_;
  ParmsId parms_id_{};
  KeyId key_id_ = kKeyIdUnknown;
};

/// (P_1, P_2) = ([-(A * S + E)]_q, A), coefficients in [0, q). A is expanded from a seed.
class RINGLET_API PublicKey {
 public:
  /// P_1 for 0, P_2 for 1. @throws OutOfRange for others.
  const WidePoly& operator[](std::size_t i) const;
  /// What A is expanded from; public.
  const PublicSeed& seed() const noexcept { return seed_; }
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  /// Of the secret key that it belongs to.
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

/// (C_1, C_2), coefficients in [0, q).
class RINGLET_API Ciphertext {
 public:
  /// C_1 for 0, C_2 for 1. @throws OutOfRange for others.
  const WidePoly& operator[](std::size_t i) const;
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  /// Of the secret key that decrypts it.
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

/// Validated parameters with everything precomputed. Immutable, cheap to copy, shared by threads.
class RINGLET_API Context {
 public:
  /// @throws InvalidArgument at the first offence: t from 2 to 2^32 and coprime to m and q, binary
  ///         secrets only with the levels reproduction and none, the bits of q within
  ///         max_modulus_bits for the ring's degree, the degree at most 16384, and q large enough
  ///         for fresh ciphertexts to decrypt: max_additions() >= 1.
  explicit Context(const Parameters& parameters, SecurityLevel level = SecurityLevel::tc128,
                   SecurityTable table = SecurityTable::classical_2024,
                   const KernelSelection& kernels = KernelSelection::from_environment());

  const Parameters& parameters() const noexcept;
  SecurityLevel security_level() const noexcept;
  /// A digest of parameters and level; keys and ciphertexts carry it.
  const ParmsId& parms_id() const noexcept;
  SecurityTable security_table() const noexcept;
  const WideProduct& product() const noexcept;
  /// log2 of a bound on |noise| of a fresh ciphertext, rounding included, that fails with
  /// probability below 2^-192: docs/notes/fv_noise.md.
  double fresh_noise_bits() const noexcept;
  /// The largest number of fresh ciphertexts whose sum decrypts as long as each is within that
  /// bound, at most 2^64 - 1: the sum fails with probability below 2^-128.
  std::uint64_t max_additions() const noexcept;

  /// a + b. @throws InvalidArgument if one belongs to other parameters, or both to different keys.
  Ciphertext add(const Ciphertext& a, const Ciphertext& b) const;

 private:
  struct State;
  friend struct Access;
  std::shared_ptr<const State> state_;
};

class RINGLET_API KeyGenerator {
 public:
  /// Draws a new secret key.
  /// @throws InvalidArgument if `random` has a uniform half of its own: public keys keep a seed.
  explicit KeyGenerator(const Context& context, RandomSource random = {});
  /// Makes public keys of a secret key that exists.
  /// @throws InvalidArgument as above, or if the key belongs to other parameters.
  KeyGenerator(const Context& context, SecretKey secret_key, RandomSource random = {});
  const SecretKey& secret_key() const noexcept { return secret_key_; }
  PublicKey create_public_key() const;

 private:
  Context context_;
  RandomSource random_;
  SecretKey secret_key_;
};

/// Encrypts with a public key: (round(q * m / t) + P_1 * U + E_1, P_2 * U + E_2). Four at once
/// share the work on the key and give the same bits as one after the other. Constant time in
/// messages and randomness, but for the number of words that the ternary sampler rejects.
class RINGLET_API Encryptor {
 public:
  /// @throws InvalidArgument if the key belongs to other parameters.
  Encryptor(const Context& context, const PublicKey& public_key, RandomSource random = {});
  /// @throws InvalidArgument if the message has not n coefficients below t.
  Ciphertext encrypt(std::span<const std::uint64_t> message) const;
  /// The same for any number of messages; by fours.
  std::vector<Ciphertext> encrypt(std::span<const Message> messages) const;

 private:
  Context context_;
  RandomSource random_;
  KeyId key_id_;
  std::array<std::shared_ptr<const PreparedWidePoly>, 2> prepared_;
};

class RINGLET_API Decryptor {
 public:
  /// @throws InvalidArgument if the key belongs to other parameters.
  Decryptor(const Context& context, SecretKey secret_key);
  /// round(t * (C_1 + C_2 * S) / q) modulo t. Constant time.
  /// @throws InvalidArgument if the ciphertext belongs to other parameters or to another key.
  Message decrypt(const Ciphertext& encrypted) const;
  /// log2 of q/(2t) over the largest noise coefficient, at least 0: what is left. Declassified.
  /// @throws InvalidArgument as decrypt.
  double noise_budget(const Ciphertext& encrypted) const;

 private:
  Context context_;
  SecretKey secret_key_;
};

}  // namespace ringlet::fv
