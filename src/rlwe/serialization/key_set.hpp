// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "rlwe/serialization/byte_stream.hpp"
#include "rlwe/serialization/frame.hpp"

// A set of key-switching keys in a file: a frame with the directory, then one frame for each key.

namespace ringlet::rlwe {

/// The place of one key in a file.
struct DirectoryEntry {
  std::uint64_t index = 0;   ///< The power of the secret, or the Galois element.
  std::uint64_t offset = 0;  ///< Of its frame, from the start of the file.
  std::uint64_t length = 0;  ///< Of its frame.
  KeyId key_id{};            ///< Of the set.
};
using Directory = std::vector<DirectoryEntry>;

/// Returns the bytes of the file of a set.
std::uint64_t file_bytes(const Directory& directory);

/// The keys of a set in ascending order of their indices.
struct KeySet {
  ObjectType type;
  ParmsId parms_id;
  KeyId key_id;
  std::vector<std::uint64_t> indices;
  std::function<const KSwitchKey&(std::uint64_t)> key;
};

/// Returns the directory of the uncompressed file.
Directory raw_directory(const KeySet& set);

/// Holds all compressed keys in memory until their sizes are known, but other keys one by one.
void encode_key_set(const KeySet& set, ByteSink& sink, Compression compression);

/// Reads the directory of a set of type `type`. Checks that the frames of the keys lie without gaps
/// and have sizes that keys of `context` may have.
Directory read_directory(const Context& context, ByteSource& source, ObjectType type);

/// Reads the key of `entry`, whose frame is next in `source`. Errors name the key.
std::shared_ptr<const KSwitchKey> read_key(const Context& context, ByteSource& source,
                                           ObjectType type, const DirectoryEntry& entry);

}  // namespace ringlet::rlwe
