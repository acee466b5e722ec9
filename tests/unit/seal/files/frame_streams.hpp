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

inline constexpr seal::compr_mode_type kModes[] = {seal::compr_mode_type::none,
                                                   seal::compr_mode_type::zstd};

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

/// For classes whose files need no context: the object comes back in both modes from streams and
/// buffers, whatever the target held before.
template <typename T>
void expect_comes_back(const T& object, const T& before) {
  for (const auto mode : kModes) {
    const Bytes file = saved(object, mode);
    EXPECT_LE(std::ssize(file), object.save_size(mode));
    std::istringstream stream(as_text(file) + "rest");
    T loaded = before;
    EXPECT_EQ(loaded.load(stream), std::ssize(file));
    EXPECT_EQ(stream.tellg(), std::ssize(file));
    EXPECT_EQ(loaded, object);
    Bytes buffer(static_cast<std::size_t>(object.save_size(mode)));
    EXPECT_EQ(object.save(buffer.data(), buffer.size(), mode), std::ssize(file));
    loaded = before;
    EXPECT_EQ(loaded.load(buffer.data(), buffer.size()), std::ssize(file));
    EXPECT_EQ(loaded, object);
  }
  EXPECT_EQ(object.save_size(seal::compr_mode_type::none), std::ssize(saved(object)));
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
