// SPDX-License-Identifier: Apache-2.0
#include "rlwe/sha256.hpp"

#include <cstddef>

#include <openssl/evp.h>

#include "ringlet/error.hpp"

namespace ringlet::rlwe {

void sha256(std::span<const std::uint8_t> message, std::span<std::uint8_t, 32> digest) {
  // Looked up once: it takes longer than the hash of a seed. Kept until the process ends.
  static const EVP_MD* const hash = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  unsigned length = 0;
  if (hash == nullptr ||
      EVP_Digest(message.data(), message.size(), digest.data(), &length, hash, nullptr) != 1) {
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
