// SPDX-License-Identifier: Apache-2.0
#include "rlwe/serialization/key_set.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ringlet/base/error.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/serialization/layout.hpp"
#include "rlwe/serialization/objects.hpp"
#include "rlwe/serialization/polynomials.hpp"

namespace ringlet::rlwe {
namespace {

std::size_t payload_bytes(const KSwitchKey& key) {
  const Ciphertext& pair = key.pair(0);
  return key_bytes(key.digit_count(), pair.coeff_modulus_size(), pair.poly_modulus_degree(),
                   !key.seeds().empty());
}

std::size_t max_key_bytes(const Context& context) {
  const ContextData& level = *context.key_context_data();
  return key_bytes(context.parms().digit_count(), level.prime_count(), level.degree(), false);
}

bool is_index(const Context& context, ObjectType type, std::uint64_t index) {
  return type == ObjectType::galois_keys ? context.ring().is_galois_element(index)
                                         : index >= 2 && index < kMaxCiphertextSize;
}

std::size_t max_count(const Context& context, ObjectType type) {
  return type == ObjectType::galois_keys ? context.ring().degree() : kMaxCiphertextSize - 2;
}

std::string name_of(ObjectType type, std::uint64_t index) {
  return concat(type == ObjectType::galois_keys ? "the key of Galois element "
                                                : "the key of the secret's power ",
                index);
}

Bytes encode_key(const KeySet& set, std::uint64_t index, Compression compression) {
  const KSwitchKey& key = set.key(index);
  const bool is_seeded = !key.seeds().empty();
  FrameWriter writer(ObjectType::key_switch_key, is_seeded ? kFlagSeeded : std::uint16_t{0},
                     set.parms_id, payload_bytes(key), compression, set.key_id);
  writer.put(static_cast<std::uint64_t>(set.type));
  writer.put(index);
  writer.put(std::uint64_t{key.digit_count()});
  writer.put(std::uint64_t{key.pair(0).coeff_modulus_size()});
  writer.put(std::uint64_t{key.pair(0).poly_modulus_degree()});
  for (std::size_t digit = 0; digit < key.digit_count(); ++digit) {
    put_pair(writer, key.pair(digit), is_seeded ? &key.seeds()[digit] : nullptr);
  }
  return std::move(writer).finish();
}

// Makes offsets from lengths.
Directory make_directory(const std::vector<std::uint64_t>& indices,
                         const std::vector<std::uint64_t>& lengths) {
  Directory directory;
  std::uint64_t offset = frame_bytes(directory_bytes(indices.size()));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    directory.push_back({indices[i], offset, lengths[i], {}});
    offset += lengths[i];
  }
  return directory;
}

void write_directory(const KeySet& set, const Directory& directory, ByteSink& sink) {
  FrameWriter writer(set.type, 0, set.parms_id, directory_bytes(directory.size()),
                     Compression::none, set.key_id);
  writer.put(std::uint64_t{directory.size()});
  for (const DirectoryEntry& entry : directory) {
    writer.put(entry.index);
    writer.put(entry.offset);
    writer.put(entry.length);
  }
  sink.write(std::move(writer).finish());
}

std::shared_ptr<const KSwitchKey> decode_key(const Context& context, ByteSource& source,
                                             ObjectType type, const DirectoryEntry& entry) {
  const FrameHeader header =
      read_header(source, ObjectType::key_switch_key, kFlagZstd | kFlagSeeded);
  const ContextData& level = key_level_of(context, header);
  if (header.stored_bytes != entry.length - kHeaderBytes) {
    refuse_damage(concat("a frame with ", header.stored_bytes, " bytes of payload"),
                  concat("the ", entry.length - kHeaderBytes, " bytes that the directory states"));
  }
  if (header.key_id != entry.key_id) {
    refuse_damage(concat("a key of the secret key ", describe(header.key_id)),
                  concat("keys of ", describe(entry.key_id), ", as the directory states"));
  }
  FrameReader reader(source, header, max_key_bytes(context));
  const std::size_t digits = context.parms().digit_count();
  const std::uint64_t kind = reader.get_word();
  const std::uint64_t index = reader.get_word();
  if (kind != static_cast<std::uint64_t>(type) || index != entry.index) {
    refuse_damage(concat("a key of index ", index, " of a set of type ", kind),
                  concat("index ", entry.index, ", type ", static_cast<std::uint16_t>(type),
                         ", as the directory states"));
  }
  expect_size(reader, digits, "number of digits");
  expect_size(reader, level.prime_count(), "number of primes");
  expect_size(reader, level.degree(), "degree");
  reader.expect_rest(digits * pair_bytes(level.prime_count(), level.degree(), header.is_seeded()));
  source.reserve(max_key_bytes(context), max_key_bytes(context));
  std::vector<Ciphertext> pairs;
  std::vector<PublicSeed> seeds;
  for (std::size_t digit = 0; digit < digits; ++digit) {
    PublicSeed seed{};
    Ciphertext& pair = pairs.emplace_back(level);
    pair.key_id() = header.key_id;
    get_pair(reader, context, level, pair, header.is_seeded() ? &seed : nullptr);
    if (header.is_seeded()) seeds.push_back(seed);
  }
  reader.finish();
  return std::make_shared<const KSwitchKey>(context, std::move(pairs), std::move(seeds));
}

}  // namespace

