// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hexl/util/defines.hpp"

// HEXL's logging macros exist so that programs compile; they do nothing.
#define HEXL_VLOG(level, message) \
  {                               \
  }
#define START_EASYLOGGINGPP(argument_count, arguments) \
  {                                                    \
  }
