// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <ios>
#include <streambuf>
#include <vector>

#include "ringlet/aligned.hpp"
#include "seal/util/defines.h"
#include "zstd_stream.hpp"

// Where the members of an object go while it is saved. Both take exactly the announced number of
// bytes; std::logic_error if it are more.

namespace ringlet::seal4::detail {

/// Memory of the caller's; more than fits is not taken.
class ArraySink : public std::streambuf {
 public:
  ArraySink(seal_byte* out, std::size_t size) {
    char* begin = reinterpret_cast<char*>(out);
    setp(begin, begin + size);
  }
};

/// A payload that may not grow beyond its announced size.
class PayloadSink : public std::streambuf {
 public:
  explicit PayloadSink(std::uint64_t size) : left_(size) {}

  /// Throws std::logic_error if bytes are missing.
  void require_complete() const;

 protected:
  std::streamsize xsputn(const char* bytes, std::streamsize count) final;
  int_type overflow(int_type character) final;

  virtual void put(const char* bytes, std::size_t count) = 0;

 private:
  std::uint64_t left_;
};

/// Passes the members on as they are. Throws std::runtime_error if the target takes no more.
class RawSink final : public PayloadSink {
 public:
  RawSink(std::streambuf& target, std::uint64_t size) : PayloadSink(size), target_(target) {}

 private:
  void put(const char* bytes, std::size_t count) override;

  std::streambuf& target_;
};

/// Collects the members as one Zstandard frame.
class ZstdSink final : public PayloadSink {
 public:
  ZstdSink(std::size_t size, bool wipes);

  /// Ends the frame.
  const SecretVector<char>& finish();

 private:
  void put(const char* bytes, std::size_t count) override;
  void compress(const char* bytes, std::size_t count, bool end);

  ZstdCompressor compressor_;
  SecretVector<char> frame_;
  SecretVector<char> chunk_;
};

}  // namespace ringlet::seal4::detail
