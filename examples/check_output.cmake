# SPDX-License-Identifier: Apache-2.0
# Runs PROGRAM; it must succeed and print every line of the file EXPECTED, in that order. Lines that
# differ from run to run (budgets, times) are not in that file.
execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE output ERROR_VARIABLE errors
                RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "status ${status}\n${output}${errors}")
endif()
file(STRINGS "${EXPECTED}" lines)
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
