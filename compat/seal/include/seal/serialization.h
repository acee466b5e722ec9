// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ios>
#include <iosfwd>
#include <limits>
#include <type_traits>

#include "seal/util/defines.h"
#include "seal/version.h"

// The frame around every saved object: a header of 16 bytes, then the members, raw or compressed.

namespace ringlet::seal4 {

/// How the bytes after a header are stored. Modes that this library cannot read have no enumerator.
enum class compr_mode_type : std::uint8_t {
  none = 0,
  zstd = 2,
};

/// Writes and reads headers and frames. Integers are little-endian on every machine.
///
/// Errors of all functions: std::invalid_argument for a null or too small buffer, a mode that is
/// not supported, or a declared size beyond the end of the input; std::logic_error for a header,
/// version or content that is wrong; std::runtime_error if the output is full or the input ends too
/// early.
class RINGLET_SEAL_API Serialization {
 public:
  Serialization() = delete;

  static constexpr compr_mode_type compr_mode_default = compr_mode_type::zstd;
  static constexpr std::uint16_t seal_magic = 0xA15E;
  static constexpr std::uint8_t seal_header_size = 0x10;

  struct SEALHeader {
    std::uint16_t magic = seal_magic;
    std::uint8_t header_size = seal_header_size;
    std::uint8_t version_major = SEAL_VERSION_MAJOR;
    std::uint8_t version_minor = SEAL_VERSION_MINOR;
    compr_mode_type compr_mode = compr_mode_type::none;
    std::uint16_t reserved = 0;
    std::uint64_t size = 0;  ///< of the whole object, this header included
  };

  SEAL_NODISCARD static bool IsSupportedComprMode(std::uint8_t compr_mode) noexcept;
  SEAL_NODISCARD static bool IsSupportedComprMode(compr_mode_type compr_mode) noexcept {
    return IsSupportedComprMode(static_cast<std::uint8_t>(compr_mode));
  }

  /// An upper bound of the size that in_size bytes have after compression.
  SEAL_NODISCARD static std::size_t ComprSizeEstimate(std::size_t in_size,
                                                      compr_mode_type compr_mode);

  /// True for 3.4 and later 3.x, and for 4.x up to this library's own version.
  SEAL_NODISCARD static bool IsCompatibleVersion(const SEALHeader& header) noexcept;

  /// True if magic number, header size, version and mode are ones that this library reads.
  SEAL_NODISCARD static bool IsValidHeader(const SEALHeader& header) noexcept;

  static void SaveHeader(const SEALHeader& header, std::ostream& stream);
  static void SaveHeader(const SEALHeader& header, seal_byte* out, std::size_t size);

  /// Reads 16 bytes. Unless told otherwise, a header of SEAL 3.4 is translated into this form. The
  /// caller asks IsValidHeader whether the outcome is usable.
  static void LoadHeader(std::istream& stream, SEALHeader& header,
                         bool try_upgrade_if_invalid = true);
  static void LoadHeader(const seal_byte* in, std::size_t size, SEALHeader& header,
                         bool try_upgrade_if_invalid = true);

  /// Writes header and members, flushes the stream and returns how many bytes that were.
  /// @param save_members writes the members to the stream that it is given, nested objects with
  ///   mode none
  /// @param raw_size exact size of header and members in mode none, else std::logic_error
  /// @param clear_buffers wipe the memory that held the members on their way
  static std::streamoff Save(std::function<void(std::ostream&)> save_members,
                             std::streamoff raw_size, std::ostream& stream,
                             compr_mode_type compr_mode, bool clear_buffers);
  static std::streamoff Save(std::function<void(std::ostream&)> save_members,
                             std::streamoff raw_size, seal_byte* out, std::size_t size,
                             compr_mode_type compr_mode, bool clear_buffers);

