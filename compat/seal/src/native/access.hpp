// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>

#include "seal/ciphertext.h"
#include "seal/context.h"
#include "seal/plaintext.h"
#include "seal/version.h"

// Access of loading and saving to private data of plaintexts and ciphertexts. Members are the bytes
// after the header of an object.

namespace ringlet::seal4::detail {

class MemoryBudget;

struct PlaintextAccess {
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

  /// Drops c_1, which must be the expanded seed in the form of the ciphertext.
  static void replace_by_seed(Ciphertext& out,
                              std::shared_ptr<const UniformRandomGeneratorInfo> seed);
};

}  // namespace ringlet::seal4::detail
