// SPDX-License-Identifier: Apache-2.0
#include "rlwe/serialization/byte_stream.hpp"

#include <algorithm>
#include <ios>
#include <istream>
#include <ostream>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace ringlet::rlwe {
namespace {

// Saved objects take less memory than this per byte of their file: residues do not compress.
constexpr std::uint64_t kMemoryPerByte = 32;
// Memory for a payload doubles from this size on, as its bytes come in.
constexpr std::size_t kChunk = std::size_t{1} << 16;

[[noreturn]] void refuse_short(std::size_t got, std::size_t wanted) {
  refuse<RuntimeError>(
      concat("the input ends, or fails, after ", got, " of ", wanted, " bytes of a part"),
      "the whole object",
      "read from the start of the object, in binary mode, and check that it was stored or sent "
      "completely");
}

}  // namespace

void refuse_damage(const std::string& offending, const std::string& limit) {
  refuse(offending, limit,
         "load the object as it was saved, or fetch a new copy if the file is damaged");
}

ByteSource::~ByteSource() = default;
ByteSink::~ByteSink() = default;

void ByteSource::check_budget(std::uint64_t bytes, std::uint64_t expected,
                              std::uint64_t file_bytes) const {
  const std::uint64_t by_size =
      std::min(file_bytes, (~std::uint64_t{0} - expected) / kMemoryPerByte) * kMemoryPerByte;
  const std::uint64_t limit = limits_.max_bytes != 0 ? limits_.max_bytes : expected + by_size;
  if (bytes <= limit) return;
  refuse(concat("an object that takes ", bytes, " bytes of memory or more, in ", file_bytes,
                " bytes of its file"),
         concat(limit, " bytes of memory"),
         "check where the bytes come from; pass a larger max_bytes to load such an object");
}

std::span<const std::uint8_t> StreamSource::read(std::size_t count, Bytes& scratch) {
  scratch.clear();
  while (scratch.size() < count) {
    const std::size_t before = scratch.size();
    const std::size_t step = std::min(std::max(kChunk, before), count - before);
    scratch.resize(before + step);
    std::size_t got = 0;
    try {
      stream_.read(reinterpret_cast<char*>(scratch.data() + before),
                   static_cast<std::streamsize>(step));
      got = static_cast<std::size_t>(stream_.gcount());
    } catch (const std::ios_base::failure&) {  // streams may be told to throw
      got = static_cast<std::size_t>(stream_.gcount());
      if (got == step) got = 0;
    }
    if (got != step) refuse_short(before + got, count);
  }
  return scratch;
}

std::span<const std::uint8_t> MemorySource::read(std::size_t count, Bytes&) {
  if (count > rest_.size()) refuse_short(rest_.size(), count);
  const auto taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

void MemorySource::expect_end() const {
  if (rest_.empty()) return;
  refuse(
      concat(rest_.size(), " bytes after the object"), "the bytes of one object and nothing else",
      "pass a span of exactly one object, or load from a stream, which may hold several objects");
}

void StreamSink::write(std::span<const std::uint8_t> bytes) {
  bool taken = false;
  try {
    stream_.write(reinterpret_cast<const char*>(bytes.data()),
                  static_cast<std::streamsize>(bytes.size()));
    taken = stream_.good();
  } catch (const std::ios_base::failure&) {  // streams may be told to throw
  }
  if (!taken) {
    refuse<RuntimeError>(concat("the stream did not accept ", bytes.size(), " bytes"),
                         "a stream that is good for writing",
                         "check that the file is open and the disk has room");
  }
  written_ += bytes.size();
}

std::size_t save_file(const Bytes& file, std::ostream& stream) {
  StreamSink sink(stream);
  sink.write(file);
  return sink.written();
}

}  // namespace ringlet::rlwe
