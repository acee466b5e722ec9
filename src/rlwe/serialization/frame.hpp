// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/rlwe/parameters.hpp"
#include "ringlet/rlwe/random.hpp"
#include "ringlet/rlwe/security.hpp"
#include "ringlet/rlwe/serialization.hpp"
#include "rlwe/serialization/byte_stream.hpp"
#include "rlwe/serialization/checksum.hpp"
#include "rlwe/serialization/zstd_codec.hpp"

// The frame around every object, which docs/files.md describes.

namespace ringlet::rlwe {

enum class ObjectType : std::uint16_t {
  parameters = 1,
  plaintext = 2,
  ciphertext = 3,
  public_key = 4,
  relin_keys = 5,
  galois_keys = 6,
  key_switch_key = 7,
  secret_key = 8,
  // Of FV with a multi-precision modulus.
  fv_parameters = 9,
  fv_ciphertext = 10,
  fv_public_key = 11,
  fv_secret_key = 12,
};

/// Returns "a ciphertext", ...; "an object of unknown type".
const char* describe(ObjectType type) noexcept;

inline constexpr std::array<std::uint8_t, 8> kMagic{0x89, 'R', 'G', 'L', '\r', '\n', 0x1a, '\n'};
/// The version that is written, and the newest that is read.
inline constexpr std::uint16_t kFormatVersion = 1;
/// The oldest reader that understands what is written.
inline constexpr std::uint16_t kOldestReader = 1;

inline constexpr std::uint16_t kFlagZstd = 1;    ///< The payload is compressed.
inline constexpr std::uint16_t kFlagSeeded = 2;  ///< Seeds stand for uniform halves.
/// Parameters start with m of the ring Z[X]/Phi_m. Readers that know X^N + 1 alone refuse them.
inline constexpr std::uint16_t kFlagGeneralRing = 4;

inline constexpr std::size_t kHeaderBytes = 112;
/// Bytes of the header that the checksum covers: all before it.
inline constexpr std::size_t kSummedBytes = 80;

struct FrameHeader {
  ObjectType type{};
  std::uint16_t flags = 0;
  ParmsId parms_id{};
  std::uint64_t stored_bytes = 0;  ///< Of the payload in the file.
  std::uint64_t raw_bytes = 0;     ///< Of the payload, uncompressed.
  KeyId key_id{};                  ///< Of the secret key that the object belongs to, if any.
  Checksum checksum{};             ///< SHA-256 of the bytes before it and the stored payload.
  std::array<std::uint8_t, kSummedBytes> summed{};  ///< The bytes before `checksum`, as read.

  bool is_compressed() const noexcept { return (flags & kFlagZstd) != 0; }
  bool is_seeded() const noexcept { return (flags & kFlagSeeded) != 0; }
};

/// Makes one frame.
class FrameWriter {
 public:
  /// Starts a frame with a payload of exactly `raw_bytes` bytes.
  FrameWriter(ObjectType type, std::uint16_t flags, const ParmsId& parms_id, std::size_t raw_bytes,
              Compression compression, const KeyId& key_id = kKeyIdUnknown);

  void put(std::uint64_t value);
  void put(double value);
  void put(std::span<const std::uint8_t> bytes);
  void put_words(std::span<const std::uint64_t> words);

  /// Returns the frame, once all of the payload is put.
  Bytes finish() &&;

 private:
  FrameHeader header_;
  Bytes frame_;
  std::optional<ZstdWriter> zstd_;
};

/// Returns the bytes of a frame whose payload is not compressed.
constexpr std::size_t frame_bytes(std::size_t raw_bytes) noexcept {
  return kHeaderBytes + raw_bytes;
}

/// Reads the next header of `source`, which must be of type `type` and may have `flags`.
/// @throws InvalidArgument if it is not, or has been written for newer readers alone.
FrameHeader read_header(ByteSource& source, ObjectType type, std::uint16_t flags);

/// Reads the payload of a frame.
class FrameReader {
 public:
  /// Takes the payload and checks its sum, after its size was found to be at most `max_raw_bytes`.
  FrameReader(ByteSource& source, const FrameHeader& header, std::size_t max_raw_bytes);

  std::uint64_t get_word();
  double get_double();
  void get(std::span<std::uint8_t> bytes);
  /// Reads words below `bound`, which messages call `what`. Constant time except for the verdict.
  void get_words(std::span<std::uint64_t> words, std::uint64_t bound, const char* what);
  /// @throws InvalidArgument unless `bytes` is what is left of the payload.
  void expect_rest(std::size_t bytes) const;
  /// @throws InvalidArgument if the compressed payload goes on.
  void finish();

 private:
  Bytes scratch_;
  std::span<const std::uint8_t> rest_;  // of a payload that is not compressed
  std::size_t raw_rest_;
  std::optional<ZstdReader> zstd_;
};

/// Reads the next word, as a security level.
/// @throws InvalidArgument if it is none, or below `min_security`.
SecurityLevel get_security_level(FrameReader& reader, SecurityLevel min_security);

}  // namespace ringlet::rlwe
