// SPDX-License-Identifier: Apache-2.0
#include "rlwe/serialization/checksum.hpp"

#include <memory>

#include <openssl/evp.h>

#include "base/refuse.hpp"

namespace ringlet::rlwe {
namespace {

struct DigestDeleter {
  void operator()(EVP_MD_CTX* digest) const noexcept { EVP_MD_CTX_free(digest); }
};

}  // namespace

Checksum checksum_of(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second) {
  const std::unique_ptr<EVP_MD_CTX, DigestDeleter> digest(EVP_MD_CTX_new());
  Checksum result{};
  if (digest == nullptr || EVP_DigestInit_ex2(digest.get(), EVP_sha256(), nullptr) != 1 ||
      EVP_DigestUpdate(digest.get(), first.data(), first.size()) != 1 ||
      EVP_DigestUpdate(digest.get(), second.data(), second.size()) != 1 ||
      EVP_DigestFinal_ex(digest.get(), result.data(), nullptr) != 1) {
    refuse<RuntimeError>("OpenSSL cannot compute SHA-256", "an OpenSSL 3 provider with SHA-256",
                         "check OpenSSL's configuration of providers");
  }
  return result;
}

}  // namespace ringlet::rlwe
