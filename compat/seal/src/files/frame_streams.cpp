// SPDX-License-Identifier: Apache-2.0
#include "files/frame_streams.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "ringlet/base/error.hpp"

namespace ringlet::seal4::detail {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;

[[noreturn]] void throw_wrong_size(const std::string& offending) {
  throw_logic_error({"Serialization::Save", offending,
                     "exactly the size that was announced for header and members",
                     "announce the number of bytes that save_members writes"});
}

}  // namespace

std::streamsize PayloadSink::xsputn(const char* bytes, std::streamsize count) {
  if (count <= 0) return 0;
  const auto size = static_cast<std::uint64_t>(count);
  if (size > left_) throw_wrong_size(std::to_string(size - left_) + " bytes too many");
  left_ -= size;
  put(bytes, static_cast<std::size_t>(size));
  return count;
}

PayloadSink::int_type PayloadSink::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(0);
  const char byte = traits_type::to_char_type(character);
  xsputn(&byte, 1);
  return character;
}

void PayloadSink::require_complete() const {
  if (left_ != 0) throw_wrong_size(std::to_string(left_) + " bytes missing");
}

void RawSink::put(const char* bytes, std::size_t count) {
  const auto size = static_cast<std::streamsize>(count);
  if (target_.sputn(bytes, size) != size) {
    throw_runtime_error({"Serialization::Save", "the output accepts no more bytes",
                         "room for the whole object",
                         "pass an output with room for save_size() bytes"});
  }
}

CompressedSink::CompressedSink(compr_mode_type mode, std::size_t size, bool wipes)
    : PayloadSink(size), compressor_(make_compressor(mode, size, wipes)), chunk_(kChunk) {}

const SecretVector<char>& CompressedSink::finish() {
  require_complete();
  compress(nullptr, 0, true);
  return frame_;
}

void CompressedSink::put(const char* bytes, std::size_t count) { compress(bytes, count, false); }

void CompressedSink::compress(const char* bytes, std::size_t count, bool end) {
  std::span<const char> input(bytes, count);
  for (bool done = false; !done;) {
    std::span<char> output(chunk_.data(), chunk_.size());
    done = compressor_->run(input, output, end);
    frame_.insert(frame_.end(), chunk_.data(), output.data());
  }
}

namespace {

constexpr std::uint64_t kFreeContent = std::uint64_t{128} << 20;
constexpr std::uint64_t kFreeUnboundedContent = std::uint64_t{1} << 20;
constexpr std::uint64_t kContentPerByte = 64;
// Residues are random and do not compress: a real object needs less memory for each saved byte.
constexpr std::uint64_t kMemoryPerByte = 32;

[[noreturn]] void throw_bad_payload(const std::string& offending, const char* limit) {
  throw_logic_error({"Serialization::Load", offending, limit,
                     "load exactly the bytes that were saved, as the same type"});
}

std::uint64_t content_limit(std::uint64_t stored, std::uint64_t limit) {
  constexpr std::uint64_t kUnbounded =
      std::numeric_limits<std::uint64_t>::max() - Serialization::seal_header_size;
  const std::uint64_t free = limit < kUnbounded ? kFreeContent : kFreeUnboundedContent;
  const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - free;
  const std::uint64_t by_size = stored > room / kContentPerByte ? room : stored * kContentPerByte;
  return std::min(limit, free + by_size);
}

}  // namespace

void MemoryBudget::reserve(const std::istream& stream, std::uint64_t bytes) {
  const std::uint64_t read = dynamic_cast<const PayloadSource&>(*stream.rdbuf()).input_bytes();
  reserved_ += bytes;
  if (reserved_ <= expected_ || (reserved_ - expected_) / kMemoryPerByte <= read) return;
  throw_bad_payload("an object that takes " + std::to_string(reserved_) +
                        " bytes of memory or more, in " + std::to_string(read) + " bytes",
                    "the memory of an ordinary object plus 32 bytes for each byte of the input");
}

std::streamsize PayloadSource::xsgetn(char* bytes, std::streamsize count) {
  if (count <= 0) return 0;
  std::size_t left = static_cast<std::size_t>(count);
  if (gptr() != egptr()) {
    *bytes++ = *gptr();
    gbump(1);
    --left;
  }
  if (left != 0) take(bytes, left);
  return count;
}

