// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringlet::kernels {

/// Inner products of key switching modulo the q of a table:
///   results[t] = sum over k of x_k o keys[2*k + t] for t = 0, 1, plus results[t] itself with
///   `accumulate`,
/// where x_k is NTT(operands[k] + shifts[k]) if operands[k] is not null, else values[k]. All words
/// of values, keys and results are in [0, q), N each; operands plus their shift are below 2^52.
struct DigitSumArguments {
  std::uint64_t* results[2] = {};  ///< Which nothing overlaps.
  const std::uint64_t* const* operands = nullptr;
  const std::uint64_t* const* values = nullptr;
  const std::uint64_t* const* keys = nullptr;
  const std::uint64_t* shifts = nullptr;
  std::size_t term_count = 0;  ///< At least one.
  bool accumulate = false;
  /// term_count vectors of N words, so many words apart; not read for given values.
  std::uint64_t* scratch = nullptr;
  std::size_t scratch_stride = 0;
};

}  // namespace ringlet::kernels
