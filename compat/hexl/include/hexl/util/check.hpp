// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hexl/util/defines.hpp"
#include "hexl/util/types.hpp"

// These macros exist so that programs with HEXL's debugging checks compile. They do nothing, as in
// a release build of HEXL. This library makes its own checks in every build and throws exceptions.
#define HEXL_CHECK(condition, message) \
  {                                    \
  }
#define HEXL_CHECK_BOUNDS(...) \
  {                            \
  }
