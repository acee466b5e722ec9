// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ringlet/arith/wide_modulus.hpp"

namespace ringlet::fv {

/// What docs/notes/fv_noise.md derives.
struct NoiseBound {
  double fresh = 0;                 ///< |noise| of a fresh ciphertext, rounding included.
  std::uint64_t max_additions = 0;  ///< Largest k with k * fresh < q / (2t).
};

/// For a ring of `degree` coefficients whose reduction of m coefficients modulo Phi_m lets them
/// grow by `growth`.
NoiseBound bound_noise(std::size_t degree, std::uint64_t growth, const WideModulus& q,
                       std::uint64_t t) noexcept;

/// As a double, rounded.
double to_double(const WideInteger& value) noexcept;

}  // namespace ringlet::fv