std::uint64_t file_bytes(const Directory& directory) {
  return directory.empty() ? frame_bytes(directory_bytes(0))
                           : directory.back().offset + directory.back().length;
}

Directory raw_directory(const KeySet& set) {
  std::vector<std::uint64_t> lengths;
  for (const std::uint64_t index : set.indices) {
    lengths.push_back(frame_bytes(payload_bytes(set.key(index))));
  }
  return make_directory(set.indices, lengths);
}

void encode_key_set(const KeySet& set, ByteSink& sink, Compression compression) {
  if (compression == Compression::none) {
    write_directory(set, raw_directory(set), sink);
    for (const std::uint64_t index : set.indices) sink.write(encode_key(set, index, compression));
    return;
  }
  std::vector<Bytes> frames;
  std::vector<std::uint64_t> lengths;
  for (const std::uint64_t index : set.indices) {
    frames.push_back(encode_key(set, index, compression));
    lengths.push_back(frames.back().size());
  }
  write_directory(set, make_directory(set.indices, lengths), sink);
  for (const Bytes& frame : frames) sink.write(frame);
}

Directory read_directory(const Context& context, ByteSource& source, ObjectType type) {
  const FrameHeader header = read_header(source, type, 0);
  key_level_of(context, header);
  if (!context.using_keyswitching()) {
    refuse(concat(describe(type), " for a context without special primes"),
           "contexts with key switching", "make keys and context with special primes");
  }
  const std::size_t limit = max_count(context, type);
  FrameReader reader(source, header, directory_bytes(limit));
  const std::uint64_t count = reader.get_word();
  if (count > limit) {
    refuse_damage(concat(count, " keys"), concat("at most ", limit));
  }
  reader.expect_rest(directory_bytes(static_cast<std::size_t>(count)) - kCountField);
  const std::uint64_t max_length = kHeaderBytes + zstd_bound(max_key_bytes(context));
  Directory directory;
  std::uint64_t offset = frame_bytes(directory_bytes(static_cast<std::size_t>(count)));
  for (std::uint64_t i = 0; i < count; ++i) {
    DirectoryEntry entry;
    entry.index = reader.get_word();
    entry.offset = reader.get_word();
    entry.length = reader.get_word();
    entry.key_id = header.key_id;
    const bool ascends = directory.empty() || entry.index > directory.back().index;
    if (!ascends || !is_index(context, type, entry.index) || entry.offset != offset ||
        entry.length <= kHeaderBytes || entry.length > max_length) {
      refuse_damage(concat("directory entry ", i, ": ", name_of(type, entry.index), " at offset ",
                           entry.offset, " with ", entry.length, " bytes"),
                    concat("valid indices in ascending order, offset ", offset, " and ",
                           kHeaderBytes + 1, " to ", max_length, " bytes"));
    }
    offset += entry.length;
    directory.push_back(entry);
  }
  reader.finish();
  source.check_budget(count * max_key_bytes(context), max_key_bytes(context), offset);
  return directory;
}

std::shared_ptr<const KSwitchKey> read_key(const Context& context, ByteSource& source,
                                           ObjectType type, const DirectoryEntry& entry) {
  try {
    return decode_key(context, source, type, entry);
  } catch (const ErrorInfo& error) {
    refuse_at(concat(name_of(type, entry.index), " at offset ", entry.offset), error);
  }
}

}  // namespace ringlet::rlwe