  /// Reads header and members, returns how many bytes they took and leaves the stream exactly
  /// behind them. Nothing behind the object is read, and memory
  /// grows with what load_members asks for.
  /// @param load_members reads all members and nothing else from the stream that it is given, which
  ///   ends with the object; what it throws passes unchanged, except that std::ios_base::failure
  ///   becomes std::runtime_error, or std::logic_error if the object's own end was in the way
  /// @param max_raw_size bound of header and uncompressed members; more is std::logic_error. A
  ///   compressed object is also refused once it exceeds 64 times its stored size and 128 MiB, or
  ///   1 MiB without a bound.
  static std::streamoff Load(
      std::function<void(std::istream&, SEALVersion)> load_members, std::istream& stream,
      bool clear_buffers, std::uint64_t max_raw_size = std::numeric_limits<std::uint64_t>::max());
  static std::streamoff Load(
      std::function<void(std::istream&, SEALVersion)> load_members, const seal_byte* in,
      std::size_t size, bool clear_buffers,
      std::uint64_t max_raw_size = std::numeric_limits<std::uint64_t>::max());
};

class SEALContext;

namespace detail {

/// The part of a class T by which its objects are saved.
template <class T>
class RINGLET_SEAL_API Saved {
 public:
  /// Bytes that save() writes: exact for compr_mode_type::none, otherwise an upper bound.
  /// @throws std::invalid_argument for a mode that this build does not have; std::logic_error if
  ///         the size does not fit.
  SEAL_NODISCARD std::streamoff save_size(
      compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  /// Writes the object and returns the number of bytes.
  /// @throws as Serialization::Save.
  std::streamoff save(std::ostream& stream,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(seal_byte* out, std::size_t size,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const;
};

/// The part by which they are loaded.
template <class T>
class RINGLET_SEAL_API Loaded {
 public:
  /// Reads one object, a seeded one too, leaves the stream behind it and returns the number of
  /// bytes. The object must be valid for `context` (is_valid_for). After an exception this one is
  /// unchanged. Sizes are checked against the context before memory is taken.
  /// @throws as Serialization::Load; std::invalid_argument also if the context's parameters are not
  ///         valid, std::logic_error if the object is not.
  std::streamoff load(const SEALContext& context, std::istream& stream);
  std::streamoff load(const SEALContext& context, const seal_byte* in, std::size_t size);
  /// load() without the check that the words are reduced.
  std::streamoff unsafe_load(const SEALContext& context, std::istream& stream);
  std::streamoff unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size);
};

/// The same of a class whose objects belong to no context.
template <class T>
class RINGLET_SEAL_API LoadedAlone {
 public:
  /// Reads what save() wrote, leaves the stream behind it and returns the number of bytes. After an
  /// exception the object is unchanged.
  /// @throws as Serialization::Load; std::logic_error also for values that the object cannot have.
  std::streamoff load(std::istream& stream);
  std::streamoff load(const seal_byte* in, std::size_t size);
};

/// Writes or reads `count` values of `width` bytes each (1, 2, 4 or 8), little-endian on every
/// machine. Throws std::ios_base::failure if the stream is full or ends, whatever its exception
/// mask says.
RINGLET_SEAL_API void write_values(std::ostream& stream, const void* values, std::size_t count,
                                   std::size_t width);
RINGLET_SEAL_API void read_values(std::istream& stream, void* values, std::size_t count,
                                  std::size_t width);

/// The same for one value of an arithmetic type or an enumeration.
template <class T>
void write_value(std::ostream& stream, const T& value) {
  static_assert(std::is_arithmetic<T>::value || std::is_enum<T>::value, "a value has a byte order");
  write_values(stream, &value, 1, sizeof(T));
}
template <class T>
T read_value(std::istream& stream) {
  static_assert(std::is_arithmetic<T>::value || std::is_enum<T>::value, "a value has a byte order");
  T value{};
  read_values(stream, &value, 1, sizeof(T));
  return value;
}

}  // namespace detail

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
