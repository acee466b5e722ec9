// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/ring/storage.hpp"

namespace ringlet {

/// The number of bytes of a seed.
inline constexpr std::size_t kSeedBytes = 32;

/// A public seed from which the uniform half a of an encryption (b, a) is expanded.
using PublicSeed = std::array<std::uint8_t, kSeedBytes>;

/// Identifies a secret key and everything that belongs to this key: 128 random bits from a separate
/// stream. The identifier is public. It reveals nothing about the key, but shows whether two
/// ciphertexts have the same key.
using KeyId = std::array<std::uint64_t, 2>;
/// The identifier of an object that was made without a KeyGenerator or comes from a file without
/// one. Operations accept such an object together with any key.
inline constexpr KeyId kKeyIdUnknown{};

/// A function that fills `a` (NTT form, limb i uniform modulo moduli[i]) for one encryption of
/// zero.
using UniformHalf = std::function<void(NttView a, std::span<const Modulus> moduli)>;

/// The source of randomness of keys and encryptions. Copies share the same source; thread-safe.
///
/// Each secret key and each encryption of zero (a ciphertext, a public key, one digit of a
/// key-switching key) draws one fresh 256-bit seed. AES-256 in counter mode expands the seed into
/// random polynomials, with one key per stream:
///   key = SHA-256(seed || label), counter block 0, 1, 2, ... (128 bits, big-endian),
/// where label is the 16 ASCII bytes "ringlet.stream.1", then the purpose, the index of the
/// polynomial and the index of the limb as 64-bit little-endian words. The uniform half, which is
/// public, has its own seed, derived from the first seed in the same way. Seeds and streams live no
/// longer than the call that draws them, so that a child process after fork() never repeats a
/// stream.
class RINGLET_API RandomSource {
 public:
  /// Makes a source that draws seeds from the operating system's generator (getrandom, which waits
  /// until the system has seeded it).
  RandomSource() noexcept;

  /// Makes a source FOR TESTS ONLY: it gives the same seeds in the same order on every run. Nothing
  /// made from it is secret, and a forked child repeats its parent. Draw i is
  /// SHA-256("ringlet.testing.1" || seed || i), with `seed` and i as 64-bit little-endian words.
  static RandomSource for_testing(std::uint64_t seed);

  /// Makes a source of seeds from a generator of the caller. The generator must be as good as the
  /// operating system's and safe to call from several threads: anyone who knows its output can read
  /// every message.
  static RandomSource from_generator(
      std::function<void(std::span<std::uint8_t, kSeedBytes>)> generator);

  /// Returns this source, but `uniform_half` makes the uniform halves. For file formats that expand
  /// seeds in their own way. `uniform_half` is called once for each encryption of zero, in order.
  /// If its result is predictable or repeats, ciphertexts reveal the secret key.
  RandomSource with_uniform_half(UniformHalf uniform_half) const;
  /// Returns the function that makes the uniform halves; null if they are expanded from a
  /// PublicSeed.
  const UniformHalf& uniform_half() const noexcept { return uniform_half_; }

  /// Returns true if this source is predictable.
  bool is_for_testing() const noexcept { return testing_ != nullptr; }

  /// Fills `seed` with a fresh secret seed. The caller wipes it.
  /// @throws RuntimeError if the operating system gives no randomness; nothing weaker is used.
  void draw_seed(std::span<std::uint8_t, kSeedBytes> seed) const;

 private:
  struct TestingState;

  std::shared_ptr<TestingState> testing_;
  std::function<void(std::span<std::uint8_t, kSeedBytes>)> generator_;
  UniformHalf uniform_half_;
};

}  // namespace ringlet
