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

/// Where one key lies.
struct DirectoryEntry {
  std::uint64_t index = 0;   ///< The power of the secret, or the Galois element.
  std::uint64_t offset = 0;  ///< Of its frame, from the start of the file.
  std::uint64_t length = 0;  ///< Of its frame.
  KeyId key_id{};            ///< Of the set.
};
using Directory = std::vector<DirectoryEntry>;

/// Bytes of the file of a set.
std::uint64_t file_bytes(const Directory& directory);

/// The keys of a set in ascending order of their indices.
struct KeySet {
  ObjectType type;
  ParmsId parms_id;
  KeyId key_id;
  std::vector<std::uint64_t> indices;
  std::function<const KSwitchKey&(std::uint64_t)> key;
};

/// The directory of the uncompressed file.
Directory raw_directory(const KeySet& set);

/// Compressed keys are all held in memory until their sizes are known, others one by one.
void encode_key_set(const KeySet& set, ByteSink& sink, Compression compression);

/// The directory of a set of type `type`, with which the frames of the keys lie without gaps and
/// are as large as keys of `context` may be.
Directory read_directory(const Context& context, ByteSource& source, ObjectType type);

/// The key of `entry`, whose frame is next in `source`. Errors name the key.
std::shared_ptr<const KSwitchKey> read_key(const Context& context, ByteSource& source,
                                           ObjectType type, const DirectoryEntry& entry);

}  // namespace ringlet::rlwe
