// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "seal/randomgen.h"
#include "seal/version.h"

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

}  // namespace ringlet::seal4::detail
