// SPDX-License-Identifier: Apache-2.0
#include "rlwe/serialization/byte_stream.hpp"

#include <algorithm>
#include <ios>
#include <istream>
#include <ostream>

#include "base/text.hpp"
#include "ringlet/error.hpp"

namespace ringlet::rlwe {
namespace {

// Memory for a payload grows by this much at a time, as its bytes come in.
constexpr std::size_t kChunk = std::size_t{1} << 20;

[[noreturn]] void refuse_short(const char* operation, std::size_t got, std::size_t wanted) {
  throw_runtime_error(
      {.operation = operation,
       .offending =
           concat("the input ends, or fails, after ", got, " of ", wanted, " bytes of a part"),
       .limit = "the whole object",
       .remedy = "read from the start of the object, in binary mode, and check that "
                 "it was stored or sent completely"});
}

}  // namespace

void refuse_file(const char* operation, const std::string& offending, const std::string& limit,
                 const char* remedy) {
  throw_invalid_argument(
      {.operation = operation, .offending = offending, .limit = limit, .remedy = remedy});
}

void refuse_damage(const char* operation, const std::string& offending, const std::string& limit) {
  refuse_file(operation, offending, limit,
              "load what was saved, unchanged; fetch a new copy of a damaged file");
}

ByteSource::~ByteSource() = default;
ByteSink::~ByteSink() = default;

std::span<const std::uint8_t> StreamSource::take(std::size_t count, Bytes& scratch) {
  scratch.clear();
  while (scratch.size() < count) {
    const std::size_t before = scratch.size();
    const std::size_t step = std::min(kChunk, count - before);
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
    if (got != step) refuse_short(operation(), before + got, count);
  }
  return scratch;
}

std::span<const std::uint8_t> MemorySource::take(std::size_t count, Bytes&) {
  if (count > rest_.size()) refuse_short(operation(), rest_.size(), count);
  const auto taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

void MemorySource::expect_end() const {
  if (rest_.empty()) return;
  refuse_file(operation(), concat(rest_.size(), " bytes behind the object"),
              "the bytes of one object and nothing else",
              "pass the exact span, or load from a stream, which may hold several objects");
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
    throw_runtime_error({.operation = operation_,
                         .offending = concat("the stream did not take ", bytes.size(), " bytes"),
                         .limit = "a stream that is good for writing",
                         .remedy = "check that the file is open and the disk has room"});
  }
  written_ += bytes.size();
}

std::size_t save_file(const Bytes& file, std::ostream& stream, const char* operation) {
  StreamSink sink(stream, operation);
  sink.write(file);
  return sink.written();
}

}  // namespace ringlet::rlwe
