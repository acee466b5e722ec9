// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <streambuf>

#include "seal/serialization.h"
#include "support/mutations.hpp"
#include "support/values.hpp"
#include "unit/seal/thrown.hpp"

// Files as bytes, streams that cannot seek, and damaged files.

namespace ringlet::test {

using Bytes = std::vector<seal::seal_byte>;

inline constexpr seal::compr_mode_type kModes[] = {
    seal::compr_mode_type::none, seal::compr_mode_type::zlib, seal::compr_mode_type::zstd};

inline Bytes as_bytes(const std::string& text) {
  const auto* begin = reinterpret_cast<const seal::seal_byte*>(text.data());
  return {begin, begin + text.size()};
}

inline std::string as_text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename T>
Bytes saved(const T& object, seal::compr_mode_type mode = seal::compr_mode_type::none) {
  std::ostringstream stream(std::ios::binary);
  object.save(stream, mode);
  return as_bytes(stream.str());
}

/// A pipe: reads and writes in order, cannot seek, and counts the bytes read.
class Pipe : public std::streambuf {
 public:
  explicit Pipe(std::string content = {}) : content_(std::move(content)) {}
  const std::string& content() const { return content_; }
  std::size_t position() const { return position_; }

 protected:
  std::streamsize xsgetn(char* bytes, std::streamsize count) override {
    const std::size_t taken = content_.copy(bytes, static_cast<std::size_t>(count), position_);
    position_ += taken;
    return static_cast<std::streamsize>(taken);
  }
  int_type underflow() override {
    return position_ < content_.size() ? traits_type::to_int_type(content_[position_])
                                       : traits_type::eof();
  }
  int_type uflow() override {
    const int_type next = underflow();
    if (next != traits_type::eof()) ++position_;
    return next;
  }
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    content_.append(bytes, static_cast<std::size_t>(count));
    return count;
  }
  int_type overflow(int_type character) override {
    content_ += traits_type::to_char_type(character);
    return character;
  }

 private:
  std::string content_;
  std::size_t position_ = 0;
};

/// Saves `object`, a T or a Serializable<T>, in every mode, and loads it in place of each of
/// `targets` from memory, disk, a pipe and a buffer, for the context if T needs one. Expects the
/// sizes that save_size announces, streams left after each object, and the raw file `raw`.
template <typename T, typename Object, typename... Context>
void expect_round_trips(const Object& object, const Bytes& raw, const std::vector<T>& targets,
                        const Context&... context) {
  for (const auto mode : kModes) {
    SCOPED_TRACE(static_cast<int>(mode));
    const std::string path = testing::TempDir() + "ringlet-seal-" + std::to_string(getpid());
    std::ofstream written(path, std::ios::binary);
    const std::streamoff size = object.save(written, mode);
    EXPECT_GE(object.save_size(mode), size);
    EXPECT_TRUE(mode != seal::compr_mode_type::none || object.save_size(mode) == size);
    Bytes file(static_cast<std::size_t>(size));
    EXPECT_RUNTIME_ERROR(object.save(file.data(), file.size() - 1, mode));
    for (std::size_t i = 1; i < targets.size(); ++i) {
      EXPECT_EQ(object.save(file.data(), file.size(), mode), size);
      written << as_text(file);
    }
    written << "rest" << std::flush;
    std::ifstream disk(path, std::ios::binary);
    std::remove(path.c_str());
    const std::string content{std::istreambuf_iterator<char>(disk), {}};
    EXPECT_EQ(std::ssize(content), size * std::ssize(targets) + 4);
    disk.seekg(0);
    std::istringstream memory(content);
    Pipe pipe(content);
    std::istream unseekable(&pipe);
    for (std::istream* stream :
         {&unseekable, static_cast<std::istream*>(&memory), static_cast<std::istream*>(&disk)}) {
      for (T target : targets) {
        EXPECT_EQ(target.load(context..., *stream), size);
        EXPECT_EQ(saved(target), raw);
        if constexpr (requires { target == object; }) {
          EXPECT_TRUE(target == object);
        }
      }
      EXPECT_EQ(std::string(std::istreambuf_iterator<char>(*stream), {}), "rest");
    }
    const Bytes buffer = as_bytes(content);
    for (T target : targets) {
      const Bytes before = saved(target);
      EXPECT_INVALID_ARGUMENT(target.load(context..., buffer.data(), file.size() - 1));
      EXPECT_EQ(saved(target), before) << "refused, but changed";
      T unsafe(target);
      EXPECT_EQ(target.load(context..., buffer.data(), buffer.size()), size);
      EXPECT_EQ(saved(target), raw);
      if constexpr (sizeof...(Context) != 0) {
        std::istringstream stream(content);
        EXPECT_EQ(unsafe.unsafe_load(context..., stream), size);
        EXPECT_EQ(saved(unsafe), raw);
        EXPECT_EQ(unsafe.unsafe_load(context..., buffer.data(), buffer.size()), size);
        EXPECT_EQ(saved(unsafe), raw);
      }
    }
  }
}

/// Expects refusals of truncations; returns the number of one-bit changes that load(file) accepts.
template <typename Load>
std::size_t accepted_flips(const Bytes& file, const Load& load) {
  for_each_truncation(file, [&](const Bytes& cut) {
    EXPECT_NE(thrown_by([&] { load(cut); }), "nothing") << cut.size();
  });
  std::size_t accepted = 0;
  for_each_flipped_bit(file, [&](const Bytes& flipped) {
    accepted += thrown_by([&] { load(flipped); }) == "nothing";
  });
  return accepted;
}

/// Expects that load(file) accepts some, but not all, of 5000 randomly changed files.
template <typename Load>
void expect_mutations_are_harmless(const Bytes& file, const Load& load) {
  constexpr std::size_t kCount = 5000;
  auto rng = make_rng();
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const Bytes changed = mutated(file, rng);
    accepted += thrown_by([&] { load(changed); }) == "nothing";
  }
  EXPECT_GT(accepted, 0U);
  EXPECT_LT(accepted, kCount);
}

}  // namespace ringlet::test
