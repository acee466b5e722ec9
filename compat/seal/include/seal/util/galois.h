// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "seal/util/defines.h"

namespace ringlet::seal4_util {

/// The automorphisms m(X) -> m(X^elt) of Z[X]/(X^N + 1), elt odd in [1, 2N), by the rotations of
/// slots that they stand for. Immutable.
class RINGLET_SEAL_API GaloisTool {
 public:
  /// For N = 2^coeff_count_power.
  /// @throws std::invalid_argument if coeff_count_power is outside [1, 17].
  explicit GaloisTool(int coeff_count_power);

  /// The element of a rotation by `step` to the left: 3^step mod 2N, to the right for negative
  /// steps. 0 stands for 2N - 1, which swaps rows or conjugates.
  /// @throws std::invalid_argument if |step| >= N/2.
  SEAL_NODISCARD std::uint32_t get_elt_from_step(int step) const;
  SEAL_NODISCARD std::vector<std::uint32_t> get_elts_from_steps(
      const std::vector<int>& steps) const;
  /// The elements by which every rotation can be composed: 2N - 1, and those of the rotations by
  /// 2^i and -2^i below N/2, the last two of which are the same.
  SEAL_NODISCARD std::vector<std::uint32_t> get_elts_all() const;

  /// The place of an element among Galois keys: (elt - 1)/2.
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
