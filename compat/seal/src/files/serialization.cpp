// SPDX-License-Identifier: Apache-2.0
#include "seal/serialization.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <istream>
#include <limits>
#include <optional>
#include <ostream>
#include <string>

#include "files/compression.hpp"
#include "files/frame_streams.hpp"
#include "files/object_io.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::seal4 {

namespace {

using detail::kHeaderBytes;

std::atomic<std::uint8_t> saved_minor_version{SEAL_VERSION_MINOR};

constexpr auto kMaxOffset = static_cast<std::uint64_t>(std::numeric_limits<std::streamoff>::max());
using HeaderBytes = std::array<char, kHeaderBytes>;

template <class T>
void put(HeaderBytes& bytes, std::size_t offset, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes[offset + i] = static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
  }
}

template <class T>
T get(const HeaderBytes& bytes, std::size_t offset) {
  std::uint64_t value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  }
  return static_cast<T>(value);
}

HeaderBytes encoded(const Serialization::SEALHeader& header) {
  HeaderBytes bytes{};
  put(bytes, 0, header.magic);
  put(bytes, 2, header.header_size);
  put(bytes, 3, header.version_major);
  put(bytes, 4, header.version_minor);
  put(bytes, 5, static_cast<std::uint8_t>(header.compr_mode));
  put(bytes, 6, header.reserved);
  put(bytes, 8, header.size);
  return bytes;
}

Serialization::SEALHeader decoded(const HeaderBytes& bytes, bool try_upgrade) {
  Serialization::SEALHeader header;
  header.magic = get<std::uint16_t>(bytes, 0);
  header.header_size = get<std::uint8_t>(bytes, 2);
  header.version_major = get<std::uint8_t>(bytes, 3);
  header.version_minor = get<std::uint8_t>(bytes, 4);
  header.compr_mode = static_cast<compr_mode_type>(get<std::uint8_t>(bytes, 5));
  header.reserved = get<std::uint16_t>(bytes, 6);
  header.size = get<std::uint64_t>(bytes, 8);
  if (!try_upgrade || Serialization::IsValidHeader(header)) return header;

  // SEAL 3.4: magic number, a zero, the mode, a size of 32 bits, eight zeros.
  Serialization::SEALHeader upgraded;
  upgraded.magic = header.magic;
  upgraded.version_major = 3;
  upgraded.version_minor = 4;
  upgraded.compr_mode = static_cast<compr_mode_type>(get<std::uint8_t>(bytes, 3));
  upgraded.size = get<std::uint32_t>(bytes, 4);
  const bool old_form = header.header_size == 0 && header.size == 0;
  return old_form && Serialization::IsValidHeader(upgraded) ? upgraded : header;
}

void require_supported(const char* operation, compr_mode_type compr_mode) {
  if (Serialization::IsSupportedComprMode(compr_mode)) return;
  throw_invalid_argument({operation,
                          "compr_mode = " + std::to_string(static_cast<unsigned>(compr_mode)),
                          "none (0), zlib (1) or zstd (2)", "choose one of these modes"});
}

void require_buffer(const char* operation, const seal_byte* buffer, std::size_t size) {
  if (buffer != nullptr && size >= kHeaderBytes) return;
  throw_invalid_argument(
      {operation,
       buffer == nullptr ? "a null buffer" : "a buffer of " + std::to_string(size) + " bytes",
       "16 bytes or more", "pass a buffer of save_size() bytes, or the bytes that save wrote"});
}

[[noreturn]] void throw_bad_header(const std::string& offending, const char* limit) {
  throw_logic_error({"Serialization::Load", offending, limit,
                     "load an object that SEAL 3.4 to " SEAL_VERSION " saved"});
}

// Marks the stream as failed, in case its owner goes on. The caller throws the exception.
template <class Stream>
void set_failed(Stream& stream) noexcept {
  try {
    stream.setstate(std::ios_base::failbit);
  } catch (const std::ios_base::failure&) {
    return;  // the state is set before the stream throws
  }
}

template <class Stream>
void require_good(const char* operation, Stream& stream) {
  if (stream.good() && stream.rdbuf() != nullptr) return;
  throw_runtime_error({operation, "the stream has failed or ended", "a stream in a good state",
                       "check that the file could be opened"});
}