PayloadSource::int_type PayloadSource::underflow() {
  if (gptr() == egptr()) {
    take(&byte_, 1);
    setg(&byte_, &byte_, &byte_ + 1);
  }
  return traits_type::to_int_type(*gptr());
}

std::uint64_t RawSource::remaining() const noexcept {
  return left_ + static_cast<std::uint64_t>(egptr() - gptr());
}

void RawSource::require_consumed() {
  if (remaining() != 0) {
    throw_bad_payload(std::to_string(remaining()) + " bytes are left after the members",
                      "the size that the header states");
  }
}

void RawSource::take(char* bytes, std::size_t count) {
  if (count > left_) {
    throw_bad_payload("the members have more bytes than the object",
                      "the size that the header states");
  }
  const auto size = static_cast<std::streamsize>(count);
  if (input_.sgetn(bytes, size) != size) {
    throw_runtime_error({"Serialization::Load", "the input ends too early",
                         "the size that the header states", "load all bytes that were saved"});
  }
  left_ -= count;
}

CompressedSource::CompressedSource(compr_mode_type mode, std::streambuf& input, std::uint64_t size,
                                   std::uint64_t limit, bool wipes)
    : compressed_(input, size),
      decompressor_(make_decompressor(mode, wipes)),
      limit_(content_limit(size, limit)),
      output_left_(limit_),
      input_(static_cast<std::size_t>(std::min<std::uint64_t>(size, kChunk))),
      output_(static_cast<std::size_t>(std::min<std::uint64_t>(limit_, kChunk - 1)) + 1) {}

std::uint64_t CompressedSource::remaining() const noexcept {
  const auto ahead = static_cast<std::uint64_t>(egptr() - gptr()) + (output_end_ - output_begin_);
  return output_left_ + ahead;
}

void CompressedSource::take(char* bytes, std::size_t count) {
  while (count != 0) {
    if (output_begin_ == output_end_ && count < kChunk) {
      output_begin_ = 0;
      output_end_ = decompress(output_.data(), output_.size());
    }
    std::size_t taken = std::min(count, output_end_ - output_begin_);
    if (taken != 0) {
      std::memcpy(bytes, output_.data() + output_begin_, taken);
      output_begin_ += taken;
    } else if (!ended_) {
      taken = decompress(bytes, count);
    }
    if (taken == 0 && ended_) {
      throw_bad_payload("the members have more bytes than the object",
                        "the content of the compressed frame");
    }
    bytes += taken;
    count -= taken;
  }
}

std::size_t CompressedSource::decompress(char* bytes, std::size_t count) {
  // One byte more than allowed shows that there is too much content.
  if (output_left_ < count) count = static_cast<std::size_t>(output_left_) + 1;
  std::span<char> output(bytes, count);
  while (output.size() == count && !ended_) {
    if (input_begin_ == input_end_) {
      input_begin_ = 0;
      input_end_ =
          static_cast<std::size_t>(std::min<std::uint64_t>(compressed_.remaining(), kChunk));
      compressed_.take(input_.data(), input_end_);
    }
    std::span<const char> input(input_.data() + input_begin_, input_end_ - input_begin_);
    const bool starved = input.empty();
    ended_ = decompressor_->run(input, output);
    input_begin_ = input_end_ - input.size();
    if (starved && output.size() == count && !ended_) {
      throw_bad_payload("the compressed frame is cut off", "one whole frame");
    }
  }
  const std::size_t made = count - output.size();
  if (made > output_left_) {
    throw_bad_payload("more than " + std::to_string(limit_) + " bytes of compressed content",
                      "the size of an object of this type, plus 64 times the stored size, plus 1 "
                      "MiB, or 128 MiB if the caller states a bound");
  }
  output_left_ -= made;
  return made;
}

void CompressedSource::require_consumed() {
  char extra = 0;
  const bool ahead = gptr() != egptr() || output_begin_ != output_end_;
  if (ahead || decompress(&extra, 1) != 0) {
    throw_bad_payload("content is left after the members", "exactly the members");
  }
  if (input_begin_ != input_end_ || compressed_.remaining() != 0) {
    throw_bad_payload("bytes follow the compressed frame", "one frame");
  }
}

}  // namespace ringlet::seal4::detail
