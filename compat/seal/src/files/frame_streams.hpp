// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <ios>
#include <istream>
#include <limits>
#include <memory>
#include <streambuf>
#include <vector>

#include "files/compression.hpp"
#include "ringlet/base/aligned.hpp"
#include "seal/util/defines.h"

// Sinks receive the members of an object while it is saved. They take exactly the announced number
// of bytes and throw std::logic_error for more. Members are read from sources. A source ends with
// its object: it throws std::logic_error for a read past its end, and std::runtime_error if the
// input ends before the object.

namespace ringlet::seal4::detail {

/// A sink in memory of the caller; refuses more than fits.
class ArraySink : public std::streambuf {
 public:
  ArraySink(seal_byte* out, std::size_t size) {
    char* begin = reinterpret_cast<char*>(out);
    setp(begin, begin + size);
  }
};

/// A sink that must not grow beyond its announced size.
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

/// Passes the members on unchanged. Throws std::runtime_error if the target takes no more.
class RawSink final : public PayloadSink {
 public:
  RawSink(std::streambuf& target, std::uint64_t size) : PayloadSink(size), target_(target) {}

 private:
  void put(const char* bytes, std::size_t count) override;

  std::streambuf& target_;
};

/// Collects the members as one compressed frame.
class CompressedSink final : public PayloadSink {
 public:
  CompressedSink(compr_mode_type mode, std::size_t size, bool wipes);

  /// Ends the frame.
  const SecretVector<char>& finish();

 private:
  void put(const char* bytes, std::size_t count) override;
  void compress(const char* bytes, std::size_t count, bool end);

  std::unique_ptr<Compressor> compressor_;
  SecretVector<char> frame_;
  SecretVector<char> chunk_;
};

/// A source in memory of the caller.
class ArraySource : public std::streambuf {
 public:
  ArraySource(const seal_byte* in, std::size_t size) {
    char* begin = const_cast<char*>(reinterpret_cast<const char*>(in));
    setg(begin, begin, begin + size);
  }
};

/// The members of one object. Seeking is not possible.
class PayloadSource : public std::streambuf {
 public:
  /// Returns an upper bound of the bytes that are left.
  virtual std::uint64_t remaining() const noexcept = 0;

  /// Returns the bytes of the outermost input that were read for this object so far.
  virtual std::uint64_t input_bytes() const noexcept = 0;

  /// Throws std::logic_error if bytes are left over.
  virtual void require_consumed() = 0;

 protected:
  std::streamsize xsgetn(char* bytes, std::streamsize count) final;
  int_type underflow() final;

  /// Reads exactly count bytes, or throws.
  virtual void take(char* bytes, std::size_t count) = 0;

 private:
  char byte_ = 0;  // for readers that look at single bytes
};

/// A source of `size` bytes of the input, unchanged.
class RawSource final : public PayloadSource {
 public:
  RawSource(std::streambuf& input, std::uint64_t size)
      : input_(input),
        container_(dynamic_cast<const PayloadSource*>(&input)),
        size_(size),
        left_(size) {}

  std::uint64_t remaining() const noexcept override;
  std::uint64_t input_bytes() const noexcept override {
    return container_ != nullptr ? container_->input_bytes() : size_ - left_;
  }
  void require_consumed() override;
  void take(char* bytes, std::size_t count) override;

 private:
  std::streambuf& input_;
  const PayloadSource* container_;  // the source of the outer object, if there is one
  std::uint64_t size_;
  std::uint64_t left_;
};

/// The content of the compressed frame that takes exactly `size` bytes of the input. Throws
/// std::logic_error above `limit` bytes of content, and above 64 times `size` plus 128 MiB, or plus
/// 1 MiB if there is no `limit`.
class CompressedSource final : public PayloadSource {
 public:
  CompressedSource(compr_mode_type mode, std::streambuf& input, std::uint64_t size,
                   std::uint64_t limit, bool wipes);

  std::uint64_t remaining() const noexcept override;
  std::uint64_t input_bytes() const noexcept override { return compressed_.input_bytes(); }
  void require_consumed() override;

 private:
  void take(char* bytes, std::size_t count) override;
  /// Decompresses at least one byte unless the frame ends; returns how many.
  std::size_t decompress(char* bytes, std::size_t count);

  RawSource compressed_;
  std::unique_ptr<Decompressor> decompressor_;
  std::uint64_t limit_;
  std::uint64_t output_left_;
  bool ended_ = false;
  SecretVector<char> input_;  // compressed bytes, those before input_begin_ are used up
  std::size_t input_begin_ = 0;
  std::size_t input_end_ = 0;
  SecretVector<char> output_;  // content ahead of small reads
  std::size_t output_begin_ = 0;
  std::size_t output_end_ = 0;
};

/// The memory that loading one object, with the objects inside it, may take: the memory of an
/// ordinary object, and 32 bytes for each byte of the input that was read for it.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t expected) noexcept : expected_(expected) {}

  /// Counts `bytes` of memory for members that a PayloadSource behind `stream` gives. Call it
  /// before taking the memory. @throws std::logic_error if they are beyond the budget.
  void reserve(const std::istream& stream, std::uint64_t bytes);

 private:
  std::uint64_t expected_;
  std::uint64_t reserved_ = 0;
};

}  // namespace ringlet::seal4::detail
