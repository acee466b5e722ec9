// SPDX-License-Identifier: Apache-2.0
#include "rlwe/random/random_stream.hpp"

#include <algorithm>
#include <string_view>

#include <openssl/evp.h>

#include "ringlet/base/error.hpp"
#include "ringlet/base/wipe.hpp"
#include "rlwe/random/sha256.hpp"

namespace ringlet::rlwe {
namespace {

EVP_CIPHER_CTX* as_cipher(void* cipher) noexcept { return static_cast<EVP_CIPHER_CTX*>(cipher); }

/// Returns a state without a key; null if OpenSSL refuses.
EVP_CIPHER_CTX* new_cipher() {
  // The lookup takes longer than a key schedule, so one serves the process until it ends.
  static const EVP_CIPHER* const kind = EVP_CIPHER_fetch(nullptr, "AES-256-CTR", nullptr);
  EVP_CIPHER_CTX* const cipher = kind == nullptr ? nullptr : EVP_CIPHER_CTX_new();
  if (cipher == nullptr || EVP_EncryptInit_ex2(cipher, kind, nullptr, nullptr, nullptr) == 1) {
    return cipher;
  }
  EVP_CIPHER_CTX_free(cipher);
  return nullptr;
}

/// Names no kind of cipher, which would make OpenSSL allocate its state again.
bool set_key(EVP_CIPHER_CTX* cipher, std::span<const std::uint8_t, kSeedBytes> key) {
  constexpr std::array<std::uint8_t, 16> kCounter{};
  return EVP_EncryptInit_ex2(cipher, nullptr, key.data(), kCounter.data(), nullptr) == 1;
}

/// The states of ciphers that a thread has at hand for its next streams, so that these allocate
/// nothing. The key schedule of a stream is overwritten before its state is put here.
class IdleCiphers {
 public:
  IdleCiphers() = default;
  ~IdleCiphers() {
    while (count_ > 0) EVP_CIPHER_CTX_free(ciphers_[--count_]);
  }
  IdleCiphers(const IdleCiphers&) = delete;
  IdleCiphers& operator=(const IdleCiphers&) = delete;

  static IdleCiphers& of_this_thread() {
    thread_local IdleCiphers ciphers;
    return ciphers;
  }

  EVP_CIPHER_CTX* take() { return count_ > 0 ? ciphers_[--count_] : new_cipher(); }
  void put(EVP_CIPHER_CTX* cipher) noexcept {
    constexpr std::array<std::uint8_t, kSeedBytes> kNoKey{};
    if (count_ < ciphers_.size() && set_key(cipher, kNoKey)) {
      ciphers_[count_++] = cipher;
    } else {
      EVP_CIPHER_CTX_free(cipher);
    }
  }

 private:
  std::array<EVP_CIPHER_CTX*, 4> ciphers_{};  ///< More streams than one call has open at once.
  std::size_t count_ = 0;
};

[[noreturn]] void refuse_cipher() {
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
  IdleCiphers::of_this_thread().put(as_cipher(cipher));
}

RandomStream::RandomStream(const Seed& seed, const StreamLabel& label)
    : cipher_(IdleCiphers::of_this_thread().take()) {
  const Seed key(seed, label);
  if (cipher_ == nullptr || !set_key(as_cipher(cipher_.get()), key.bytes())) refuse_cipher();
}

RandomStream::~RandomStream() { secure_wipe(block_.data(), block_.size()); }

std::span<const std::uint8_t, RandomStream::kBlockBytes> RandomStream::next_block() {
  static constexpr std::array<std::uint8_t, kBlockBytes> kZeros{};
  int written = 0;
  if (EVP_EncryptUpdate(as_cipher(cipher_.get()), block_.data(), &written, kZeros.data(),
                        static_cast<int>(kBlockBytes)) != 1 ||
      written != static_cast<int>(kBlockBytes)) {
    refuse_cipher();
  }
  return block_;
}

}  // namespace ringlet::rlwe
