// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "seal/context.h"
#include "seal/encryptionparams.h"
#include "seal/memorymanager.h"
#include "seal/publickey.h"
#include "seal/serialization.h"
#include "seal/util/defines.h"

namespace ringlet::seal4 {

namespace detail {
struct KeyAccess;

/// Native keys that borrow the words of an object's keys. They go with the words: a move takes
/// them, and a copy makes its own.
class RINGLET_SEAL_API NativeKeys {
 public:
  NativeKeys();
  NativeKeys(const NativeKeys&) : NativeKeys() {}
  NativeKeys& operator=(const NativeKeys&) { return *this = NativeKeys(); }
  NativeKeys(NativeKeys&&) noexcept = default;
  NativeKeys& operator=(NativeKeys&&) noexcept = default;

 private:
  friend struct KeyAccess;
  struct State;
  std::shared_ptr<State> state_;  // null once a caller may change the keys
};
}  // namespace detail

/// Key-switching keys: they turn a ciphertext under another secret s' into a ciphertext under s.
/// Entry i is empty or has one pair for each data prime. Pair j is an encryption of zero at the key
/// level whose first polynomial has P*s' added modulo prime j, where P is the special prime.
/// RelinKeys and GaloisKeys define to which secret s' an index belongs.
class RINGLET_SEAL_API KSwitchKeys : public detail::Saved<KSwitchKeys>,
                                     public detail::Loaded<KSwitchKeys> {
 public:
  /// Makes an object without keys.
  KSwitchKeys() = default;

  /// Returns the number of entries that are not empty.
  std::size_t size() const noexcept;
  /// Returns all entries, which the caller may change. From then on an Evaluator prepares a key of
  /// this object again at each use, and on a device copies it there. The const overload has no such
  /// effect.
  std::vector<std::vector<PublicKey>>& data() noexcept;
  const std::vector<std::vector<PublicKey>>& data() const noexcept { return keys_; }
  /// Returns entry `index`, which the caller may change, as all entries above.
  /// @throws std::invalid_argument if there is no such entry, or the entry is empty.
  std::vector<PublicKey>& data(std::size_t index);
  const std::vector<PublicKey>& data(std::size_t index) const;

  parms_id_type& parms_id() noexcept { return parms_id_; }
  const parms_id_type& parms_id() const noexcept { return parms_id_; }
  MemoryPoolHandle pool() const noexcept { return pool_; }

 private:
  friend struct detail::KeyAccess;

  MemoryPoolHandle pool_ = MemoryManager::GetPool();
  parms_id_type parms_id_ = parms_id_zero;
  std::vector<std::vector<PublicKey>> keys_;
  detail::NativeKeys native_;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
