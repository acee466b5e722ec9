// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "ringlet/ciphertext.hpp"
#include "ringlet/context.hpp"
#include "ringlet/export.hpp"
#include "ringlet/parameters.hpp"
#include "ringlet/storage.hpp"

namespace ringlet {

class KeyGenerator;

/// The secret s: ternary coefficients, kept in NTT form at the key level. Its memory is wiped when
/// it is released.
class RINGLET_API SecretKey {
 public:
  /// Holds nothing.
  SecretKey() = default;

  /// kParmsIdZero if there is no key.
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  /// s over all primes. The first l limbs are s at the level with l primes.
  /// @throws OutOfRange if there is no key.
  ConstNttView view() const { return storage_.host<Form::ntt>(0); }

 private:
  friend class KeyGenerator;

  Storage storage_;
  ParmsId parms_id_{};
};

/// An encryption of zero at the key level: (b, a) with b = e - a*s.
class RINGLET_API PublicKey {
 public:
  /// Holds nothing.
  PublicKey() = default;

  /// kParmsIdZero if there is no key.
  const ParmsId& parms_id() const noexcept { return data_.parms_id(); }
  /// The key as a ciphertext of size 2 at the key level.
  const Ciphertext& data() const noexcept { return data_; }
  /// Payload: 8 bytes per residue, without padding.
  std::size_t byte_count() const noexcept { return data_.byte_count(); }

 private:
  friend class KeyGenerator;

  Ciphertext data_;
};

/// Turns what is encrypted under another secret s' into an encryption under s: one pair for each
/// data prime q_j ("digit"), (b_j, a_j) with b_j = e_j - a_j*s + P*s' modulo q_j and
/// b_j = e_j - a_j*s modulo every other prime, P the special prime. In NTT form at the key level.
class RINGLET_API KSwitchKey {
 public:
  /// Number of pairs: the number of data primes.
  std::size_t digit_count() const noexcept { return storage_.shape().poly_count / 2; }
  /// Over all primes, the special one last.
  /// @throws OutOfRange if digit >= digit_count().
  ConstNttView b(std::size_t digit) const { return storage_.host<Form::ntt>(2 * digit); }
  ConstNttView a(std::size_t digit) const { return storage_.host<Form::ntt>(2 * digit + 1); }
  /// Payload: 8 bytes per residue, without padding.
  std::size_t byte_count() const noexcept { return storage_.word_count() * 8; }

 private:
  friend class KeyGenerator;
  explicit KSwitchKey(const StorageShape& shape) : storage_(shape) {}

  Storage storage_;
};

/// A set of key-switching keys. Immutable; copies share the keys. Thread-safe.
class RINGLET_API KSwitchKeys {
 public:
  /// kParmsIdZero if there are no keys.
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  /// Number of keys.
  std::size_t size() const noexcept { return keys_.size(); }
  /// Payload of all keys: 8 bytes per residue, without padding.
  std::size_t byte_count() const noexcept;

 protected:
  friend class KeyGenerator;
  KSwitchKeys() = default;

  bool has_index(std::uint64_t index) const noexcept { return keys_.contains(index); }
  /// Null if there is none.
  const KSwitchKey* find(std::uint64_t index) const noexcept;
  std::vector<std::uint64_t> indices() const;

 private:
  ParmsId parms_id_{};
  std::map<std::uint64_t, std::shared_ptr<const KSwitchKey>> keys_;
};

/// Keys from powers of the secret, s^2 and up, to s.
class RINGLET_API RelinKeys : public KSwitchKeys {
 public:
  /// Holds nothing.
  RelinKeys() = default;

  bool has_key(std::size_t power) const noexcept { return has_index(power); }
  /// The key from s^power to s.
  /// @throws InvalidArgument if there is none.
  const KSwitchKey& key(std::size_t power) const;
};

/// Keys from s(X^g) to s for Galois elements g.
class RINGLET_API GaloisKeys : public KSwitchKeys {
 public:
  /// Holds nothing.
  GaloisKeys() = default;

  bool has_key(std::uint64_t galois_element) const noexcept { return has_index(galois_element); }
  /// The key from s(X^galois_element) to s.
  /// @throws InvalidArgument if there is none; the message lists the elements that there are.
  const KSwitchKey& key(std::uint64_t galois_element) const;
  /// The elements that have a key, ascending.
  std::vector<std::uint64_t> galois_elements() const { return indices(); }
};

}  // namespace ringlet
