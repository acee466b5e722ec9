// SPDX-License-Identifier: Apache-2.0
#include "rlwe/sha256.hpp"

#include <cstddef>

#include <openssl/evp.h>

#include "ringlet/error.hpp"

namespace ringlet::rlwe {

void sha256(const ByteString& message, std::span<std::uint8_t, 32> digest) {
  std::size_t length = digest.size();
  const auto bytes = message.bytes();
  if (EVP_Q_digest(nullptr, "SHA256", nullptr, bytes.data(), bytes.size(), digest.data(),
                   &length) != 1) {
    throw_runtime_error({.operation = "SHA-256",
                         .offending = "OpenSSL cannot compute it",
                         .limit = "an OpenSSL 3 provider with SHA-256",
                         .remedy = "check OpenSSL's configuration of providers"});
  }
}

std::array<std::uint64_t, 4> sha256_words(const ByteString& message) {
  std::array<std::uint8_t, 32> digest{};
  sha256(message, digest);
  std::array<std::uint64_t, 4> words{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    words[i / 8] |= std::uint64_t{digest[i]} << (8 * (i % 8));
  }
  return words;
}

}  // namespace ringlet::rlwe
