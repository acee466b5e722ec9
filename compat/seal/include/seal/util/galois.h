// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "seal/util/defines.h"

namespace ringlet::seal4_util {

/// Computes with the automorphisms m(X) -> m(X^elt) of Z[X]/(X^N + 1), elt odd in [1, 2N), and maps
/// between rotations of slots and elements. Immutable.
class RINGLET_SEAL_API GaloisTool {
 public:
  /// Makes a tool for N = 2^coeff_count_power.
  /// @throws std::invalid_argument if coeff_count_power is outside [1, 17].
  explicit GaloisTool(int coeff_count_power);

  /// Returns the element of a rotation by `step`: 3^step mod 2N, to the left, or to the right for
  /// negative steps. Step 0 gives 2N - 1, which swaps rows (BFV and BGV) or conjugates (CKKS).
  /// @throws std::invalid_argument if |step| >= N/2.
  SEAL_NODISCARD std::uint32_t get_elt_from_step(int step) const;
  SEAL_NODISCARD std::vector<std::uint32_t> get_elts_from_steps(
      const std::vector<int>& steps) const;
  /// Returns elements of which every rotation is a product: 2N - 1, and the elements of the
  /// rotations by 2^i and -2^i for all 2^i below N/2. The last two elements are equal.
  SEAL_NODISCARD std::vector<std::uint32_t> get_elts_all() const;

  /// Returns the index of an element among Galois keys: (elt - 1)/2.
  /// @throws std::invalid_argument if galois_elt is even.
  SEAL_NODISCARD static std::size_t GetIndexFromElt(std::uint32_t galois_elt);

 private:
  std::uint32_t coeff_count_ = 0;
};

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
