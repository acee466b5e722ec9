// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "ringlet/base/aligned.hpp"

namespace ringlet::rlwe {

/// A byte string to be hashed or used as a key, wiped when it is released.
class ByteString {
 public:
  void append(std::string_view ascii) { bytes_.insert(bytes_.end(), ascii.begin(), ascii.end()); }
  void append(std::span<const std::uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  /// Appends eight bytes, least significant first.
  void append(std::uint64_t word) {
    for (int shift = 0; shift < 64; shift += 8) {
      bytes_.push_back(static_cast<std::uint8_t>(word >> shift));
    }
  }
  std::span<const std::uint8_t> bytes() const noexcept { return bytes_; }

 private:
  SecretVector<std::uint8_t> bytes_;
};

/// Computes SHA-256. @throws RuntimeError if the library has no such hash.
void sha256(std::span<const std::uint8_t> message, std::span<std::uint8_t, 32> digest);
inline void sha256(const ByteString& message, std::span<std::uint8_t, 32> digest) {
  sha256(message.bytes(), digest);
}

/// Returns the digest as four words, the least significant byte of each first.
std::array<std::uint64_t, 4> sha256_words(const ByteString& message);

}  // namespace ringlet::rlwe