/// Runs one save or load on a stream; failures of the stream become RuntimeError.
template <class Stream, class Body>
std::streamoff on_stream(const char* operation, Stream& stream, Body body) {
  require_good(operation, stream);
  try {
    return body(*stream.rdbuf());
  } catch (const std::ios_base::failure& failure) {
    set_failed(stream);
    throw_runtime_error({operation, failure.what(), "a stream without errors",
                         "check the file or connection behind the stream"});
  } catch (const std::runtime_error&) {
    set_failed(stream);
    throw;
  }
}

void write_header(const Serialization::SEALHeader& header, std::streambuf& out) {
  const HeaderBytes bytes = encoded(header);
  detail::RawSink(out, kHeaderBytes).sputn(bytes.data(), kHeaderBytes);
}

Serialization::SEALHeader read_header(std::streambuf& in, bool try_upgrade) {
  HeaderBytes bytes{};
  if (in.sgetn(bytes.data(), kHeaderBytes) != static_cast<std::streamsize>(kHeaderBytes)) {
    throw_runtime_error({"Serialization::LoadHeader", "the input ends within the header",
                         "16 bytes", "load all bytes that were saved"});
  }
  return decoded(bytes, try_upgrade);
}

using SaveMembers = std::function<void(std::ostream&)>;
using LoadMembers = std::function<void(std::istream&, SEALVersion)>;

void run_save(const SaveMembers& save_members, std::streambuf& sink) {
  std::ostream stream(&sink);
  stream.exceptions(std::ios_base::badbit | std::ios_base::failbit);
  save_members(stream);
}

std::streamoff save_frame(const SaveMembers& save_members, std::streamoff raw_size,
                          std::streambuf& out, compr_mode_type compr_mode, bool clear_buffers) {
  if (raw_size < static_cast<std::streamoff>(kHeaderBytes)) {
    throw_logic_error({"Serialization::Save", "raw_size = " + std::to_string(raw_size),
                       "16 or more", "pass the bytes of the header and the members together"});
  }
  const std::uint64_t members = static_cast<std::uint64_t>(raw_size) - kHeaderBytes;
  Serialization::SEALHeader header;
  header.version_minor = saved_minor_version.load(std::memory_order_relaxed);
  header.compr_mode = compr_mode;
  if (compr_mode == compr_mode_type::none) {
    header.size = kHeaderBytes + members;
    write_header(header, out);
    detail::RawSink sink(out, members);
    run_save(save_members, sink);
    sink.require_complete();
  } else {
    detail::CompressedSink sink(compr_mode, static_cast<std::size_t>(members), clear_buffers);
    run_save(save_members, sink);
    const SecretVector<char>& frame = sink.finish();
    header.size = kHeaderBytes + frame.size();
    write_header(header, out);
    detail::RawSink(out, frame.size())
        .sputn(frame.data(), static_cast<std::streamsize>(frame.size()));
  }
  // Shows a full disk now, not only when the file is closed, where nobody checks.
  if (out.pubsync() != 0) {
    throw_runtime_error(
        {"Serialization::Save", "the output does not accept the bytes that were written",
         "room for the whole object", "pass an output with room for save_size() bytes"});
  }
  return static_cast<std::streamoff>(header.size);
}

/// Returns the bytes from here to the end of an input, if the input knows them.
std::optional<std::uint64_t> bytes_ahead(std::streambuf& in) {
  const auto here = in.pubseekoff(0, std::ios_base::cur, std::ios_base::in);
  if (here < 0) return std::nullopt;
  const auto end = in.pubseekoff(0, std::ios_base::end, std::ios_base::in);
  if (in.pubseekpos(here, std::ios_base::in) != here) {
    throw_runtime_error({"Serialization::Load", "a stream that does not return to its position",
                         "a stream in which seeking works", "check the file behind the stream"});
  }
  if (end < here) return std::nullopt;
  return static_cast<std::uint64_t>(end - here);
}

void require_valid(const Serialization::SEALHeader& header, std::uint64_t max_raw_size) {
  if (!Serialization::IsCompatibleVersion(header)) {
    throw_bad_header("an object of version " + std::to_string(header.version_major) + "." +
                         std::to_string(header.version_minor),
                     "3.4 or later, and up to " SEAL_VERSION);
  }
  if (!Serialization::IsValidHeader(header)) {
    throw_bad_header("an invalid header", "magic number A15E, size 16, modes 0 to 2");
  }
  const bool too_large = header.compr_mode == compr_mode_type::none && header.size > max_raw_size;
  if (header.size < kHeaderBytes || header.size > kMaxOffset || too_large) {
    throw_bad_header("the header states " + std::to_string(header.size) + " bytes",
                     "16 bytes or more, and no more than an object of this type has");
  }
}

