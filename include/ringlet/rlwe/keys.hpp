// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/ring/storage.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/parameters.hpp"
#include "ringlet/rlwe/random.hpp"

namespace ringlet {

class KeyGenerator;

namespace rlwe {
class SecretKeyFile;
struct SharedResults;
}  // namespace rlwe

/// The secret s: ternary coefficients, stored in NTT form at the key level. Its memory is wiped
/// when it is released.
class RINGLET_API SecretKey {
 public:
  /// Makes an empty object.
  SecretKey();
  /// Makes a key on memory of the caller, which must outlive it. `words` holds s in NTT form over
  /// all primes of the key level, limb after limb, N reduced words each. Copies own their memory.
  static SecretKey borrow(const Context& context, std::uint64_t* words);

  /// Returns the key level; kParmsIdZero if there is no key.
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  /// Returns the identifier of this key; kKeyIdUnknown if there is no key, or it is borrowed.
  const KeyId& key_id() const noexcept { return key_id_; }
  /// Returns s over all primes. The first l limbs are s at the level with l primes.
  /// @throws OutOfRange if there is no key.
  ConstNttView view() const { return storage_.host<Form::ntt>(0); }

 private:
  friend class KeyGenerator;
  friend class SharingDecryptor;
  friend class rlwe::SecretKeyFile;

  Storage storage_;
  ParmsId parms_id_{};
  KeyId key_id_ = kKeyIdUnknown;
  std::shared_ptr<rlwe::SharedResults> shared_results_;  // shared by all copies
};

/// A public key: an encryption of zero at the key level, (b, a) with b = -(a*s + e), where e is a
/// multiple of t for BGV.
class RINGLET_API PublicKey {
 public:
  /// Makes an empty object.
  PublicKey() = default;
  /// Makes a key from its ciphertext. `seed`, if there is one, is the seed from which a was
  /// expanded.
  /// @throws InvalidArgument unless the ciphertext has size 2, is in NTT form and at the key level
  ///         of `context`.
  PublicKey(const Context& context, Ciphertext data, std::optional<PublicSeed> seed = std::nullopt);

  /// Returns the key level; kParmsIdZero if there is no key.
  const ParmsId& parms_id() const noexcept { return data_.parms_id(); }
  /// Returns the identifier of the secret key to which this public key belongs.
  const KeyId& key_id() const noexcept { return data_.key_id(); }
  /// Returns the key as a ciphertext of size 2 at the key level.
  const Ciphertext& data() const noexcept { return data_; }
  /// Returns the seed from which a was expanded, if there is one.
  const std::optional<PublicSeed>& seed() const noexcept { return seed_; }
  /// Returns the size in bytes, without padding: 8 per residue.
  std::size_t byte_count() const noexcept { return data_.byte_count(); }

 private:
  friend class KeyGenerator;

  Ciphertext data_;
  std::optional<PublicSeed> seed_;
};

/// A key that turns an encryption under another secret s' into an encryption under s. It has one
/// pair for each digit, that is, for each group of EncryptionParameters::digit_size data primes.
/// With P the product of the special primes, pair (b_j, a_j) has b_j = P*s' - (a_j*s + e_j)
/// modulo the primes of digit j and b_j = -(a_j*s + e_j) modulo all others. In NTT form at the key
/// level. Immutable.
class RINGLET_API KSwitchKey {
 public:
  /// Makes a key from its pairs. `seeds`, if not empty, are the seeds from which the a_j were
  /// expanded.
  /// @throws InvalidArgument unless there is one pair per digit of `context`, each of size 2, in
  ///         NTT form, at the key level and with the same key_id(), and there are as many seeds as
  ///         pairs, or no seeds.
  KSwitchKey(const Context& context, std::vector<Ciphertext> pairs,
             std::vector<PublicSeed> seeds = {});

  /// Moves the key. A key cannot be copied, because prepared keys refer to its words.
  KSwitchKey(KSwitchKey&&) noexcept;
  KSwitchKey& operator=(KSwitchKey&&) noexcept;
  ~KSwitchKey();

  /// Returns the number of pairs.
  std::size_t digit_count() const noexcept { return pairs_.size(); }
  /// Returns b or a of a pair over all primes, the special primes last.
  /// @throws OutOfRange if digit >= digit_count().
  ConstNttView b(std::size_t digit) const { return pair(digit).ntt_view(0); }
  ConstNttView a(std::size_t digit) const { return pair(digit).ntt_view(1); }
  /// Returns one pair as a ciphertext.
  /// @throws OutOfRange if digit >= digit_count().
  const Ciphertext& pair(std::size_t digit) const;
  /// Returns the identifier of the secret key s, which all pairs have.
  KeyId key_id() const noexcept { return pairs_.empty() ? kKeyIdUnknown : pairs_.front().key_id(); }
  /// Returns one seed per pair, or none.
  const std::vector<PublicSeed>& seeds() const noexcept { return seeds_; }
  /// Returns the size in bytes, without padding: 8 per residue.
  std::size_t byte_count() const noexcept;

