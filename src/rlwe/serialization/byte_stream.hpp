// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>

#include "base/refuse.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/rlwe/serialization.hpp"

namespace ringlet::rlwe {

/// Bytes of files in memory; wiped when they are released.
using Bytes = SecretVector<std::uint8_t>;

/// Refuses, with the remedy for damage.
[[noreturn]] void refuse_damage(const std::string& offending, const std::string& limit);

/// The source from which an object is loaded.
class ByteSource {
 public:
  explicit ByteSource(const LoadLimits& limits = {}) : limits_(limits) {}
  virtual ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Returns the next `count` bytes, which may lie in `scratch`. Takes memory as bytes arrive, so
  /// that a false count costs nothing.
  /// @throws RuntimeError if there are fewer.
  std::span<const std::uint8_t> take(std::size_t count, Bytes& scratch) {
    const auto bytes = read(count, scratch);
    taken_ += count;
    return bytes;
  }

  /// Call it before taking `bytes` bytes of memory, for an object that ordinarily takes `expected`.
  /// @throws InvalidArgument if the sum of all calls exceeds the budget.
  void reserve(std::uint64_t bytes, std::uint64_t expected) {
    reserved_ += bytes;
    check_budget(reserved_, expected, taken_);
  }
  /// Checks the budget for all that a file of `file_bytes` bytes holds.
  void check_budget(std::uint64_t bytes, std::uint64_t expected, std::uint64_t file_bytes) const;

  /// Calls the caller's function, if any.
  void between_parts() const {
    if (limits_.between_parts) limits_.between_parts();
  }

 private:
  virtual std::span<const std::uint8_t> read(std::size_t count, Bytes& scratch) = 0;

  LoadLimits limits_;
  std::uint64_t taken_ = 0;
  std::uint64_t reserved_ = 0;
};

/// Reads exactly the wanted bytes; works on streams that cannot seek.
class StreamSource final : public ByteSource {
 public:
  explicit StreamSource(std::istream& stream, const LoadLimits& limits = {})
      : ByteSource(limits), stream_(stream) {}

 private:
  std::span<const std::uint8_t> read(std::size_t count, Bytes& scratch) override;

  std::istream& stream_;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::span<const std::uint8_t> bytes, const LoadLimits& limits = {})
      : ByteSource(limits), rest_(bytes) {}

  /// @throws InvalidArgument if bytes are left.
  void expect_end() const;

 private:
  std::span<const std::uint8_t> read(std::size_t count, Bytes& scratch) override;

  std::span<const std::uint8_t> rest_;
};

/// Returns what `decode` reads from a source on a stream.
template <typename Decode>
auto load_from(std::istream& stream, const LoadLimits& limits, Decode decode) {
  StreamSource source(stream, limits);
  return decode(source);
}

/// Returns what `decode` reads from memory that holds nothing else.
/// @throws InvalidArgument if bytes are left.
template <typename Decode>
auto load_from(std::span<const std::byte> bytes, const LoadLimits& limits, Decode decode) {
  MemorySource source({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, limits);
  auto object = decode(source);
  source.expect_end();
  return object;
}

/// The destination to which an object is saved.
class ByteSink {
 public:
  ByteSink() = default;
  virtual ~ByteSink();
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;
  virtual void write(std::span<const std::uint8_t> bytes) = 0;
};

class StreamSink final : public ByteSink {
 public:
  explicit StreamSink(std::ostream& stream) noexcept : stream_(stream) {}
  /// @throws RuntimeError if the stream does not take them all.
  void write(std::span<const std::uint8_t> bytes) override;
  std::size_t written() const noexcept { return written_; }

 private:
  std::ostream& stream_;
  std::size_t written_ = 0;
};

/// Appends to a std::vector<std::byte> or one that wipes.
template <typename Vector>
class MemorySink final : public ByteSink {
 public:
  explicit MemorySink(Vector& bytes) noexcept : bytes_(bytes) {}
  void write(std::span<const std::uint8_t> bytes) override {
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
    bytes_.insert(bytes_.end(), data, data + bytes.size());
  }

 private:
  Vector& bytes_;
};

/// Writes a file and returns its length.
std::size_t save_file(const Bytes& file, std::ostream& stream);
/// Returns the file in memory.
template <typename Vector>
Vector save_file(const Bytes& file) {
  Vector bytes;
  bytes.reserve(file.size());
  MemorySink<Vector>(bytes).write(file);
  return bytes;
}

}  // namespace ringlet::rlwe
