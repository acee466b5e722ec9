// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "seal/ciphertext.h"
#include "seal/randomgen.h"
#include "seal/version.h"

// Seeds in place of uniform polynomials. Serializable objects hold them instead of the second
// polynomials of symmetric encryptions and keys.

namespace ringlet::seal4::detail {

/// Writes the uniform polynomial of a stored seed: degree residues for each modulus in turn, in
/// [0, modulus). First all words come from the stream. Then, modulus by modulus and in order, the
/// next eight bytes replace each word until it is below the largest multiple of its modulus up to
/// 2^64 - 1. Last, words are reduced. Seeds are public: not constant-time. Throws std::logic_error
/// if the generator's type is unknown, or if the writer is older than 3.6, which had another rule.
void expand_seed(const UniformRandomGeneratorInfo& info, SEALVersion version,
                 const std::vector<std::uint64_t>& moduli, std::size_t degree,
                 std::uint64_t* destination);

/// Writes the uniform polynomial that expand_seed writes, from a generator.
void expand_stream(UniformRandomGenerator& generator, const std::vector<std::uint64_t>& moduli,
                   std::size_t degree, std::uint64_t* destination);

/// Turns (c_0, c_1) into (c_0, seed). c_1 must be what detail::expand_seed makes of `seed` at the
/// ciphertext's level, in the ciphertext's form. The ciphertext can then only be saved, copied and
/// moved; save() writes it in its seeded form. Tiny ciphertexts, whose seed would be larger than
/// c_1, do not change.
/// @throws InvalidArgument unless the ciphertext has size 2 and the seed is of a known generator.
void replace_by_seed(Ciphertext& ciphertext, const UniformRandomGeneratorInfo& seed);

}  // namespace ringlet::seal4::detail
