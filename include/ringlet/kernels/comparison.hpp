// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringlet {

/// A comparison of unsigned words, x against a bound: the eight predicates of the x86 comparison
/// instructions, of which two ignore their operands. The order of the enumerators is fixed.
enum class Comparison : int {
  equal,           ///< x == bound
  less,            ///< x < bound
  less_equal,      ///< x <= bound
  never,           ///< false
  not_equal,       ///< x != bound
  not_less,        ///< x >= bound
  not_less_equal,  ///< x > bound
  always,          ///< true
};
inline constexpr int kComparisonCount = 8;

}  // namespace ringlet
