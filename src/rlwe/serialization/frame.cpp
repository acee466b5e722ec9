// SPDX-License-Identifier: Apache-2.0
#include "rlwe/serialization/frame.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/text.hpp"
#include "ringlet/base/error.hpp"
#include "rlwe/serialization/little_endian.hpp"

namespace ringlet::rlwe {
namespace {

// Offsets of the header's fields.
constexpr std::size_t kTypeAt = 8;
constexpr std::size_t kVersionAt = 10;
constexpr std::size_t kOldestReaderAt = 12;
constexpr std::size_t kFlagsAt = 14;
constexpr std::size_t kParmsIdAt = 16;
constexpr std::size_t kStoredBytesAt = 48;
constexpr std::size_t kRawBytesAt = 56;
constexpr std::size_t kKeyIdAt = 64;

// Words that are converted at a time, for the compressor and on big-endian processors.
constexpr std::size_t kWordsAtOnce = 4096;

void check_version(std::uint64_t version, std::uint64_t oldest_reader) {
  if (version == 0 || oldest_reader == 0 || oldest_reader > version) {
    refuse_damage(concat("format version ", version, " with oldest reader ", oldest_reader),
                  concat("versions from 1 on, with an oldest reader from 1 to the version"));
  }
  if (oldest_reader > kFormatVersion) {
    refuse(concat("format version ", version, ", for readers of version ", oldest_reader,
                  " and newer"),
           concat("files for readers of version ", kFormatVersion),
           "use the version of the library that wrote the file, or a newer one");
  }
}

void check_flags(ObjectType type, std::uint64_t flags, std::uint64_t allowed) {
  if ((flags & ~allowed) == 0) return;
  refuse_damage(concat("flags ", hex(flags), " of ", describe(type)),
                concat("flags within the mask ", hex(allowed)));
}

}  // namespace

const char* describe(ObjectType type) noexcept {
  switch (type) {
    case ObjectType::parameters:
      return "encryption parameters";
    case ObjectType::plaintext:
      return "a plaintext";
    case ObjectType::ciphertext:
      return "a ciphertext";
    case ObjectType::public_key:
      return "a public key";
    case ObjectType::relin_keys:
      return "relinearization keys";
    case ObjectType::galois_keys:
      return "Galois keys";
    case ObjectType::key_switch_key:
      return "a single key of a set";
    case ObjectType::secret_key:
      return "a secret key";
    case ObjectType::fv_parameters:
      return "parameters of FV";
    case ObjectType::fv_ciphertext:
      return "a ciphertext of FV";
    case ObjectType::fv_public_key:
      return "a public key of FV";
    case ObjectType::fv_secret_key:
      return "a secret key of FV";
  }
  return "an object of unknown type";
}

FrameWriter::FrameWriter(ObjectType type, std::uint16_t flags, const ParmsId& parms_id,
                         std::size_t raw_bytes, Compression compression, const KeyId& key_id) {
  header_.type = type;
  header_.flags = flags;
  header_.parms_id = parms_id;
  header_.raw_bytes = raw_bytes;
  header_.key_id = key_id;
  if (compression == Compression::zstd) {
    header_.flags |= kFlagZstd;
    zstd_.emplace(raw_bytes);
  } else {
    frame_.reserve(frame_bytes(raw_bytes));
  }
  frame_.resize(kHeaderBytes);
}

void FrameWriter::put(std::span<const std::uint8_t> bytes) {
  if (zstd_) return zstd_->write(bytes, frame_, false);
  frame_.insert(frame_.end(), bytes.begin(), bytes.end());
}

void FrameWriter::put(std::uint64_t value) {
  std::array<std::uint8_t, 8> bytes{};
  store_little_endian(bytes, value);
  put(bytes);
}

void FrameWriter::put(double value) { put(std::bit_cast<std::uint64_t>(value)); }

void FrameWriter::put_words(std::span<const std::uint64_t> words) {
  if constexpr (std::endian::native == std::endian::little) {
    put(std::span(reinterpret_cast<const std::uint8_t*>(words.data()), words.size_bytes()));
  } else {
    SecretVector<std::uint64_t> swapped;
    while (!words.empty()) {
      const auto part = words.first(std::min(words.size(), kWordsAtOnce));
      swapped.resize(part.size());
      std::ranges::transform(part, swapped.begin(), swap_unless_little_endian);
      put(std::span(reinterpret_cast<const std::uint8_t*>(swapped.data()), part.size_bytes()));
      words = words.subspan(part.size());
    }
  }
}

Bytes FrameWriter::finish() && {
  if (zstd_) zstd_->write({}, frame_, true);
  header_.stored_bytes = frame_.size() - kHeaderBytes;
  const std::span header(frame_.data(), kHeaderBytes);
  const auto store = [&header](std::size_t at, std::size_t bytes, std::uint64_t value) {
    store_little_endian(header.subspan(at, bytes), value);
  };
  std::ranges::copy(kMagic, header.begin());
  store(kTypeAt, 2, static_cast<std::uint64_t>(header_.type));
  store(kVersionAt, 2, kFormatVersion);
  store(kOldestReaderAt, 2, kOldestReader);
  store(kFlagsAt, 2, header_.flags);
  for (std::size_t i = 0; i < header_.parms_id.size(); ++i) {
    store(kParmsIdAt + 8 * i, 8, header_.parms_id[i]);
  }
  store(kStoredBytesAt, 8, header_.stored_bytes);
  store(kRawBytesAt, 8, header_.raw_bytes);
  for (std::size_t i = 0; i < header_.key_id.size(); ++i) {
    store(kKeyIdAt + 8 * i, 8, header_.key_id[i]);
  }
  const Checksum checksum =
      checksum_of(header.first(kSummedBytes), std::span(frame_).subspan(kHeaderBytes));
  std::ranges::copy(checksum, header.subspan(kSummedBytes).begin());
  return std::move(frame_);
}

FrameHeader read_header(ByteSource& source, ObjectType type, std::uint16_t flags) {
  Bytes scratch;
  const auto bytes = source.take(kHeaderBytes, scratch);
  const auto field = [&bytes](std::size_t at, std::size_t size) {
    return load_little_endian(bytes.subspan(at, size));
  };
  if (!std::ranges::equal(bytes.first(kMagic.size()), kMagic)) {
    refuse("the bytes do not start like a file of Ringlet",
           "files that start with 89 52 47 4c 0d 0a 1a 0a",
           "open files in binary mode; load files of Microsoft SEAL with its own interface");
  }
  check_version(field(kVersionAt, 2), field(kOldestReaderAt, 2));
  FrameHeader header;
  header.type = static_cast<ObjectType>(field(kTypeAt, 2));
  if (header.type != type) {
    refuse(concat(describe(header.type), ", type ", field(kTypeAt, 2)),
           concat(describe(type), ", type ", static_cast<std::uint16_t>(type)),
           "load it as an object of the type that was saved");
  }
  check_flags(type, field(kFlagsAt, 2), flags);
  header.flags = static_cast<std::uint16_t>(field(kFlagsAt, 2));
  for (std::size_t i = 0; i < header.parms_id.size(); ++i) {
    header.parms_id[i] = field(kParmsIdAt + 8 * i, 8);
  }
  header.stored_bytes = field(kStoredBytesAt, 8);
  header.raw_bytes = field(kRawBytesAt, 8);
  for (std::size_t i = 0; i < header.key_id.size(); ++i) {
    header.key_id[i] = field(kKeyIdAt + 8 * i, 8);
  }
  std::ranges::copy(bytes.subspan(kSummedBytes), header.checksum.begin());
  std::ranges::copy(bytes.first(kSummedBytes), header.summed.begin());
  return header;
}

FrameReader::FrameReader(ByteSource& source, const FrameHeader& header, std::size_t max_raw_bytes)
    : raw_rest_(static_cast<std::size_t>(header.raw_bytes)) {
  if (header.raw_bytes > max_raw_bytes) {
    refuse_damage(
        concat("a payload of ", header.raw_bytes, " bytes"),
        concat("at most ", max_raw_bytes, " for ", describe(header.type), " of these parameters"));
  }
  const bool is_compressed = header.is_compressed();
  const std::size_t bound = is_compressed ? zstd_bound(raw_rest_) : raw_rest_;
  if (is_compressed ? header.stored_bytes > bound : header.stored_bytes != bound) {
    refuse_damage(concat(header.stored_bytes, " bytes for a payload of ", raw_rest_),
                  concat(is_compressed ? "at most " : "exactly ", bound));
  }
  rest_ = source.take(static_cast<std::size_t>(header.stored_bytes), scratch_);
  if (checksum_of(header.summed, rest_) != header.checksum) {
    refuse_damage(concat("the checksum of ", describe(header.type), " does not agree"),
                  "the SHA-256 checksum that was saved with it");
  }
  if (is_compressed) zstd_.emplace(rest_);
}

void FrameReader::get(std::span<std::uint8_t> bytes) {
  if (bytes.size() > raw_rest_) {
    refuse_damage(concat("the payload ends ", bytes.size() - raw_rest_, " bytes too early"),
                  "a payload with all of its fields");
  }
  raw_rest_ -= bytes.size();
  if (!zstd_) {
    std::ranges::copy(rest_.first(bytes.size()), bytes.begin());
    rest_ = rest_.subspan(bytes.size());
  } else if (!zstd_->read(bytes)) {
    refuse_damage("the compressed payload cannot be read to its end",
                  concat("a Zstandard frame with at most 2^", kZstdWindowLog, " bytes of history"));
  }
}

std::uint64_t FrameReader::get_word() {
  std::array<std::uint8_t, 8> bytes{};
  get(bytes);
  return load_little_endian(bytes);
}

double FrameReader::get_double() { return std::bit_cast<double>(get_word()); }

void FrameReader::get_words(std::span<std::uint64_t> words, std::uint64_t bound, const char* what) {
  get(std::span(reinterpret_cast<std::uint8_t*>(words.data()), words.size_bytes()));
  std::uint64_t bad = 0;
  for (std::uint64_t& word : words) {
    word = swap_unless_little_endian(word);
    bad |= std::uint64_t{word >= bound};
  }
  if (bad == 0) return;
  const auto first = std::ranges::find_if(words, [bound](std::uint64_t x) { return x >= bound; });
  refuse_damage(concat(what, " at place ", first - words.begin(), " is out of range"),
                concat("below ", bound));
}

void FrameReader::expect_rest(std::size_t bytes) const {
  if (raw_rest_ == bytes) return;
  refuse_damage(concat("the payload has ", raw_rest_, " bytes, but its sizes ask for ", bytes),
                "a payload of exactly that size");
}

void FrameReader::finish() {
  expect_rest(0);
  if (!zstd_ || zstd_->is_at_end()) return;
  refuse_damage("bytes follow the Zstandard frame of the compressed payload",
                "one Zstandard frame and nothing after it");
}

SecurityLevel get_security_level(FrameReader& reader, SecurityLevel min_security) {
  const std::uint64_t value = reader.get_word();
  for (const SecurityLevel level :
       {SecurityLevel::none, SecurityLevel::reproduction, SecurityLevel::tc128,
        SecurityLevel::tc192, SecurityLevel::tc256}) {
    if (value != static_cast<std::uint64_t>(level)) continue;
    if (level >= min_security) return level;
    refuse(concat("parameters of security level ", to_string(level)),
           concat("security level ", to_string(min_security), " or higher"),
           "ask the sender for parameters of this level, or pass a lower min_security if you trust "
           "the sender");
  }
  refuse_damage(concat("security level ", value), "0, 64, 128, 192 or 256");
}

}  // namespace ringlet::rlwe
