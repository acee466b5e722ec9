// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/gpu/device.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/ring_spec.hpp"
#include "ringlet/rlwe/parameters.hpp"
#include "ringlet/rlwe/security.hpp"

namespace ringlet {

namespace rlwe {
class ErrorSampler;
class KeySwitchPlan;
}  // namespace rlwe

/// One level of the modulus chain. Immutable; lives as long as any copy of the Context that it came
/// from.
class RINGLET_API ContextData {
 public:
  /// SHA-256 of: the 16 ASCII bytes "ringlet.parms.v2", then as 64-bit little-endian words the
  /// scheme, the kind of ring (1 for X^N + 1, 2 for Phi_m), its degree, for Phi_m also m, the plain
  /// modulus (0 for CKKS), the security level, the
  /// security table (0 at level none), the digit size, the number of data primes and these, the
  /// number of special primes and these, and prime_count(). Byte 8i+j of the digest is byte j,
  /// least significant first, of word i. Kernels do not enter it.
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  /// 0 for the last level, one more for each level above it.
  std::size_t chain_index() const noexcept { return chain_index_; }
  /// The ring's degree.
  std::size_t degree() const noexcept { return degree_; }

  /// Indices of this level's primes in the basis of the backend: 0, 1, ..., prime_count() - 1. At
  /// the key level these are all data primes and all special primes.
  PrimeIndices primes() const noexcept {
    return PrimeIndices(key_switch_primes_).first(prime_count_);
  }
  std::size_t prime_count() const noexcept { return prime_count_; }
  /// The same primes by value, in order.
  std::span<const Modulus> coeff_modulus() const noexcept { return moduli_; }
  /// This level's primes followed by the special primes: the targets of a key switch at this level.
  /// At the key level, and if there are no special primes, the same as primes().
  PrimeIndices key_switch_primes() const noexcept { return key_switch_primes_; }
  /// BFV: the primes R beside this level's Q over which products are computed, such that
  /// R >= 16*t*d*Q, d the ring's expansion factor (N for X^N + 1). Empty in other schemes.
  PrimeIndices auxiliary_primes() const noexcept { return auxiliary_primes_; }

  /// The product of this level's primes as little-endian words, prime_count() of them.
  std::span<const std::uint64_t> total_coeff_modulus() const noexcept { return product_; }
  /// Its number of significant bits.
  int total_coeff_modulus_bit_count() const noexcept { return bit_count_; }

  /// The level with one prime less; null at the last level.
  const ContextData* next_context_data() const noexcept { return next_; }
  /// The level above; null at the key level.
  const ContextData* prev_context_data() const noexcept { return prev_; }

  /// The memory of ciphertexts and plaintexts that are made at this level: that of the context's
  /// backend on the host.
  const std::shared_ptr<HostPool>& pool() const noexcept { return pool_; }

  /// What key switching at this data level precomputes; null where there is none. For the library.
  const rlwe::KeySwitchPlan* key_switch_plan() const noexcept { return key_switch_plan_.get(); }

 private:
  friend class Context;
  ContextData() = default;

  ParmsId parms_id_{};
  std::size_t chain_index_ = 0;
  std::size_t degree_ = 0;
  std::size_t prime_count_ = 0;
  std::vector<std::size_t> key_switch_primes_;
  std::vector<std::size_t> auxiliary_primes_;
  std::vector<Modulus> moduli_;
  std::vector<std::uint64_t> product_;
  int bit_count_ = 0;
  std::shared_ptr<HostPool> pool_;
  std::shared_ptr<const rlwe::KeySwitchPlan> key_switch_plan_;
  const ContextData* next_ = nullptr;
  const ContextData* prev_ = nullptr;
};

/// Validated parameters with everything precomputed: the modulus chain and the transforms of its
/// primes. Immutable, shared by threads; copies are cheap and share their state.
///
/// The chain: the key level has all primes; keys live there. The first data level has all data
/// primes, each further level one less, down to a single prime; with BFV and BGV down to the last
/// modulus above t. Without special primes the key level is also the first level, and there is no
/// key switching.
class RINGLET_API Context {
 public:
  /// Validates, in this order, and throws InvalidArgument at the first offence:
  ///  1. the scheme is bfv, ckks or bgv;
  ///  2. the degree of X^N + 1 is a power of two in [2, 131072]; another ring is for BFV and BGV
  ///     alone;
  ///  3. there are 1 to 256 primes, at least one of them a data prime;
  ///  4. for each prime in order: at most 61 bits, odd, prime, 1 mod ring().modulus_step()
  ///     (2N), not repeated;
  ///  5. no digit of key switching is longer, in bits, than the special primes together (if it is
  ///     of more than one prime);
  ///  6. the plain modulus: not set for CKKS; for BFV and BGV of at most 60 bits, coprime to all
  ///     primes, for another ring than X^N + 1 to m, and below the product of the data primes;
  ///  7. unless the level is none: max_modulus_bits has a limit for the degree at that level, and
  ///  the significant bits
  ///     of the product of all primes, the special ones included, do not exceed it: this is
  ///     the modulus of keys, the largest that is published.
  /// `kernels` is what the processor's backend and encoders choose by; samplers go by the
  /// environment.
  /// @throws InvalidArgument as above, and if `kernels` names exactly a kernel that cannot run
  ///         these primes.
  explicit Context(const EncryptionParameters& parms, SecurityLevel level = SecurityLevel::tc128,
                   SecurityTable table = SecurityTable::classical_2024,
                   const KernelSelection& kernels = KernelSelection::from_environment());

