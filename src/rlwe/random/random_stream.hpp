// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "ringlet/base/aligned.hpp"
#include "ringlet/rlwe/random.hpp"

namespace ringlet::rlwe {

/// The purpose of a stream: first word of its label.
enum class StreamPurpose : std::uint64_t {
  uniform = 1,       ///< Residues of the uniform half; expanded from the published seed.
  ternary = 2,       ///< A secret key, or the ephemeral secret of an encryption.
  error = 3,         ///< Centred binomial noise.
  public_seed = 4,   ///< The seed of the uniform half.
  binary = 5,        ///< As `ternary`, with coefficients 0 and 1.
  wide_uniform = 6,  ///< As `uniform`, with integers modulo one wide modulus.
  flooding = 7,      ///< Noise of results for sharing; `poly` is the term.
  key_id = 8,        ///< The name of a secret key.
};

struct StreamLabel {
  StreamPurpose purpose;
  std::uint64_t poly = 0;
  std::uint64_t limb = 0;
};

/// A 256-bit seed; wiped when it is released.
class Seed {
 public:
  /// Draws a fresh seed.
  explicit Seed(const RandomSource& source) { source.draw_seed(bytes_); }
  /// Copies a published seed.
  explicit Seed(const PublicSeed& bytes) noexcept : bytes_(bytes) {}
  /// Derives SHA-256(parent || label): one way, so that a derived seed may be published.
  Seed(const Seed& parent, const StreamLabel& label);
  ~Seed();
  Seed(const Seed&) = delete;
  Seed& operator=(const Seed&) = delete;

  std::span<const std::uint8_t, kSeedBytes> bytes() const noexcept { return bytes_; }

 private:
  std::array<std::uint8_t, kSeedBytes> bytes_{};
};

/// The byte stream of one label: AES-256 in counter mode, as RandomSource documents. Holds secrets
/// and wipes them; lives inside one call.
class RandomStream {
 public:
  /// A multiple of the 6 and 8 bytes that samplers take at a time. The cipher gains 2 % from blocks
  /// eight times as long, which would not stay in the first-level cache.
  static constexpr std::size_t kBlockBytes = 6144;

  /// @throws RuntimeError if OpenSSL refuses.
  RandomStream(const Seed& seed, const StreamLabel& label);
  ~RandomStream();
  RandomStream(const RandomStream&) = delete;
  RandomStream& operator=(const RandomStream&) = delete;

  /// Returns the next kBlockBytes bytes; valid until the next call.
  std::span<const std::uint8_t, kBlockBytes> next_block();

 private:
  struct CipherDeleter {
    void operator()(void* cipher) const noexcept;
  };

  std::unique_ptr<void, CipherDeleter> cipher_;
  alignas(kAlignment) std::array<std::uint8_t, kBlockBytes> block_;
};

}  // namespace ringlet::rlwe