void require_available(std::uint64_t payload, std::streambuf& in) {
  if (const auto* container = dynamic_cast<const detail::PayloadSource*>(&in)) {
    if (payload > container->remaining()) {
      throw_bad_header("the object is larger than the object around it",
                       "the size of the object around it");
    }
    return;
  }
  const std::optional<std::uint64_t> ahead = bytes_ahead(in);
  if (ahead && payload > *ahead) {
    throw_invalid_argument({"Serialization::Load",
                            "the header states " + std::to_string(payload) +
                                " bytes after it, but only " + std::to_string(*ahead) + " follow",
                            "the end of the input", "load all bytes that were saved"});
  }
}

std::streamoff load_frame(const LoadMembers& load_members, std::streambuf& in, bool clear_buffers,
                          std::uint64_t max_raw_size) {
  const Serialization::SEALHeader header = read_header(in, true);
  require_valid(header, max_raw_size);
  const std::uint64_t payload = header.size - kHeaderBytes;
  require_available(payload, in);
  const SEALVersion version{header.version_major, header.version_minor, 0, 0};
  const auto run = [&](detail::PayloadSource& source) {
    std::istream stream(&source);
    stream.exceptions(std::ios_base::badbit | std::ios_base::failbit | std::ios_base::eofbit);
    load_members(stream, version);
    source.require_consumed();
  };
  if (header.compr_mode == compr_mode_type::none) {
    detail::RawSource source(in, payload);
    run(source);
  } else {
    const std::uint64_t limit = max_raw_size - std::min<std::uint64_t>(max_raw_size, kHeaderBytes);
    detail::CompressedSource source(header.compr_mode, in, payload, limit, clear_buffers);
    run(source);
  }
  return static_cast<std::streamoff>(header.size);
}

}  // namespace

bool Serialization::IsSupportedComprMode(std::uint8_t compr_mode) noexcept {
  return compr_mode <= static_cast<std::uint8_t>(compr_mode_type::zstd);
}

std::size_t Serialization::ComprSizeEstimate(std::size_t in_size, compr_mode_type compr_mode) {
  require_supported("Serialization::ComprSizeEstimate", compr_mode);
  if (compr_mode == compr_mode_type::none) return in_size;
  const std::size_t bound = detail::frame_bound(compr_mode, in_size);
  if (bound == 0) {
    throw_logic_error({"Serialization::ComprSizeEstimate", "in_size = " + std::to_string(in_size),
                       "a size far below 2^64", "save a smaller object"});
  }
  return bound;
}

bool Serialization::IsCompatibleVersion(const SEALHeader& header) noexcept {
  if (header.version_major == 3) return header.version_minor >= 4;
  return header.version_major == SEAL_VERSION_MAJOR && header.version_minor <= SEAL_VERSION_MINOR;
}

void Serialization::SetSavedVersion(std::uint8_t minor) {
  if (minor == 0 || minor > SEAL_VERSION_MINOR) {
    throw_invalid_argument({"Serialization::SetSavedVersion",
                            "minor = " + std::to_string(unsigned{minor}),
                            "1 to " + std::to_string(SEAL_VERSION_MINOR),
                            "pass the minor version of the SEAL that reads the files"});
  }
  saved_minor_version.store(minor, std::memory_order_relaxed);
}

bool Serialization::IsValidHeader(const SEALHeader& header) noexcept {
  return header.magic == seal_magic && header.header_size == seal_header_size &&
         IsCompatibleVersion(header) && IsSupportedComprMode(header.compr_mode);
}

std::streamoff Serialization::SaveHeader(const SEALHeader& header, std::ostream& stream) {
  return on_stream("Serialization::SaveHeader", stream, [&](std::streambuf& out) {
    write_header(header, out);
    return std::streamoff{kHeaderBytes};
  });
}

std::streamoff Serialization::SaveHeader(const SEALHeader& header, seal_byte* out,
                                         std::size_t size) {
  require_buffer("Serialization::SaveHeader", out, size);
  detail::ArraySink sink(out, size);
  write_header(header, sink);
  return kHeaderBytes;
}

std::streamoff Serialization::LoadHeader(std::istream& stream, SEALHeader& header,
                                         bool try_upgrade_if_invalid) {
  return on_stream("Serialization::LoadHeader", stream, [&](std::streambuf& in) {
    header = read_header(in, try_upgrade_if_invalid);
    return std::streamoff{kHeaderBytes};
  });
}

