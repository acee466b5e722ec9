// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "seal/ciphertext.h"
#include "seal/randomgen.h"

// What Serializable objects hold: symmetric encryptions and keys whose second polynomial is stored
// as a seed.

namespace ringlet::seal4::detail {

/// Turns (c_0, c_1) into (c_0, seed). c_1 must be what detail::expand_seed makes of `seed` at the
/// ciphertext's level, in the form that the ciphertext has. The ciphertext can then only be saved,
/// copied and moved; save() writes it in its seeded form. Tiny ciphertexts, for which the seed
/// would be the larger one, stay as they are.
/// @throws InvalidArgument unless the ciphertext has size 2 and the seed is of a known generator.
void replace_by_seed(Ciphertext& ciphertext, const UniformRandomGeneratorInfo& seed);

/// Whether the second polynomial is a seed.
bool has_seed(const Ciphertext& ciphertext) noexcept;

}  // namespace ringlet::seal4::detail
