// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ringlet/arith/modulus.hpp"

namespace ringlet {

/// The automorphisms a(X) -> a(X^g) of Z_q[X]/(X^N + 1), g odd and below 2N, on one limb.
///
/// In NTT form they permute the values: slot i holds a(w^(2*t+1)) with t = bit_reverse(i), so it
/// takes the value of the slot of t' = g*t + (g-1)/2 mod N. Eight neighbouring slots have the t of
/// the first one plus multiples of N/8, and so do their images: the permutation moves whole
/// blocks of eight words (one cache line) and permutes inside them, in one of eight patterns.
/// Neither needs a table per g. What is read and written depends on g alone.
class GaloisPermutation {
 public:
  /// @param degree a power of two >= 2.
  explicit GaloisPermutation(std::size_t degree);

  /// result(X) = a(X^g) on values in NTT form; result and a do not overlap.
  void apply_to_values(std::span<std::uint64_t> result, std::span<const std::uint64_t> a,
                       std::uint64_t galois_element) const;

  /// Describes the map of apply_to_values for kernels, for degrees from 8 on. Block i of the result
  /// has the words of block sources[i] / 8, word l from place patterns[8 * (sources[i] % 8) + l].
  /// There are degree / 8 sources and 64 patterns.
  void describe_values(std::span<std::uint32_t> sources, std::span<std::uint64_t, 64> patterns,
                       std::uint64_t galois_element) const;

  /// result(X) = a(X^g) on coefficients modulo q.
  void apply_to_coefficients(std::span<std::uint64_t> result, std::span<const std::uint64_t> a,
                             std::uint64_t galois_element, const Modulus& q) const;

 private:
  /// Calls block(i, source, pattern) for every block i of a result in NTT form.
  template <typename Block>
  void for_blocks(std::uint64_t galois_element, const Block& block) const;
  /// Returns the lane that `lane` reads in a block whose first t' is in pattern * N/8 + [0, N/8).
  std::size_t lane_source(std::size_t pattern, std::size_t lane,
                          std::uint64_t galois_element) const;

  std::size_t degree_;
  std::size_t block_size_;                      // 8, or the degree where it is smaller
  std::vector<std::uint32_t> reversed_blocks_;  // bit reversal of block indices
};

}  // namespace ringlet
