// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ringlet/backend.hpp"
#include "ringlet/export.hpp"
#include "ringlet/kernel_selection.hpp"
#include "ringlet/parameters.hpp"
#include "ringlet/ring_spec.hpp"
#include "ringlet/security.hpp"

namespace ringlet {

/// One level of the modulus chain: the first prime_count() primes. Immutable; lives as long as any
/// copy of the Context that it came from.
class RINGLET_API ContextData {
 public:
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  /// 0 for the last level, one more for each level above it.
  std::size_t chain_index() const noexcept { return chain_index_; }
  /// N.
  std::size_t degree() const noexcept { return degree_; }

  /// Indices of this level's primes in the basis of the backend: 0, 1, ..., prime_count() - 1.
  PrimeIndices primes() const noexcept {
    return PrimeIndices(key_switch_primes_).first(prime_count_);
  }
  std::size_t prime_count() const noexcept { return prime_count_; }
  /// The same primes by value, in order.
  std::span<const Modulus> coeff_modulus() const noexcept { return moduli_; }
  /// This level's primes followed by the special prime: the targets of a key switch at this level.
  /// At the key level, and if there is no special prime, the same as primes().
  PrimeIndices key_switch_primes() const noexcept { return key_switch_primes_; }

  /// The product of this level's primes as little-endian words, prime_count() of them.
  std::span<const std::uint64_t> total_coeff_modulus() const noexcept { return product_; }
  /// Its number of significant bits.
  int total_coeff_modulus_bit_count() const noexcept { return bit_count_; }

  /// The level with one prime less; null at the last level.
  const ContextData* next_context_data() const noexcept { return next_; }
  /// The level with one prime more; null at the key level.
  const ContextData* prev_context_data() const noexcept { return prev_; }

 private:
  friend class Context;
  ContextData() = default;

  ParmsId parms_id_{};
  std::size_t chain_index_ = 0;
  std::size_t degree_ = 0;
  std::size_t prime_count_ = 0;
  std::vector<std::size_t> key_switch_primes_;
  std::vector<Modulus> moduli_;
  std::vector<std::uint64_t> product_;
  int bit_count_ = 0;
  const ContextData* next_ = nullptr;
  const ContextData* prev_ = nullptr;
};

/// Validated parameters with everything precomputed: the modulus chain and the transforms of its
/// primes. Immutable, shared by threads; copies are cheap and share their state.
///
/// The chain: the key level has all primes; keys live there. The first data level has all but the
/// last one (the special prime), each further level one less, down to a single prime. If there is
/// only one prime the key level is also the first level, and there is no key switching.
class RINGLET_API Context {
 public:
  /// Validates, in this order, and throws InvalidArgument at the first offence:
  ///  1. the scheme is one that this version implements;
  ///  2. the degree is a power of two in [2, 131072];
  ///  3. there are 1 to 256 primes;
  ///  4. for each prime in order: at most 61 bits, odd, prime, 1 mod 2N, not repeated;
  ///  5. unless the level is none: the table has the degree at that level, and the significant bits
  ///     of the product of all primes, the special one included, do not exceed its entry.
  /// @throws InvalidArgument as above, and if `kernels` names exactly a kernel that cannot run
  ///         these primes.
  explicit Context(const EncryptionParameters& parms, SecurityLevel level = SecurityLevel::tc128,
                   SecurityTable table = SecurityTable::classical_2024,
                   const KernelSelection& kernels = KernelSelection::from_environment());

  /// The same on a backend of the caller's choice.
  /// @throws InvalidArgument as above (same order), and then if `backend` is null or its basis has
  ///         another degree or other primes than the parameters.
  Context(const EncryptionParameters& parms, SecurityLevel level, SecurityTable table,
          std::shared_ptr<const Backend> backend);

  const EncryptionParameters& parms() const noexcept;
  SchemeType scheme() const noexcept { return parms().scheme(); }
  const RingSpec& ring() const noexcept;
  SecurityLevel security_level() const noexcept;
  SecurityTable security_table() const noexcept;
  /// Runs all polynomial arithmetic; its basis holds all primes, the special one last.
  const Backend& backend() const noexcept;

  /// Never null.
  const ContextData* key_context_data() const noexcept;
  const ContextData* first_context_data() const noexcept;
  const ContextData* last_context_data() const noexcept;
  /// Null if no level of this context has that identifier.
  const ContextData* get_context_data(const ParmsId& parms_id) const noexcept;

  const ParmsId& key_parms_id() const noexcept { return key_context_data()->parms_id(); }
  const ParmsId& first_parms_id() const noexcept { return first_context_data()->parms_id(); }
  const ParmsId& last_parms_id() const noexcept { return last_context_data()->parms_id(); }

  /// True if there is a special prime, so that relinearization and Galois keys can be made.
  bool using_keyswitching() const noexcept { return key_context_data() != first_context_data(); }

 private:
  struct State;

  std::shared_ptr<const State> state_;
};

}  // namespace ringlet
