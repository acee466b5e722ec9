// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <istream>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ringlet/rlwe/serialization.hpp"
#include "rlwe/serialization/key_set.hpp"

namespace ringlet {
namespace {

constexpr const char* kOpen = "open_galois_keys";

using rlwe::Bytes;
using rlwe::DirectoryEntry;

/// The file of a set of keys, which can be read at any place.
class KeyFile {
 public:
  virtual ~KeyFile() = default;
  /// Returns the bytes [offset, offset + length) of the file, which may lie in `scratch`.
  virtual std::span<const std::uint8_t> read(std::uint64_t offset, std::uint64_t length,
                                             Bytes& scratch) const = 0;
};

class MemoryKeyFile final : public KeyFile {
 public:
  explicit MemoryKeyFile(std::shared_ptr<const std::vector<std::byte>> bytes) noexcept
      : bytes_(std::move(bytes)) {}

  std::span<const std::uint8_t> all() const noexcept {
    return {reinterpret_cast<const std::uint8_t*>(bytes_->data()), bytes_->size()};
  }
  std::span<const std::uint8_t> read(std::uint64_t offset, std::uint64_t length,
                                     Bytes&) const override {
    return all().subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
  }

 private:
  std::shared_ptr<const std::vector<std::byte>> bytes_;
};

class StreamKeyFile final : public KeyFile {
 public:
  StreamKeyFile(std::shared_ptr<std::istream> stream, std::istream::pos_type start)
      : stream_(std::move(stream)), start_(start) {}

  std::span<const std::uint8_t> read(std::uint64_t offset, std::uint64_t length,
                                     Bytes& scratch) const override {
    const std::lock_guard lock(mutex_);
    rlwe::StreamSource source(*stream_);
    try {
      stream_->clear();
      stream_->seekg(start_ + static_cast<std::streamoff>(offset));
    } catch (const std::ios_base::failure&) {  // then reading fails
    }
    return source.take(static_cast<std::size_t>(length), scratch);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<std::istream> stream_;
  std::istream::pos_type start_;
};

class FileKeySource final : public KSwitchKeySource {
 public:
  FileKeySource(const Context& context, std::unique_ptr<const KeyFile> file,
                rlwe::Directory directory)
      : context_(context), file_(std::move(file)), directory_(std::move(directory)) {
    Bytes scratch;
    for (const DirectoryEntry& entry : directory_) {
      const std::uint64_t place = entry.offset + rlwe::kSummedBytes;
      const auto bytes = file_->read(place, sizeof(rlwe::Checksum), scratch);
      std::ranges::copy(bytes, checksums_.emplace_back().begin());
    }
  }

  std::vector<std::uint64_t> indices() const override {
    std::vector<std::uint64_t> result;
    for (const DirectoryEntry& entry : directory_) result.push_back(entry.index);
    return result;
  }

  KeyId key_id() const override {
    return directory_.empty() ? kKeyIdUnknown : directory_.front().key_id;
  }
  std::shared_ptr<const KSwitchKey> load(std::uint64_t index) const override;

 private:
  Context context_;
  std::unique_ptr<const KeyFile> file_;
  rlwe::Directory directory_;              // ascending
  std::vector<rlwe::Checksum> checksums_;  // of the keys in the file when it was opened
};

/// Fetches the bytes of one key when they are needed, so that a failure names the key.
class KeyBytes final : public rlwe::ByteSource {
 public:
  KeyBytes(const KeyFile& file, const DirectoryEntry& entry, const rlwe::Checksum& checksum)
      : file_(file), checksum_(checksum), offset_(entry.offset) {}

 private:
  std::span<const std::uint8_t> read(std::size_t count, Bytes& scratch) override {
    const auto bytes = file_.read(offset_, count, scratch);
    offset_ += count;
    if (std::exchange(is_header_, false) &&
        !std::ranges::equal(bytes.subspan(rlwe::kSummedBytes), checksum_)) {
      refuse<RuntimeError>(
          "the file was overwritten after it was opened", "the bytes that were opened",
          "open the file again; give a new file the name of an old one instead of overwriting it");
    }
    return bytes;
  }