std::streamoff Serialization::LoadHeader(const seal_byte* in, std::size_t size, SEALHeader& header,
                                         bool try_upgrade_if_invalid) {
  require_buffer("Serialization::LoadHeader", in, size);
  detail::ArraySource source(in, size);
  header = read_header(source, try_upgrade_if_invalid);
  return kHeaderBytes;
}

std::streamoff Serialization::Save(SaveMembers save_members, std::streamoff raw_size,
                                   std::ostream& stream, compr_mode_type compr_mode,
                                   bool clear_buffers) {
  require_supported("Serialization::Save", compr_mode);
  return on_stream("Serialization::Save", stream, [&](std::streambuf& out) {
    return save_frame(save_members, raw_size, out, compr_mode, clear_buffers);
  });
}

std::streamoff Serialization::Save(SaveMembers save_members, std::streamoff raw_size,
                                   seal_byte* out, std::size_t size, compr_mode_type compr_mode,
                                   bool clear_buffers) {
  require_buffer("Serialization::Save", out, size);
  require_supported("Serialization::Save", compr_mode);
  detail::ArraySink sink(out, size);
  std::ostream stream(&sink);
  return on_stream("Serialization::Save", stream, [&](std::streambuf& buffer) {
    return save_frame(save_members, raw_size, buffer, compr_mode, clear_buffers);
  });
}

std::streamoff Serialization::Load(LoadMembers load_members, std::istream& stream,
                                   bool clear_buffers, std::uint64_t max_raw_size) {
  return on_stream("Serialization::Load", stream, [&](std::streambuf& in) {
    return load_frame(load_members, in, clear_buffers, max_raw_size);
  });
}

std::streamoff Serialization::Load(LoadMembers load_members, const seal_byte* in, std::size_t size,
                                   bool clear_buffers, std::uint64_t max_raw_size) {
  require_buffer("Serialization::Load", in, size);
  SEALHeader header;
  LoadHeader(in, size, header);
  if (IsValidHeader(header) && header.size > size) {
    throw_invalid_argument({"Serialization::Load",
                            "the header states " + std::to_string(header.size) +
                                " bytes, in a buffer of " + std::to_string(size),
                            "the size of the buffer", "load all bytes that were saved"});
  }
  detail::ArraySource source(in, size);
  std::istream stream(&source);
  return on_stream("Serialization::Load", stream, [&](std::streambuf& buffer) {
    return load_frame(load_members, buffer, clear_buffers, max_raw_size);
  });
}

namespace detail {

namespace {

// Reverses the bytes of each value; only big-endian machines need it.
void swap_values(char* values, std::size_t count, std::size_t width) noexcept {
  for (std::size_t i = 0; i < count; ++i)
    std::reverse(values + i * width, values + (i + 1) * width);
}

constexpr bool kSwaps = std::endian::native == std::endian::big;
constexpr std::size_t kSwapBuffer = 4096;

template <class Stream>
[[noreturn]] void fail(Stream& stream, const char* message) {
  set_failed(stream);
  throw std::ios_base::failure(message);
}

}  // namespace

void write_values(std::ostream& stream, const void* values, std::size_t count, std::size_t width) {
  const char* bytes = static_cast<const char*>(values);
  if (!kSwaps || width == 1) {
    const auto size = static_cast<std::streamsize>(count * width);
    if (stream.rdbuf()->sputn(bytes, size) != size) fail(stream, "the output takes no more bytes");
    return;
  }
  while (count != 0) {
    SecretVector<char> swapped(bytes, bytes + std::min(count, kSwapBuffer) * width);
    swap_values(swapped.data(), swapped.size() / width, width);
    const auto size = static_cast<std::streamsize>(swapped.size());
    if (stream.rdbuf()->sputn(swapped.data(), size) != size) {
      fail(stream, "the output takes no more bytes");
    }
    bytes += swapped.size();
    count -= swapped.size() / width;
  }
}

void read_values(std::istream& stream, void* values, std::size_t count, std::size_t width) {
  char* bytes = static_cast<char*>(values);
  const auto size = static_cast<std::streamsize>(count * width);
  if (stream.rdbuf()->sgetn(bytes, size) != size) fail(stream, "the input ends too early");
  if (kSwaps) swap_values(bytes, count, width);
}

}  // namespace detail

}  // namespace ringlet::seal4
