# SPDX-License-Identifier: Apache-2.0
# Runs PROGRAM; it must succeed and print every line of the file EXPECTED, in that order. Lines that
# differ from run to run (budgets, times) are not in that file. With WRONG, a line in place of the
# file, it must print that line and end with status 1. ARGUMENTS are handed to the program.
execute_process(COMMAND "${PROGRAM}" ${ARGUMENTS} OUTPUT_VARIABLE output ERROR_VARIABLE errors
                RESULT_VARIABLE status)
if(DEFINED WRONG)
  set(wanted 1)
  set(lines "${WRONG}")
else()
  set(wanted 0)
  file(STRINGS "${EXPECTED}" lines)
endif()
if(NOT status EQUAL wanted)
  message(FATAL_ERROR "status ${status} and not ${wanted}\n${output}${errors}")
endif()
if(NOT lines)
  message(FATAL_ERROR "${EXPECTED} holds no line")
endif()
set(rest "\n${output}")
foreach(line IN LISTS lines)
  string(FIND "${rest}" "\n${line}\n" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "the output lacks, at its place, the line\n  ${line}\n${output}")
  endif()
  string(LENGTH "\n${line}" length)
  math(EXPR place "${place} + ${length}")
  string(SUBSTRING "${rest}" ${place} -1 rest)
endforeach()
