// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringlet {

/// A comparison of an unsigned word x with a bound. These are the eight predicates of the x86
/// comparison instructions; two of them ignore their operands. The order of the enumerators is
/// fixed.
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
