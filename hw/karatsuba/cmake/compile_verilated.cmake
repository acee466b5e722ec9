# SPDX-License-Identifier: Apache-2.0
# Compiles the C++ that Verilator has written to DIRECTORY, and puts it into ARCHIVE. Verilator's own
# makefiles do this too, but GNU make takes no folder with a space in its path.
#   cmake -DDIRECTORY=... -DARCHIVE=... -DCOMPILER=... -DLAUNCHER=... -DARCHIVER=... -DINCLUDE=...
#     -P compile_verilated.cmake
# What runs once, such as constructors, is not optimised: it takes long to.
file(GLOB sources RELATIVE "${DIRECTORY}" "${DIRECTORY}/*.cpp")
set(objects "")
foreach(source IN LISTS sources)
  set(level -O2)
  if(source MATCHES "__(Slow|Syms)\\.cpp$")
    set(level -O0)
  endif()
  execute_process(
    COMMAND ${LAUNCHER} "${COMPILER}" ${level} -w -fPIC -I. "-I${INCLUDE}" "-I${INCLUDE}/vltstd"
      -DVM_COVERAGE=0 -DVM_SC=0 -DVM_TRACE=0 -DVM_TRACE_FST=0 -DVM_TRACE_VCD=0 -faligned-new
      -c "${source}" -o "${source}.o"
    WORKING_DIRECTORY "${DIRECTORY}" COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND objects "${source}.o")
endforeach()
execute_process(COMMAND "${ARCHIVER}" rcs "${ARCHIVE}" ${objects}
  WORKING_DIRECTORY "${DIRECTORY}" COMMAND_ERROR_IS_FATAL ANY)
