// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringlet::kernels {

/// Inner products of key switching modulo the q of a table:
///   results[t] = sum over k of x_k o keys[2*k + t] for t = 0, 1, plus results[t] itself with
///   `accumulate`,
/// where x_k is NTT(operands[k] + shifts[k]) if operands[k] is not null, else values[k]; or, for
/// divisions by a prime, where there are `scalars` in place of keys,
///   results[0] = sum over k of x_k * scalars[k], plus results[0] itself with `accumulate`.
/// All words of values, keys, scalars and results are in [0, q), N each; operands plus their shift
/// are below 2^52.
struct DigitSumArguments {
  /// Which nothing overlaps; but with scalars it may be one of the values.
  std::uint64_t* results[2] = {};
  const std::uint64_t* const* operands = nullptr;
  const std::uint64_t* const* values = nullptr;
  const std::uint64_t* const* keys = nullptr;
  const std::uint64_t* scalars = nullptr;  ///< One per term, or null.
  const std::uint64_t* shifts = nullptr;
  std::size_t term_count = 0;  ///< At least one.
  bool accumulate = false;
  /// term_count vectors of N words, so many words apart; not read for given values.
  std::uint64_t* scratch = nullptr;
  std::size_t scratch_stride = 0;
};

/// The image of values in NTT form under an automorphism, in blocks of eight words, a multiple of
/// four of them: block i of it has the words of block sources[i] / 8, word l from place
/// patterns[8 * (sources[i] % 8) + l]; patterns are 64 words. No overlap.
struct BlockPermutation {
  std::uint64_t* result = nullptr;
  const std::uint64_t* values = nullptr;
  const std::uint32_t* sources = nullptr;
  const std::uint64_t* patterns = nullptr;
  std::size_t block_count = 0;
};

}  // namespace ringlet::kernels
