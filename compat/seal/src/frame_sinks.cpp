// SPDX-License-Identifier: Apache-2.0
#include "frame_sinks.hpp"

#include <string>
#include <zstd.h>

#include "ringlet/error.hpp"

namespace ringlet::seal4::detail {

namespace {

[[noreturn]] void throw_wrong_size(const std::string& offending) {
  throw_logic_error({"Serialization::Save", offending,
                     "exactly the size that was announced for header and members",
                     "announce what save_members writes"});
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
    throw_runtime_error({"Serialization::Save", "an output that takes no more bytes",
                         "room for the whole object", "make room of save_size() bytes"});
  }
}

ZstdSink::ZstdSink(std::size_t size, bool wipes)
    : PayloadSink(size),
      compressor_(make_zstd_compressor(size, wipes)),
      chunk_(ZSTD_CStreamOutSize()) {}

const SecretVector<char>& ZstdSink::finish() {
  require_complete();
  compress(nullptr, 0, true);
  return frame_;
}

void ZstdSink::put(const char* bytes, std::size_t count) { compress(bytes, count, false); }

void ZstdSink::compress(const char* bytes, std::size_t count, bool end) {
  ZSTD_inBuffer input{bytes, count, 0};
  for (bool done = false; !done;) {
    ZSTD_outBuffer output{chunk_.data(), chunk_.size(), 0};
    const std::size_t left = ZSTD_compressStream2(compressor_.get(), &output, &input,
                                                  end ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left)) {
      throw_runtime_error({"Serialization::Save", ZSTD_getErrorName(left),
                           "a working Zstandard library", "save with compr_mode_type::none"});
    }
    frame_.insert(frame_.end(), chunk_.begin(),
                  chunk_.begin() + static_cast<std::ptrdiff_t>(output.pos));
    done = end ? left == 0 : input.pos == input.size;
  }
}

}  // namespace ringlet::seal4::detail
