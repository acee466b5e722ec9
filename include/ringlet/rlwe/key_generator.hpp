// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/rlwe/random.hpp"

namespace ringlet {

/// A function that returns a ciphertext of size 2 in NTT form at `level`, owned or borrowed: a new
/// public key, or a pair of a new key-switching key, takes its memory.
using KeyMemory = std::function<Ciphertext(const ContextData& level)>;

/// Makes keys. The secret has uniform ternary coefficients. Errors are centred binomial with 42
/// bits (standard deviation 3.24, absolute value at most 21). Secrets and errors are sampled and
/// used in constant time. Methods are const and may be called by several threads at once.
class RINGLET_API KeyGenerator {
 public:
  /// Makes a generator with a new secret key.
  /// @throws RuntimeError if there is no randomness.
  explicit KeyGenerator(const Context& context, RandomSource random = RandomSource());
  /// Makes a generator for a copy of an existing secret key.
  /// @throws InvalidArgument if the key is empty or belongs to another context.
  KeyGenerator(const Context& context, const SecretKey& secret_key,
               RandomSource random = RandomSource());
  /// Makes a generator that takes over a secret key: words that the key borrows must outlive it.
  /// `memory` is called once for each public key and each pair, in order. Calls that make keys
  /// throw InvalidArgument if it returns another shape.
  /// @throws as the constructor.
  static KeyGenerator in_memory(const Context& context, SecretKey secret_key, RandomSource random,
                                KeyMemory memory);
  KeyGenerator(const KeyGenerator&) = delete;
  KeyGenerator& operator=(const KeyGenerator&) = delete;

  /// Returns a new secret key, in `memory` if that is a key of this context, owned or borrowed.
  /// @throws RuntimeError if there is no randomness: then `memory` is lost.
  static SecretKey create_secret_key(const Context& context, const RandomSource& random,
                                     SecretKey memory = {});

  const SecretKey& secret_key() const noexcept { return secret_key_; }

  /// Returns a new public key. @throws RuntimeError if there is no randomness.
  PublicKey create_public_key() const;
  void create_public_key(PublicKey& destination) const { destination = create_public_key(); }

  /// Returns the relinearization key, which switches from s^2 to s.
  /// @throws LogicError if the context has no special prime; RuntimeError if there is no
  ///         randomness.
  RelinKeys create_relin_keys() const;
  void create_relin_keys(RelinKeys& destination) const { destination = create_relin_keys(); }

  /// Returns keys for RingSpec::default_galois_elements. Every rotation is a product of these
  /// elements.
  /// @throws LogicError if the context has no special prime; RuntimeError if there is no
  ///         randomness.
  GaloisKeys create_galois_keys() const;
  void create_galois_keys(GaloisKeys& destination) const { destination = create_galois_keys(); }

  /// Returns keys for the rotations by `steps`. Step 0 means complex conjugation (CKKS) or the
  /// exchange of rows (BFV and BGV).
  /// @throws InvalidArgument if |step| >= N/2, or for rings other than X^N + 1; LogicError and
  ///         RuntimeError as create_galois_keys() does.
  GaloisKeys create_galois_keys(const std::vector<int>& steps) const;
  void create_galois_keys(const std::vector<int>& steps, GaloisKeys& destination) const {
    destination = create_galois_keys(steps);
  }

  /// Returns keys for the Galois elements `elements`.
  /// @throws InvalidArgument if one of `elements` is not a Galois element of the ring; LogicError
  ///         and RuntimeError as create_galois_keys() does.
  GaloisKeys create_galois_keys_for_elements(const std::vector<std::uint64_t>& elements) const;

 private:
  KeyGenerator(const Context& context, RandomSource random, SecretKey&& secret_key,
               KeyMemory memory);
  KSwitchKey create_key_switch_key(ConstNttView source) const;
  Ciphertext new_pair() const;

  Context context_;
  RandomSource random_;
  KeyMemory memory_;
  SecretKey secret_key_;
};

}  // namespace ringlet
