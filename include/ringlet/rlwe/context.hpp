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

/// One level of the modulus chain. Immutable; lives as long as any copy of its Context.
class RINGLET_API ContextData {
 public:
  /// Returns the SHA-256 digest of the parameters and the level. Its input is the 16 ASCII bytes
  /// "ringlet.parms.v2" and then as 64-bit little-endian words: the scheme, the kind of ring (1 for
  /// X^N + 1, 2 for Phi_m), its degree, for Phi_m also m, the plain modulus (0 for CKKS), the
  /// security level, the security table (0 at level none), the digit size, the number of data
  /// primes and these primes, the number of special primes and these primes, and prime_count().
  /// Byte 8i+j of the digest is byte j, least significant first, of word i. The identifier does not
  /// depend on kernels.
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  /// Returns the level: 0 for the last level, and 1 more for each level above the last.
  std::size_t chain_index() const noexcept { return chain_index_; }
  /// Returns the ring's degree.
  std::size_t degree() const noexcept { return degree_; }

  /// Returns the indices of this level's primes in the basis of the backend: 0, 1, ...,
  /// prime_count() - 1. At the key level these are all data primes and all special primes.
  PrimeIndices primes() const noexcept {
    return PrimeIndices(key_switch_primes_).first(prime_count_);
  }
  std::size_t prime_count() const noexcept { return prime_count_; }
  /// Returns the primes of primes() by value, in order.
  std::span<const Modulus> coeff_modulus() const noexcept { return moduli_; }
  /// Returns the indices of this level's primes and then of the special primes: the targets of a
  /// key switch at this level. Equal to primes() at the key level, and if there are no special
  /// primes.
  PrimeIndices key_switch_primes() const noexcept { return key_switch_primes_; }
  /// Returns the auxiliary primes, which BFV uses beside this level's primes to compute products.
  /// Their product R is at least 16*t*d*Q, where Q is the product of this level's primes and d the
  /// ring's expansion factor (N for X^N + 1). Empty in other schemes.
  PrimeIndices auxiliary_primes() const noexcept { return auxiliary_primes_; }

  /// Returns the product of this level's primes as prime_count() little-endian words.
  std::span<const std::uint64_t> total_coeff_modulus() const noexcept { return product_; }
  /// Returns the number of significant bits of the product of this level's primes.
  int total_coeff_modulus_bit_count() const noexcept { return bit_count_; }

  /// Returns the level with one prime less; null at the last level.
  const ContextData* next_context_data() const noexcept { return next_; }
  /// Returns the level above; null at the key level.
  const ContextData* prev_context_data() const noexcept { return prev_; }

  /// Returns the pool of host memory for ciphertexts and plaintexts that are made at this level. It
  /// is the pool of the context's host backend.
  const std::shared_ptr<HostPool>& pool() const noexcept { return pool_; }

  /// Returns the precomputed data of key switching at this data level; null if there is no key
  /// switching. For the library.
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

/// Validated parameters with all precomputed data: the modulus chain and the transforms of its
/// primes. Immutable, shared by threads; copies are cheap and share their state.
///
/// The modulus chain begins with the key level, which has all primes; keys are at this level. The
/// first data level has all data primes. Each further level has one prime less, down to a single
/// prime; with BFV and BGV, down to the last modulus above t. Without special primes the key level
/// is also the first level, and there is no key switching.
class RINGLET_API Context {
 public:
  /// Validates parameters in this order and throws InvalidArgument at the first violation:
  ///  - the scheme is bfv, ckks or bgv;
  ///  - the degree of X^N + 1 is a power of two in [2, 131072]; only BFV and BGV accept other
  ///    rings;
  ///  - there are 1 to 256 primes, at least one of them a data prime;
  ///  - each prime, in order, has at most 61 bits, is odd, prime, 1 mod ring().modulus_step() (2N)
  ///    and not repeated;
  ///  - each digit of key switching that has more than one prime has at most as many bits as the
  ///    special primes together;
  ///  - the plain modulus is not set for CKKS; for BFV and BGV it has at most 60 bits, is coprime
  ///    to all primes, for a ring other than X^N + 1 also to m, and is below the product of the
  ///    data primes;
  ///  - unless the level is none: max_modulus_bits has a limit for the degree at that level, and
  ///    the product of all primes, the special primes included, has at most that many significant
  ///    bits. This product is the modulus of keys, the largest modulus that is published.
  ///
  /// `kernels` selects the kernels of the processor's backend and of encoders; samplers use the
  /// selection of the environment.
  /// @throws InvalidArgument as above, and if `kernels` names one exact kernel and this kernel
  ///         cannot run these primes.
  explicit Context(const EncryptionParameters& parms, SecurityLevel level = SecurityLevel::tc128,
                   SecurityTable table = SecurityTable::classical_2024,
                   const KernelSelection& kernels = KernelSelection::from_environment());

