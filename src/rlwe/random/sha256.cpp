// SPDX-License-Identifier: Apache-2.0
#include "rlwe/random/sha256.hpp"

#include <cstddef>

#include <openssl/sha.h>

#include "ringlet/base/error.hpp"
#include "ringlet/base/wipe.hpp"

namespace ringlet::rlwe {

// Uses <openssl/sha.h>, which OpenSSL 3 calls deprecated, because the functions of <openssl/evp.h>
// allocate a state for every hash, and an encryption makes several.
void sha256(std::span<const std::uint8_t> message, std::span<std::uint8_t, 32> digest) {
  SHA256_CTX state;
  const bool is_done = SHA256_Init(&state) == 1 &&
                       SHA256_Update(&state, message.data(), message.size()) == 1 &&
                       SHA256_Final(digest.data(), &state) == 1;
  secure_wipe(&state, sizeof(state));
  if (is_done) return;
  throw_runtime_error({.operation = "SHA-256",
                       .offending = "OpenSSL cannot compute it",
                       .limit = "an OpenSSL with SHA-256",
                       .remedy = "check how OpenSSL was built"});
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
