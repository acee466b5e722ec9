// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ringlet/arith/wide_modulus.hpp"

namespace ringlet::fv {

/// The bounds that docs/notes/fv_noise.md derives.
struct NoiseBound {
  double fresh = 0;                 ///< |noise| of a fresh ciphertext, rounding included.
  std::uint64_t max_additions = 0;  ///< Largest k with k * fresh < q / (2t).
};

/// Bounds the noise for a ring of `degree` coefficients, which grow by `growth` when m of them are
/// reduced modulo Phi_m.
NoiseBound bound_noise(std::size_t degree, std::uint64_t growth, const WideModulus& q,
                       std::uint64_t t) noexcept;

/// Returns the value as a double, rounded.
double to_double(const WideInteger& value) noexcept;

}  // namespace ringlet::fv
