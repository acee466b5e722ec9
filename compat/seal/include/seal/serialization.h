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

/// How the bytes after a header are stored.
enum class compr_mode_type : std::uint8_t {
  none = 0,
  zlib = 1,
  zstd = 2,
};

/// Writes and reads headers and frames. Integers are little-endian on every machine.
///
/// Errors of all functions: std::invalid_argument for a null or too small buffer, an unsupported
/// mode, or a declared size beyond the end of the input; std::logic_error for a wrong header,
/// version or content; std::runtime_error if the output is full or the input ends too early.
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
    std::uint64_t size = 0;  ///< Of the whole object in bytes, this header included.
  };

  SEAL_NODISCARD static bool IsSupportedComprMode(std::uint8_t compr_mode) noexcept;
  SEAL_NODISCARD static bool IsSupportedComprMode(compr_mode_type compr_mode) noexcept {
    return IsSupportedComprMode(static_cast<std::uint8_t>(compr_mode));
  }

  /// Returns an upper bound of the size that in_size bytes have after compression.
  SEAL_NODISCARD static std::size_t ComprSizeEstimate(std::size_t in_size,
                                                      compr_mode_type compr_mode);

  /// Returns true if the header's version is 3.4 or a later 3.x, or is 4.x up to this library's own
  /// version.
  SEAL_NODISCARD static bool IsCompatibleVersion(const SEALHeader& header) noexcept;

  /// Sets the version 4.`minor` that files state which are saved from now on, by all threads; by
  /// default this library's own. SEAL reads, of versions 4, only files of its own minor version.
  /// Versions 4.1 to 4.4 have the same layout. SEAL has no such function.
  /// @throws std::invalid_argument if `minor` is 0 or larger than this library's own.
  static void SetSavedVersion(std::uint8_t minor);

  /// Returns true if this library reads the magic number, header size, version and mode.
  SEAL_NODISCARD static bool IsValidHeader(const SEALHeader& header) noexcept;

  /// Returns the number of bytes that it writes: 16.
  static std::streamoff SaveHeader(const SEALHeader& header, std::ostream& stream);
  static std::streamoff SaveHeader(const SEALHeader& header, seal_byte* out, std::size_t size);

  /// Reads a header of 16 bytes. Unless the caller requests otherwise, a header in the format of
  /// SEAL 3.4 is converted to this format. The caller checks the result with IsValidHeader.
  /// Returns 16.
  static std::streamoff LoadHeader(std::istream& stream, SEALHeader& header,
                                   bool try_upgrade_if_invalid = true);
  static std::streamoff LoadHeader(const seal_byte* in, std::size_t size, SEALHeader& header,
                                   bool try_upgrade_if_invalid = true);

  /// Writes header and members, flushes the stream and returns the number of bytes written.
  /// @param save_members writes the members to the stream that it receives, nested objects with
  ///   mode none
  /// @param raw_size size of header and members in mode none; a wrong size is std::logic_error
  /// @param clear_buffers true: the temporary memory of the members is wiped
  static std::streamoff Save(std::function<void(std::ostream&)> save_members,
                             std::streamoff raw_size, std::ostream& stream,
                             compr_mode_type compr_mode, bool clear_buffers);
  static std::streamoff Save(std::function<void(std::ostream&)> save_members,
                             std::streamoff raw_size, seal_byte* out, std::size_t size,
                             compr_mode_type compr_mode, bool clear_buffers);

  /// Reads header and members, returns the number of bytes read and leaves the stream directly
  /// after them. Nothing after the object is read. Memory grows with what load_members reads.
  /// @param load_members reads all members and nothing else from the stream that it receives, which
  ///   ends with the object; its exceptions pass unchanged, except that std::ios_base::failure
  ///   becomes std::runtime_error, or std::logic_error if the stream failed at the object's own end
  /// @param max_raw_size bound of header and uncompressed members; more is std::logic_error. A
  ///   compressed object is also refused once it exceeds 64 times its stored size plus 128 MiB, or
  ///   plus 1 MiB without a bound.
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

/// Base class of a class T whose objects can be saved.
template <class T>
class RINGLET_SEAL_API Saved {
 public:
  /// Returns the number of bytes that save() writes: exact for compr_mode_type::none, otherwise an
  /// upper bound.
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

/// Base class of a class T whose objects are loaded for a context.
template <class T>
class RINGLET_SEAL_API Loaded {
 public:
  /// Reads one object, seeded or not, leaves the stream after it and returns the number of bytes.
  /// The object must be valid for `context` (is_valid_for). After an exception this object is
  /// unchanged. Sizes are checked against the context before memory is allocated.
  /// @throws as Serialization::Load; std::invalid_argument also if the context's parameters are not
  ///         valid, std::logic_error if the object is not valid for it.
  std::streamoff load(const SEALContext& context, std::istream& stream);
  std::streamoff load(const SEALContext& context, const seal_byte* in, std::size_t size);
  /// Loads as load() does, without the check that the words are reduced.
  std::streamoff unsafe_load(const SEALContext& context, std::istream& stream);
  std::streamoff unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size);
};

/// Base class of a class T whose objects are loaded without a context.
template <class T>
class RINGLET_SEAL_API LoadedAlone {
 public:
  /// Reads an object that save() wrote, leaves the stream after it and returns the number of bytes.
  /// After an exception the object is unchanged.
  /// @throws as Serialization::Load; std::logic_error also for values that the object cannot have.
  std::streamoff load(std::istream& stream);
  std::streamoff load(const seal_byte* in, std::size_t size);
};

/// Write or read `count` values of `width` bytes each (1, 2, 4 or 8), little-endian on every
/// machine. Throw std::ios_base::failure if the stream is full or ends, for every exception mask of
/// the stream.
RINGLET_SEAL_API void write_values(std::ostream& stream, const void* values, std::size_t count,
                                   std::size_t width);
RINGLET_SEAL_API void read_values(std::istream& stream, void* values, std::size_t count,
                                  std::size_t width);

/// Write or read one value of an arithmetic type or an enumeration.
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
