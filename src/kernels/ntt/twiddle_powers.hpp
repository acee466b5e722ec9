// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ringlet/arith/modulus.hpp"

// For the builders of tables only: kernel units hold no containers.

namespace ringlet::kernels {

/// Powers of `root` in bit-reversed order: entry i is root^bit_reverse(i) over log_degree bits.
inline std::vector<std::uint64_t> bit_reversed_powers(std::uint64_t root, int log_degree,
                                                      const Modulus& q) {
  std::vector<std::uint64_t> powers(std::size_t{1} << log_degree, 1);
  // Bit 0 of an index stands for the exponent N/2, bit 1 for N/4, ...: double the table each time.
  for (int bit = 0; bit < log_degree; ++bit) {
    const std::size_t half = std::size_t{1} << bit;
    const std::uint64_t factor = pow_mod(root, std::uint64_t{1} << (log_degree - 1 - bit), q);
    for (std::size_t i = 0; i < half; ++i) {
      powers[half + i] = q.multiply(powers[i], factor);
    }
  }
  return powers;
}

}  // namespace ringlet::kernels
