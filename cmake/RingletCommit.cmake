# SPDX-License-Identifier: Apache-2.0

# Writes SOURCE's commit as a constant to HEADER, run by `cmake -P` at every build. It writes the
# header only if the commit changed, so that only the file that includes it is compiled again.
#   cmake -DSOURCE=<folder> -DHEADER=<file> -P RingletCommit.cmake
set(commit "unknown")
# A folder without a repository of its own may lie inside another repository, whose commit is wrong.
if(EXISTS "${SOURCE}/.git")
  execute_process(COMMAND git -C "${SOURCE}" rev-parse --short=12 HEAD
                  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE found
                  RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    set(commit "${found}")
    execute_process(COMMAND git -C "${SOURCE}" diff --quiet HEAD -- include src python/bindings
                    RESULT_VARIABLE changed ERROR_QUIET)
    if(changed)
      string(APPEND commit " with changes")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT [[
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringlet::python {
inline constexpr const char* kCommit = "@commit@";
}  // namespace ringlet::python
]] @ONLY)
