// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "seal/context.h"
#include "seal/galoiskeys.h"
#include "seal/publickey.h"
#include "seal/relinkeys.h"
#include "seal/secretkey.h"
#include "seal/serializable.h"
#include "seal/util/defines.h"

namespace ringlet::seal4 {

/// Makes keys. Randomness comes from the parameters' random generator, or from the operating system
/// if they have none; without randomness functions throw std::runtime_error. Functions that return
/// a Serializable make keys of half the size, which can only be saved. Several threads may call
/// const functions at once.
class RINGLET_SEAL_API KeyGenerator {
 public:
  /// Makes a generator with a new secret key.
  /// @throws std::invalid_argument if the context's parameters are not valid.
  explicit KeyGenerator(const SEALContext& context);
  /// Makes a generator for an existing secret key.
  /// @throws std::invalid_argument also if the key is not valid for the context.
  explicit KeyGenerator(const SEALContext& context, const SecretKey& secret_key);
  KeyGenerator(const KeyGenerator&) = delete;
  KeyGenerator& operator=(const KeyGenerator&) = delete;
  ~KeyGenerator();

  SEAL_NODISCARD const SecretKey& secret_key() const;

  void create_public_key(PublicKey& destination) const;
  SEAL_NODISCARD Serializable<PublicKey> create_public_key() const;

  /// Makes the key from s^2 to s.
  /// @throws std::logic_error if the context has no special prime; the functions below throw it
  ///         too.
  void create_relin_keys(RelinKeys& destination) const;
  SEAL_NODISCARD Serializable<RelinKeys> create_relin_keys() const;

  /// Makes keys for the Galois elements `galois_elts`.
  /// @throws std::invalid_argument if an element is even or not below 2N.
  void create_galois_keys(const std::vector<std::uint32_t>& galois_elts,
                          GaloisKeys& destination) const;
  SEAL_NODISCARD Serializable<GaloisKeys> create_galois_keys(
      const std::vector<std::uint32_t>& galois_elts) const;

  /// Makes keys for the rotations by `steps`; step 0 means swapping rows or complex conjugation.
  /// @throws std::invalid_argument if |step| >= N/2; std::logic_error also without batching.
  void create_galois_keys(const std::vector<int>& steps, GaloisKeys& destination) const;
  SEAL_NODISCARD Serializable<GaloisKeys> create_galois_keys(const std::vector<int>& steps) const;

  /// Makes keys for the elements 2N-1 and 3^(+-2^i). Every rotation is a product of these.
  void create_galois_keys(GaloisKeys& destination) const;
  SEAL_NODISCARD Serializable<GaloisKeys> create_galois_keys() const;

  template <typename... Arguments>
  PublicKey public_key(Arguments&&...) const
      RINGLET_SEAL_GONE("write create_public_key(destination)");
  template <typename... Arguments>
  RelinKeys relin_keys(Arguments&&...) const
      RINGLET_SEAL_GONE("write create_relin_keys(destination)");
  template <typename... Arguments>
  RelinKeys relin_keys_local(Arguments&&...) const
      RINGLET_SEAL_GONE("write create_relin_keys(destination)");
  template <typename... Arguments>
  GaloisKeys galois_keys(Arguments&&...) const
      RINGLET_SEAL_GONE("write create_galois_keys(elements or steps, destination)");
  template <typename... Arguments>
  GaloisKeys galois_keys_local(Arguments&&...) const
      RINGLET_SEAL_GONE("write create_galois_keys(elements or steps, destination)");

 private:
  struct Impl;

  std::unique_ptr<const Impl> impl_;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
