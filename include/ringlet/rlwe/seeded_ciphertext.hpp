// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ringlet/base/export.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/random.hpp"

namespace ringlet {

/// A fresh symmetric encryption (c_0, a) with the public seed from which a was expanded. Its file
/// holds the seed instead of a, and so has half the size. Encryptor::encrypt_symmetric_seeded makes
/// it; load<Ciphertext> reads its files.
class RINGLET_API SeededCiphertext {
 public:
  /// Makes a seeded ciphertext from a ciphertext (c_0, a) and the seed from which a was expanded.
  /// Limb i of a, in NTT form, comes from the stream (uniform, 0, i) of `seed`; see RandomSource.
  /// If the ciphertext is in coefficient form, a is the inverse transform of these limbs. The
  /// constructor does not check that a and `seed` belong together.
  /// @throws InvalidArgument unless `ciphertext` has size 2 and is in the native form of the scheme
  ///         at a data level of `context`.
  SeededCiphertext(const Context& context, Ciphertext ciphertext, const PublicSeed& seed);

  /// Returns the ciphertext, for computing.
  const Ciphertext& ciphertext() const noexcept { return ciphertext_; }
  const PublicSeed& seed() const noexcept { return seed_; }
  const ParmsId& parms_id() const noexcept { return ciphertext_.parms_id(); }
  /// Returns the size in bytes: 8 per residue of c_0, and the seed.
  std::size_t byte_count() const noexcept { return ciphertext_.byte_count() / 2 + kSeedBytes; }

 private:
  Ciphertext ciphertext_;
  PublicSeed seed_;
};

}  // namespace ringlet
