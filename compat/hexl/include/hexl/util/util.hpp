// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

// Some systems define TRUE and FALSE as macros.
#undef TRUE
#undef FALSE

namespace intel {
namespace hexl {

/// A comparison of an unsigned word x with a bound. The numbers are those of the comparison
/// predicates of x86.
enum class CMPINT {
  EQ = 0,     ///< x == bound
  LT = 1,     ///< x < bound
  LE = 2,     ///< x <= bound
  FALSE = 3,  ///< never
  NE = 4,     ///< x != bound
  NLT = 5,    ///< x >= bound
  NLE = 6,    ///< x > bound
  TRUE = 7    ///< always
};

/// Returns the comparison that is true exactly if `cmp` is false.
inline CMPINT Not(CMPINT cmp) { return static_cast<CMPINT>(static_cast<int>(cmp) ^ 4); }

}  // namespace hexl
}  // namespace intel