  /// Returns this key in the internal format of `backend`. The first call for a backend makes the
  /// prepared key, which is kept at least as long as that backend lives. Thread-safe.
  const PreparedKey& prepared(const Backend& backend) const;

 private:
  struct Preparations;

  std::vector<Ciphertext> pairs_;
  std::vector<PublicSeed> seeds_;
  std::unique_ptr<Preparations> preparations_;
};

/// A map of keys by index. The index is a power of the secret or a Galois element.
using KSwitchKeyMap = std::map<std::uint64_t, std::shared_ptr<const KSwitchKey>>;

/// A source of the keys of a set that loads each key at its first use. Implementations are
/// thread-safe.
class RINGLET_API KSwitchKeySource {
 public:
  virtual ~KSwitchKeySource();
  /// Returns the indices that have a key. Every call returns the same indices.
  virtual std::vector<std::uint64_t> indices() const = 0;
  /// Returns the identifier of the secret key of all keys.
  virtual KeyId key_id() const { return kKeyIdUnknown; }
  /// Returns the key of `index`; never null. Throws an exception if the key cannot be loaded; the
  /// caller may then try again.
  virtual std::shared_ptr<const KSwitchKey> load(std::uint64_t index) const = 0;
};

/// A set of key-switching keys. Immutable; copies share the keys. Thread-safe. Keys of a source are
/// loaded at their first use and then kept.
class RINGLET_API KSwitchKeys {
 public:
  /// Returns the key level; kParmsIdZero if there are no keys.
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  /// Returns the identifier of the secret key s.
  const KeyId& key_id() const noexcept { return key_id_; }
  /// Returns the number of keys.
  std::size_t size() const noexcept { return keys_.size(); }
  /// Returns the size of all keys in bytes, without padding: 8 per residue.
  std::size_t byte_count() const noexcept;

 protected:
  KSwitchKeys() = default;
  void set(const Context& context, KSwitchKeyMap keys);
  void set(const Context& context, std::shared_ptr<const KSwitchKeySource> source);

  bool has_index(std::uint64_t index) const noexcept { return keys_.contains(index); }
  /// Returns a key; null if there is none. Throws what the source of the keys throws.
  const KSwitchKey* find(std::uint64_t index) const;
  std::vector<std::uint64_t> indices() const;

 private:
  struct Lazy;

  ParmsId parms_id_{};
  KeyId key_id_ = kKeyIdUnknown;
  KSwitchKeyMap keys_;          // null where lazy_ loads the key
  std::shared_ptr<Lazy> lazy_;  // null if all keys are loaded
};

/// A set of key-switching keys from the powers s^2, s^3, ... of the secret to s.
class RINGLET_API RelinKeys : public KSwitchKeys {
 public:
  /// Makes an empty set.
  RelinKeys() = default;
  /// Makes a set of `keys`. The index of a key is the power of the secret that the key replaces.
  /// @throws InvalidArgument if a power is below 2 or above 15, or a key is null or not of the key
  ///         level of `context`.
  RelinKeys(const Context& context, KSwitchKeyMap keys);

  bool has_key(std::size_t power) const noexcept { return has_index(power); }
  /// Returns the powers that have a key, in ascending order.
  std::vector<std::uint64_t> powers() const { return indices(); }
  /// Returns the key from s^power to s.
  /// @throws InvalidArgument if there is no such key.
  const KSwitchKey& key(std::size_t power) const;
};

/// A set of key-switching keys from s(X^g) to s, for Galois elements g.
class RINGLET_API GaloisKeys : public KSwitchKeys {
 public:
  /// Makes an empty set.
  GaloisKeys() = default;
  /// Makes a set of `keys`. The index of a key is its Galois element.
  /// @throws InvalidArgument if an index is not a Galois element of the ring, or a key is null or
  ///         not of the key level of `context`.
  GaloisKeys(const Context& context, KSwitchKeyMap keys);
  /// Makes a set whose keys are loaded from `source` at their first use; see open_galois_keys.
  /// @throws InvalidArgument if an index is not a Galois element of the ring, or the source is
  ///         null.
  GaloisKeys(const Context& context, std::shared_ptr<const KSwitchKeySource> source);

  bool has_key(std::uint64_t galois_element) const noexcept { return has_index(galois_element); }
  /// Returns the key from s(X^galois_element) to s.
  /// @throws InvalidArgument if there is no such key; the message lists the elements that have a
  ///         key. If this call loads the key, also what the source throws.
  const KSwitchKey& key(std::uint64_t galois_element) const;
  /// Returns the elements that have a key, in ascending order.
  std::vector<std::uint64_t> galois_elements() const { return indices(); }
};

}  // namespace ringlet
