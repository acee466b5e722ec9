// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hexl/util/defines.hpp"
#include "hexl/util/types.hpp"

// Callers that write HEXL's debugging checks compile; as in a release build of HEXL, the macros do
// nothing. What this library checks it checks in every build, by exceptions.
#define HEXL_CHECK(condition, message) \
  {                                    \
  }
#define HEXL_CHECK_BOUNDS(...) \
  {                            \
  }
