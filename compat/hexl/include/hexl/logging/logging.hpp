// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hexl/util/defines.hpp"

// HEXL's logging macros compile and do nothing.
#define HEXL_VLOG(level, message) \
  {                               \
  }
#define START_EASYLOGGINGPP(argument_count, arguments) \
  {                                                    \
  }
