// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "seal/ciphertext.h"
#include "seal/randomgen.h"
#include "seal/version.h"

// Seeds in place of uniform polynomials: what Serializable objects hold instead of the second
// polynomials of symmetric encryptions and keys.

namespace ringlet::seal4::detail {

/// The uniform polynomial that a stored seed stands for: degree residues for each modulus in turn,
/// in [0, modulus). First all words come from the stream; then, modulus by modulus and in order,
/// each word that is not below the largest multiple of its modulus up to 2^64 - 1 is replaced by
/// the next eight bytes until it is; last it is reduced. Seeds are public: not constant-time.
/// Throws std::logic_error if the generator's type is unknown or the writer is older than 3.6,
/// whose rule was another one.
void expand_seed(const UniformRandomGeneratorInfo& info, SEALVersion version,
                 const std::vector<std::uint64_t>& moduli, std::size_t degree,
                 std::uint64_t* destination);

/// Turns (c_0, c_1) into (c_0, seed). c_1 must be what detail::expand_seed makes of `seed` at the
/// ciphertext's level, in the form that the ciphertext has. The ciphertext can then only be saved,
/// copied and moved; save() writes it in its seeded form. Tiny ciphertexts, for which the seed
/// would be the larger one, stay as they are.
/// @throws InvalidArgument unless the ciphertext has size 2 and the seed is of a known generator.
void replace_by_seed(Ciphertext& ciphertext, const UniformRandomGeneratorInfo& seed);

}  // namespace ringlet::seal4::detail