  const KeyFile& file_;
  const rlwe::Checksum& checksum_;
  bool is_header_ = true;
  std::uint64_t offset_;
};

std::shared_ptr<const KSwitchKey> FileKeySource::load(std::uint64_t index) const {
  const auto entry = std::ranges::lower_bound(directory_, index, {}, &DirectoryEntry::index);
  if (entry == directory_.end() || entry->index != index) {
    refuse<OutOfRange>(concat("Galois element ", index), "the elements of the file's directory",
                       "ask which keys there are first");
  }
  KeyBytes source(*file_, *entry, checksums_[static_cast<std::size_t>(entry - directory_.begin())]);
  return read_key(context_, source, rlwe::ObjectType::galois_keys, *entry);
}

[[noreturn]] void refuse_length(std::uint64_t found, std::uint64_t wanted) {
  const ErrorDetails details{
      .offending = concat("a file of ", found, " bytes"),
      .limit = concat("the ", wanted, " bytes that its directory states"),
      .remedy = "check that the file was stored or sent completely and holds nothing else"};
  if (found > wanted) throw_invalid_argument(details);
  throw_runtime_error(details);
}

// Returns the bytes from the current position to the end; the position stays.
std::uint64_t bytes_behind(std::istream& stream) {
  const auto here = stream.tellg();
  stream.seekg(0, std::ios::end);
  const auto end = stream.tellg();
  stream.seekg(here);
  if (here == std::istream::pos_type(-1) || end < here || !stream.good()) {
    refuse<RuntimeError>("a stream that cannot seek",
                         "files, and streams that are good and can seek", "load all keys at once");
  }
  return static_cast<std::uint64_t>(end - here);
}

GaloisKeys open(const Context& context, std::shared_ptr<std::istream> stream, bool is_alone,
                const LoadLimits& limits) {
  const std::uint64_t found = bytes_behind(*stream);
  const auto start = stream->tellg();
  rlwe::StreamSource source(*stream, limits);
  rlwe::Directory directory = rlwe::read_directory(context, source, rlwe::ObjectType::galois_keys);
  const std::uint64_t wanted = rlwe::file_bytes(directory);
  if (found < wanted || (is_alone && found > wanted)) refuse_length(found, wanted);
  return {context, std::make_shared<FileKeySource>(
                       context, std::make_unique<StreamKeyFile>(std::move(stream), start),
                       std::move(directory))};
}

[[noreturn]] void refuse_null(const char* what) {
  refuse(concat(what, " = null"), "the file of a set of Galois keys",
         "pass the bytes or the stream that holds this file");
}

}  // namespace

GaloisKeys open_galois_keys(const Context& context, const std::string& path,
                            const LoadLimits& limits) {
  return public_entry(kOpen, [&]() -> GaloisKeys {
    auto file = std::make_shared<std::ifstream>(path, std::ios::binary);
    if (!*file) {
      refuse<RuntimeError>(concat("cannot open ", path), "a file that can be read",
                           "check the path and its permissions");
    }
    return open(context, std::move(file), true, limits);
  });
}

GaloisKeys open_galois_keys(const Context& context, std::shared_ptr<std::istream> stream,
                            const LoadLimits& limits) {
  return public_entry(kOpen, [&]() -> GaloisKeys {
    if (stream == nullptr) refuse_null("stream");
    return open(context, std::move(stream), false, limits);
  });
}

GaloisKeys open_galois_keys(const Context& context,
                            std::shared_ptr<const std::vector<std::byte>> bytes,
                            const LoadLimits& limits) {
  return public_entry(kOpen, [&]() -> GaloisKeys {
    if (bytes == nullptr) refuse_null("bytes");
    auto file = std::make_unique<MemoryKeyFile>(std::move(bytes));
    rlwe::MemorySource source(file->all(), limits);
    rlwe::Directory directory =
        rlwe::read_directory(context, source, rlwe::ObjectType::galois_keys);
    const std::uint64_t wanted = rlwe::file_bytes(directory);
    if (file->all().size() != wanted) refuse_length(file->all().size(), wanted);
    return {context,
            std::make_shared<FileKeySource>(context, std::move(file), std::move(directory))};
  });
}

}  // namespace ringlet
