// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hexl/util/defines.hpp"

// Nothing is logged; callers that write HEXL's logging macros compile.
#define HEXL_VLOG(level, message) \
  {                               \
  }
#define START_EASYLOGGINGPP(argument_count, arguments) \
  {                                                    \
  }
