// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <utility>
#include <vector>

#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "seal/ciphertext.h"
#include "seal/context.h"
#include "seal/kswitchkeys.h"
#include "seal/plaintext.h"
#include "seal/version.h"

// Access to private data of SEAL's objects: for loading and saving, where members are the bytes
// after the header of an object, and for computation on devices.

namespace ringlet::seal4::detail {

class MemoryBudget;

struct PlaintextAccess {
  /// Return the words without the assumption that the caller keeps the pointer.
  static std::uint64_t* words(Plaintext& in) { return in.data_.begin(); }
  static const std::uint64_t* words(const Plaintext& in) { return in.data_.begin(); }
  /// Whether a caller may have a pointer into the array, which another one must not replace then.
  static bool is_exposed(const Plaintext& in) { return in.is_exposed_; }
  /// Gives an empty plaintext `count` unspecified words and room for `capacity`.
  static std::uint64_t* reshape(Plaintext& fresh, std::size_t count, std::size_t capacity) {
    fresh.data_.reserve(std::max(count, capacity));
    fresh.data_.resize(count, false);
    return fresh.data_.begin();
  }
  /// Returns the bytes of the members.
  static std::size_t members_size(const Plaintext& in);
  static void write_members(const Plaintext& in, std::ostream& stream);
  /// Fills a plaintext without words. Throws std::logic_error for sizes that do not fit the
  /// context, before it takes memory; does not check the values of the words.
  static void read_members(Plaintext& out, const SEALContext& context, std::istream& stream);
};

struct CiphertextAccess {
  /// Whether metadata is acceptable; the words are not read yet.
  using Accepts = bool (*)(const Ciphertext& metadata, const SEALContext& context);

  static std::size_t members_size(const Ciphertext& in);
  static void write_members(const Ciphertext& in, std::ostream& stream);
  /// Fills an empty ciphertext and expands a seed. Throws std::logic_error for what `accepts` or
  /// `budget` refuses, before it takes memory; does not check the values of the words.
  static void read_members(Ciphertext& out, const SEALContext& context, std::istream& stream,
                           SEALVersion version, Accepts accepts, MemoryBudget& budget);
  /// Returns an upper bound of the bytes of the members of any ciphertext of a context.
  static std::uint64_t max_members_size(const SEALContext& context, std::size_t size);

  /// Returns the array. Copies the words there if only a device has them.
  /// @throws as the native Ciphertext::view; std::bad_alloc.
  static const DynArray<std::uint64_t>& array(const Ciphertext& in);
  /// Returns the array, to be written: the words on the device are then dropped.
  static DynArray<std::uint64_t>& array_for_writing(Ciphertext& in);
  static bool is_only_on_device(const Ciphertext& in) { return in.device_.is_alone; }
  /// Makes room for `size` polynomials of a level and sets the members that say so, not parms_id.
  /// Returns the words, which are unspecified. After std::bad_alloc the object is unchanged.
  static std::uint64_t* reshape(Ciphertext& out, const EncryptionParameters& parms,
                                std::size_t size);
  /// Gives an empty ciphertext as much room as `in` has. Returns false if a caller may have a
  /// pointer into the array of `in`, which another one must not replace then.
  static bool reserve_like(const Ciphertext& in, Ciphertext& fresh) {
    if (in.device_.is_exposed) return false;
    fresh.data_.reserve(in.data_.capacity());
    return true;
  }
  /// Marks a new array, which holds no value before a native object is written to it.
  static void set_vacant(Ciphertext& fresh) { fresh.device_.is_vacant = true; }
  static bool take_vacancy(Ciphertext& fresh) {
    return std::exchange(fresh.device_.is_vacant, false);
  }
  /// Returns the number of words, wherever they are.
  static std::size_t word_count(const Ciphertext& in);
  /// Gives `out` the words of `in`. If only a device has them, `out` shares them, unless a caller
  /// may hold a pointer into the array of `out`.
  static void copy_words(const Ciphertext& in, Ciphertext& out);
  /// Returns a native operand for an Evaluator on a device. It keeps its words on the device as
  /// long as `in` is unchanged, unless a caller may hold a pointer into the array.
  /// @throws InvalidArgument as borrow_native.
  static std::shared_ptr<const ringlet::Ciphertext> on_device(const SEALContext& context,
                                                              const Ciphertext& in);
  /// Gives `out` the value of a result of such an Evaluator. It stays on the device, unless a
  /// caller may hold a pointer into the array.
  /// @throws as write_back.
  static void store(const SEALContext& context, ringlet::Ciphertext&& result, Ciphertext& out);

  class Locked;
  static void set_only_on_device(Ciphertext& out,
                                 std::shared_ptr<const ringlet::Ciphertext> native);

  /// Drops c_1, which must be the expanded seed in the form of the ciphertext.
  static void replace_by_seed(Ciphertext& out,
                              std::shared_ptr<const UniformRandomGeneratorInfo> seed);
};

/// Returns whether sizes, scale and correction factor are those of a level, except for parms_id.
bool has_metadata_of(const Ciphertext& in, const EncryptionParameters& parms);

struct KeyAccess {
  /// Returns the entries of keys that are being made: no Evaluator has used them.
  static std::vector<std::vector<PublicKey>>& entries(KSwitchKeys& keys) { return keys.keys_; }
  static void forget_native(KSwitchKeys& keys) noexcept { keys.native_.state_.reset(); }
  /// Returns a native key on the words of entry `index`, which is not empty. It is made once,
  /// unless a caller may change the keys.
  static std::shared_ptr<const ringlet::KSwitchKey> native(const SEALContext& context,
                                                           const KSwitchKeys& keys,
                                                           std::size_t index);
};

}  // namespace ringlet::seal4::detail
