// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringlet::kernels {

/// An automorphism of values in NTT form, in blocks of eight words. Block i of the result has the
/// words of block sources[i] / 8, word l from place patterns[8 * (sources[i] % 8) + l]. There are
/// N / 8 sources and 64 patterns.
struct BlockMap {
  const std::uint32_t* sources = nullptr;
  const std::uint64_t* patterns = nullptr;
};

/// Arguments of an inner product of key switching modulo the q of a table:
///   results[t] = sum over k of x_k o keys[2*k + t] for t = 0, 1, plus results[t] itself with
///   `accumulate`,
/// where x_k is NTT(operands[k] + shifts[k]) if operands[k] is not null, else values[k]. Divisions
/// by a prime have `scalars` instead of keys:
///   results[0] = sum over k of x_k * scalars[k], plus results[0] itself with `accumulate`.
/// All words of values, keys, scalars and results are in [0, q), N each; operands plus their shift
/// are below 2^52.
struct DigitSumArguments {
  /// Nothing overlaps them, except that with scalars results[0] may be one of the values.
  std::uint64_t* results[2] = {};
  const std::uint64_t* const* operands = nullptr;
  const std::uint64_t* const* values = nullptr;
  const std::uint64_t* const* keys = nullptr;
  const std::uint64_t* scalars = nullptr;  ///< One per term, or null.
  const std::uint64_t* shifts = nullptr;
  std::size_t term_count = 0;  ///< At least one.
  bool accumulate = false;
  /// With keys and without operands: one map per term, or null. x_k is values[k] under maps[k].
  const BlockMap* maps = nullptr;
  /// N words of working memory for each term that has an operand, which may be the operand itself.
  std::uint64_t* const* scratch = nullptr;
};

/// Arguments of an automorphism; block_count is a multiple of four. Nothing overlaps the result.
struct BlockPermutation {
  std::uint64_t* result = nullptr;
  const std::uint64_t* values = nullptr;
  BlockMap map;
  std::size_t block_count = 0;
};

}  // namespace ringlet::kernels