  /// Validates parameters and computes on a backend of the caller's choice.
  /// @throws InvalidArgument as the other constructor, and then if `backend` is null or its basis
  ///         is not backend_basis(parms).
  Context(const EncryptionParameters& parms, SecurityLevel level, SecurityTable table,
          std::shared_ptr<const Backend> backend);

  /// Returns the basis that a backend needs for these parameters: data primes, special primes and,
  /// for BFV, the auxiliary primes of multiplication. The auxiliary primes are the largest primes
  /// of 49 bits. If a data or special prime has more than 50 bits, they are instead the first
  /// primes of 61 bits in the order of PrimePreference::half_word_one. Primes that are already in
  /// the basis are left out.
  /// @throws InvalidArgument as the constructor. The security is not checked.
  static RnsBasis backend_basis(const EncryptionParameters& parms);

  /// Returns this context for an Evaluator that computes on `device`. Only backend() differs:
  /// levels and identifiers are the same, so objects of one context can be used with the other. Key
  /// generation, encryption and decryption run on the host with either context. The backend of a
  /// device is made only once.
  /// @throws as make_backend.
  Context on(const Device& device) const;
  /// Returns this context on a backend of the caller's choice.
  /// @throws InvalidArgument if `backend` is null or its basis is not backend_basis(parms()).
  Context on(std::shared_ptr<const Backend> backend) const;
  /// Returns this context on the host, where it was first made.
  Context on_host() const;

  /// Returns this context for an Evaluator that gives transparent results instead of throwing
  /// LogicError. Anybody can read the message of such a result without a key. For programs that
  /// multiply by zeros on purpose and hide the sum later.
  Context allowing_transparent_results() const;
  bool allows_transparent_results() const noexcept { return allows_transparent_results_; }

  const EncryptionParameters& parms() const noexcept;
  SchemeType scheme() const noexcept { return parms().scheme(); }
  const RingSpec& ring() const noexcept;
  /// Returns the sampler of errors of this ring. For the library.
  const rlwe::ErrorSampler& error_sampler() const noexcept;
  /// Returns t. @throws LogicError for CKKS.
  const Modulus& plain_modulus() const;
  /// Returns true if BatchEncoder has N slots for messages, that is, if t is a prime = 1 mod 2N.
  /// Returns false for CKKS, and for rings other than X^N + 1: SlotEncoder has the slots of such
  /// rings.
  bool using_batching() const noexcept;
  /// Returns the indices of the primes by which key switching divides.
  PrimeIndices special_primes() const noexcept;
  /// Returns the form of ciphertexts in operations: coefficients for BFV, NTT form otherwise.
  Form ciphertext_form() const noexcept;
  SecurityLevel security_level() const noexcept;
  SecurityTable security_table() const noexcept;
  /// Returns the backend that runs the polynomial arithmetic of an Evaluator; its basis is
  /// backend_basis(parms()).
  const Backend& backend() const noexcept;
  /// Returns the selection of kernels of this context, its encoders included: the constructor's
  /// `kernels`, or the selection of the environment if the caller supplied the backend.
  const KernelSelection& kernels() const noexcept;

  /// Return the key level, the first data level and the last data level; never null.
  const ContextData* key_context_data() const noexcept;
  const ContextData* first_context_data() const noexcept;
  const ContextData* last_context_data() const noexcept;
  /// Returns the level with that identifier; null if there is none.
  const ContextData* get_context_data(const ParmsId& parms_id) const noexcept;

  const ParmsId& key_parms_id() const noexcept { return key_context_data()->parms_id(); }
  const ParmsId& first_parms_id() const noexcept { return first_context_data()->parms_id(); }
  const ParmsId& last_parms_id() const noexcept { return last_context_data()->parms_id(); }

  /// Returns true if there are special primes, so that relinearization and Galois keys can be made.
  bool using_keyswitching() const noexcept { return key_context_data() != first_context_data(); }

 private:
  struct State;

  std::shared_ptr<State> state_;
  std::shared_ptr<const Backend> backend_;
  bool allows_transparent_results_ = false;
};

}  // namespace ringlet
