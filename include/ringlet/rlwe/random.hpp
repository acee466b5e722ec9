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

/// Bytes of a seed.
inline constexpr std::size_t kSeedBytes = 32;

/// A seed from which a uniform half is expanded; public.
using PublicSeed = std::array<std::uint8_t, kSeedBytes>;

/// Names a secret key, and with it everything that belongs to it: 128 random bits that are drawn
/// apart from the key and tell nothing of it. Public. Who has two ciphertexts can see by it whether
/// they are of one key.
using KeyId = std::array<std::uint64_t, 2>;
/// Of what was made without a KeyGenerator, or comes from a file that names no key: it is taken
/// together with every key.
inline constexpr KeyId kKeyIdUnknown{};

/// Fills `a` (NTT form, limb i uniform modulo moduli[i]) for one encryption of zero.
using UniformHalf = std::function<void(NttView a, std::span<const Modulus> moduli)>;

/// Where keys and encryptions take their randomness. Copies share the same source; thread-safe.
///
/// Each secret key and each encryption of zero (a ciphertext, a public key, one digit of a
/// key-switching key) draws one fresh 256-bit seed. Its random polynomials are expanded from it by
/// AES-256 in counter mode, one key per stream:
///   key = SHA-256(seed || label), counter block 0, 1, 2, ... (128 bits, big-endian),
/// where label is the 16 ASCII bytes "ringlet.stream.1", then the purpose, the index of the
/// polynomial and the index of the limb as 64-bit little-endian words. The uniform half, which is
/// public, has a seed of its own, derived from the first in the same way. Seeds and streams live no
/// longer than the call that draws them, so that a child process after fork() never repeats one.
class RINGLET_API RandomSource {
 public:
  /// The operating system's generator (getrandom, which waits until it is seeded).
  RandomSource() noexcept;

  /// FOR TESTS ONLY: the same seeds in the same order on every run. Nothing made from it is secret,
  /// and a forked child repeats its parent. Draw i is SHA-256("ringlet.testing.1" || seed || i),
  /// the numbers as 64-bit little-endian words.
  static RandomSource for_testing(std::uint64_t seed);

  /// Seeds by a generator of the caller's, which must be as good as the operating system's and safe
  /// to call from several threads: whoever knows its output reads every message.
  static RandomSource from_generator(
      std::function<void(std::span<std::uint8_t, kSeedBytes>)> generator);

  /// The same source, but uniform halves by `uniform_half`: for file formats that expand a seed of
  /// their own in their own way. It is called once for each encryption of zero, in order; with a
  /// predictable or repeated result ciphertexts give the secret key away.
  RandomSource with_uniform_half(UniformHalf uniform_half) const;
  /// Null where uniform halves are expanded from a PublicSeed.
  const UniformHalf& uniform_half() const noexcept { return uniform_half_; }

  /// True if this source is predictable.
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
