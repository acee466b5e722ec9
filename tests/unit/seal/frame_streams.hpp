// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <streambuf>
#include <typeinfo>

#include "seal/serialization.h"
#include "seal/util/defines.h"
#include "support/test.hpp"

// Streams and damaged files for tests of frames.

namespace ringlet::test {

using FrameBytes = std::vector<seal::seal_byte>;

inline FrameBytes to_bytes(const std::string& text) {
  const auto* begin = reinterpret_cast<const seal::seal_byte*>(text.data());
  return {begin, begin + text.size()};
}

inline std::string to_text(const FrameBytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
FrameBytes saved_bytes(const T& object, seal::compr_mode_type mode) {
  std::ostringstream stream(std::ios::binary);
  object.save(stream, mode);
  return to_bytes(stream.str());
}

/// A pipe: reads and writes in order, no seeking; says how many bytes were asked for.
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

/// Which of the four types that SEAL throws a call throws: "IA", "OOR", "LE", "RE", or "" for none.
/// Other types pass through.
template <class Call>
std::string thrown_by(Call call) {
  try {
    call();
  } catch (const std::invalid_argument&) {
    return "IA";
  } catch (const std::out_of_range&) {
    return "OOR";
  } catch (const std::logic_error&) {
    return "LE";
  } catch (const std::runtime_error&) {
    return "RE";
  }
  return "";
}

/// Calls load(file) for every truncation and every flip of one bit of a file. A load may throw one
/// of the four types or accept; truncations must throw. Returns the number of accepted flips.
template <class Load>
std::size_t accepted_damages(const FrameBytes& file, Load load) {
  for (std::size_t size = 0; size < file.size(); ++size) {
    const FrameBytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    if (thrown_by([&] { load(cut); }).empty()) {
      throw std::runtime_error("accepted a file cut to " + std::to_string(size) + " bytes");
    }
  }
  std::size_t accepted = 0;
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    FrameBytes flipped = file;
    flipped[bit / 8] ^= static_cast<seal::seal_byte>(1 << (bit % 8));
    accepted += thrown_by([&] { load(flipped); }).empty();
  }
  return accepted;
}

/// Calls load(file) for `rounds` files in which one to four bytes are other ones, bytes are missing
/// or bytes are twice there. Returns the number of accepted files.
template <class Load>
std::size_t accepted_mutations(const FrameBytes& file, std::size_t rounds, Load load) {
  std::mt19937_64 random(rounds);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  std::size_t accepted = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    FrameBytes mutated = file;
    for (std::size_t i = below(4) + 1; i-- > 0;) {
      mutated[below(mutated.size())] = static_cast<seal::seal_byte>(random());
    }
    const auto begin = static_cast<std::ptrdiff_t>(below(mutated.size()));
    const auto end = begin + static_cast<std::ptrdiff_t>(
                                 below(mutated.size() - static_cast<std::size_t>(begin)));
    if (round % 4 == 1) mutated.erase(mutated.begin() + begin, mutated.begin() + end);
    if (round % 4 == 2) {
      const FrameBytes piece(mutated.begin() + begin, mutated.begin() + end);
      mutated.insert(mutated.begin() + begin, piece.begin(), piece.end());
    }
    accepted += thrown_by([&] { load(mutated); }).empty();
  }
  return accepted;
}

}  // namespace ringlet::test
