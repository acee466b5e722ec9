// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "native/access.hpp"
#include "ringlet/base/wipe.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/plaintext.hpp"
#include "seal/ciphertext.h"
#include "seal/context.h"
#include "seal/memorymanager.h"
#include "seal/plaintext.h"

// The way from SEAL's objects to Ringlet's and back, which all services use.

namespace ringlet::seal4::detail {

/// A SEALContext and the native context that computes for it, with the checks that the services
/// have in common. Operands are borrowed and results are copied at most once: see convert.hpp.
/// Results in borrowed words are not copied. Immutable; thread-safe.
class Bridge {
 public:
  /// `operation` names the service in messages, here and below.
  /// @throws InvalidArgument if the context's parameters are not valid.
  Bridge(const SEALContext& context, const char* operation);

  const SEALContext& context() const noexcept { return context_; }
  const EncryptionParameters& parms() const { return context_.key_context_data()->parms(); }
  const ringlet::Context& native() const noexcept { return native_; }

  /// Whether this is a key level above the data levels.
  bool is_pure_key_level(const parms_id_type& parms_id) const {
    return context_.using_keyswitching() && parms_id == context_.key_parms_id();
  }
  /// Returns the key level as a data level of a context without special primes, made at first use.
  const ringlet::Context& key_level() const;

  /// Returns the level of the native context.
  /// @throws InvalidArgument if there is none, or it is not a data level.
  const ringlet::ParmsId& native_parms_id(const parms_id_type& parms_id,
                                          const char* operation) const;

  /// Returns the identifier of the next level; null at the last level and for one that is unknown.
  const parms_id_type* next_parms_id(const parms_id_type& parms_id) const noexcept;
  bool is_last(const parms_id_type& parms_id) const noexcept {
    return parms_id == context_.last_parms_id();
  }
  /// Gives `fresh` the shape of a result at a data level, with unspecified words. Returns false if
  /// no ciphertext has this shape.
  bool shape(Ciphertext& fresh, const parms_id_type& parms_id, std::size_t size, bool is_ntt) const;

  /// Returns the native operand (borrow_native).
  /// @throws InvalidArgument unless metadata and buffer are valid at a data level and, for a
  ///         ciphertext, it is not empty.
  ringlet::Ciphertext borrow(const Ciphertext& in, const char* operation) const;
  ringlet::Plaintext borrow(const Plaintext& in, const char* operation) const;

  /// Returns an operand of an Evaluator on a device (CiphertextAccess::on_device).
  /// @throws as borrow.
  std::shared_ptr<const ringlet::Ciphertext> borrow_on_device(const Ciphertext& in,
                                                              const char* operation) const;

  /// Returns a place for a native result: the words of `destination` if it holds a valid object, so
  /// that results of its shape need no copy; otherwise an empty object. Call store() afterwards.
  ringlet::Ciphertext place(Ciphertext& destination) const;
  ringlet::Plaintext place(Plaintext& destination) const;

  /// Gives an empty `fresh` room for the message of a CKKS ciphertext, at least as much as
  /// `destination` has, and returns a place in it. Returns an empty object in other schemes, and if
  /// a caller may have a pointer into the array of `destination`.
  ringlet::Plaintext place_like(Plaintext& fresh, const Ciphertext& encrypted,
                                const Plaintext& destination) const;

  /// Runs call(Ciphertext& target) for a result of this shape, so that the result needs no copy.
  /// The target is `destination` itself if `may_reuse` allows it and its array has the shape, or
  /// if a caller may have a pointer into the array. Otherwise it is a new array in the same pool,
  /// which then replaces that of `destination`.
  template <typename Call>
  void run_for_shape(Ciphertext& destination, const parms_id_type& parms_id, std::size_t size,
                     bool is_ntt, bool may_reuse, Call call) const {
    const bool has_shape = destination.size() == size && destination.is_ntt_form() == is_ntt &&
                           destination.parms_id() == parms_id;
    if (may_reuse && has_shape) return call(destination);
    Ciphertext fresh(destination.pool());
    if (!CiphertextAccess::reserve_like(destination, fresh) ||
        !shape(fresh, parms_id, size, is_ntt)) {
      return call(destination);
    }
    CiphertextAccess::set_vacant(fresh);
    call(fresh);
    destination = std::move(fresh);
  }

  /// Gives `destination` the value of a native result (write_back).
  void store(const ringlet::Ciphertext& result, Ciphertext& destination) const;
  void store(const ringlet::Plaintext& result, Plaintext& destination) const;
  /// Gives `destination` a result of an Evaluator on a device (CiphertextAccess::store).
  void store_on_device(ringlet::Ciphertext&& result, Ciphertext& destination) const;
  /// Stores a result of key_level(), which is then at the key level.
  void store_at_key_level(const ringlet::Ciphertext& result, Ciphertext& destination) const;
  void store_at_key_level(const ringlet::Plaintext& result, Plaintext& destination) const;

 private:
  /// A level of both contexts. Found by comparing identifiers, it counts no references.
  struct Level {
    const SEALContext::ContextData* data;
    const ringlet::ContextData* native;
    bool is_for_data;
  };

  /// Return the data level of an identifier, the level of a native object, and the level of a
  /// ciphertext that is usable as an operand or a destination; null if there is none.
  const Level* find(const parms_id_type& parms_id) const noexcept;
  const Level* find_native(const ringlet::ParmsId& parms_id) const noexcept;
  const Level* level_of(const Ciphertext& in) const;
  bool is_usable(const Plaintext& in, const Level* level) const;

  SEALContext context_;
  ringlet::Context native_;
  std::vector<Level> levels_;  ///< From the key level down; `context_` keeps them.
  bool has_scale_;
  mutable std::once_flag key_level_made_;
  mutable std::unique_ptr<const ringlet::Context> key_level_;
};

/// @throws InvalidArgument if the pool is uninitialized.
void check_pool(const MemoryPoolHandle& pool, const char* operation);
/// @throws InvalidArgument unless size == slot_count, the lengths of a destination and of a
///         plaintext's slots.
void check_span(std::size_t size, std::size_t slot_count, const char* operation);

/// Runs decode(std::vector<T>& slots) and copies the slots to a destination of slot_count elements,
/// which is unchanged after an error.
/// @throws as check_span and decode.
template <typename T, typename Decode>
void decode_to_span(std::span<T> destination, std::size_t slot_count, const char* operation,
                    Decode decode) {
  check_span(destination.size(), slot_count, operation);
  std::vector<T> slots;
  decode(slots);
  std::ranges::copy(slots, destination.begin());
  secure_wipe(slots.data(), slots.size() * sizeof(T));
}

}  // namespace ringlet::seal4::detail
