// SPDX-License-Identifier: Apache-2.0
#include "rlwe/random_stream.hpp"

#include <algorithm>
#include <string_view>

#include <openssl/evp.h>

#include "ringlet/error.hpp"
#include "ringlet/wipe.hpp"
#include "rlwe/sha256.hpp"

namespace ringlet::rlwe {
namespace {

EVP_CIPHER_CTX* as_cipher(void* cipher) noexcept { return static_cast<EVP_CIPHER_CTX*>(cipher); }

[[noreturn]] void refuse() {
  throw_runtime_error({.operation = "RandomStream",
                       .offending = "OpenSSL cannot run AES-256 in counter mode",
                       .limit = "an OpenSSL 3 provider with AES-256-CTR",
                       .remedy = "check OpenSSL's configuration of providers"});
}

}  // namespace

Seed::Seed(const Seed& parent, const StreamLabel& label) {
  constexpr std::string_view kName = "ringlet.stream.1";
  std::array<std::uint8_t, kSeedBytes + kName.size() + 3 * sizeof(std::uint64_t)> message;
  auto end = std::ranges::copy(parent.bytes(), message.begin()).out;
  end = std::ranges::copy(kName, end).out;
  for (const std::uint64_t word :
       {static_cast<std::uint64_t>(label.purpose), label.poly, label.limb}) {
    for (int shift = 0; shift < 64; shift += 8) *end++ = static_cast<std::uint8_t>(word >> shift);
  }
  sha256(message, bytes_);
  secure_wipe(message.data(), message.size());
}

Seed::~Seed() { secure_wipe(bytes_.data(), bytes_.size()); }

void RandomStream::CipherDeleter::operator()(void* cipher) const noexcept {
  EVP_CIPHER_CTX_free(as_cipher(cipher));
}

RandomStream::RandomStream(const Seed& seed, const StreamLabel& label)
    : cipher_(EVP_CIPHER_CTX_new()) {
  const Seed key(seed, label);
  const std::array<std::uint8_t, 16> counter{};
  // Looked up once: it takes longer than a key schedule. Kept until the process ends.
  static const EVP_CIPHER* const cipher = EVP_CIPHER_fetch(nullptr, "AES-256-CTR", nullptr);
  if (cipher == nullptr || cipher_ == nullptr ||
      EVP_EncryptInit_ex2(as_cipher(cipher_.get()), cipher, key.bytes().data(), counter.data(),
                          nullptr) != 1) {
    refuse();
  }
}

RandomStream::~RandomStream() { secure_wipe(block_.data(), block_.size()); }

std::span<const std::uint8_t, RandomStream::kBlockBytes> RandomStream::next_block() {
  static constexpr std::array<std::uint8_t, kBlockBytes> kZeros{};
  int written = 0;
  if (EVP_EncryptUpdate(as_cipher(cipher_.get()), block_.data(), &written, kZeros.data(),
                        static_cast<int>(kBlockBytes)) != 1 ||
      written != static_cast<int>(kBlockBytes)) {
    refuse();
  }
  return block_;
}

}  // namespace ringlet::rlwe