  /// The same on a backend of the caller's choice.
  /// @throws InvalidArgument as above (same order), and then if `backend` is null or its basis is
  ///         not that of backend_basis().
  Context(const EncryptionParameters& parms, SecurityLevel level, SecurityTable table,
          std::shared_ptr<const Backend> backend);

  /// The basis that a backend needs for these parameters: data primes, special primes, and for BFV
  /// the auxiliary primes of multiplication: the largest of 49 bits or, if another prime has more
  /// than 50, the first of 61 bits in the order of PrimePreference::half_word_one; none that is
  /// there already.
  /// @throws InvalidArgument as the constructor, except for security.
  static RnsBasis backend_basis(const EncryptionParameters& parms);

  /// The same context for an Evaluator that computes on `device`: levels, identifiers and messages
  /// are shared, only backend() differs. Key generation, encryption and decryption run on the host
  /// whichever of the two they are given. Made once per device.
  /// @throws as make_backend.
  Context on(const Device& device) const;
  /// The same on a backend of the caller's choice.
  /// @throws InvalidArgument if it is null or its basis is not that of backend_basis().
  Context on(std::shared_ptr<const Backend> backend) const;
  /// The same on the host: what this was made as.
  Context on_host() const;

  const EncryptionParameters& parms() const noexcept;
  SchemeType scheme() const noexcept { return parms().scheme(); }
  const RingSpec& ring() const noexcept;
  /// Samples errors of this ring. For the library.
  const rlwe::ErrorSampler& error_sampler() const noexcept;
  /// t. @throws LogicError for CKKS.
  const Modulus& plain_modulus() const;
  /// Messages have N slots: t is a prime = 1 mod 2N. False for CKKS, and for other rings than
  /// X^N + 1: SlotEncoder knows their slots.
  bool using_batching() const noexcept;
  /// The primes by which key switching divides.
  PrimeIndices special_primes() const noexcept;
  /// The form in which ciphertexts are computed on: coefficients for BFV, NTT form otherwise.
  Form ciphertext_form() const noexcept;
  SecurityLevel security_level() const noexcept;
  SecurityTable security_table() const noexcept;
  /// Runs the polynomial arithmetic of an Evaluator; its basis is backend_basis(parms()).
  const Backend& backend() const noexcept;
  /// What the kernels of this context, its encoders included, are chosen by: the constructor's
  /// `kernels`; those of the environment where the caller brought the backend.
  const KernelSelection& kernels() const noexcept;

  /// Never null.
  const ContextData* key_context_data() const noexcept;
  const ContextData* first_context_data() const noexcept;
  const ContextData* last_context_data() const noexcept;
  /// Null if no level of this context has that identifier.
  const ContextData* get_context_data(const ParmsId& parms_id) const noexcept;

  const ParmsId& key_parms_id() const noexcept { return key_context_data()->parms_id(); }
  const ParmsId& first_parms_id() const noexcept { return first_context_data()->parms_id(); }
  const ParmsId& last_parms_id() const noexcept { return last_context_data()->parms_id(); }

  /// True if there are special primes, so that relinearization and Galois keys can be made.
  bool using_keyswitching() const noexcept { return key_context_data() != first_context_data(); }

 private:
  struct State;

  std::shared_ptr<State> state_;
  std::shared_ptr<const Backend> backend_;
};

}  // namespace ringlet
