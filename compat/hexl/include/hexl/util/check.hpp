// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hexl/util/defines.hpp"
#include "hexl/util/types.hpp"

// Programs with HEXL's debugging checks compile. As in a release build of HEXL, the macros do
// nothing. The checks of this library are in every build and throw exceptions.
#define HEXL_CHECK(condition, message) \
  {                                    \
  }
#define HEXL_CHECK_BOUNDS(...) \
  {                            \
  }
