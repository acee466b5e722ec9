# SPDX-License-Identifier: Apache-2.0
# Compiles the C++ that Verilator has written to DIRECTORY into ARCHIVE. Verilator's own makefiles
# do this too, but GNU make accepts no folder with a space in its path.
#   cmake -DDIRECTORY=... -DARCHIVE=... -DCOMPILER=... -DLAUNCHER=... -DARCHIVER=... -DINCLUDE=...
#     -P compile_verilated.cmake
# Most of its files contain little but their includes: they become two units. At -O2 they take twice
# as long to compile, and run an eighth faster. Code that runs once, such as constructors, is not
# optimised, because that takes long.
file(GLOB sources RELATIVE "${DIRECTORY}" "${DIRECTORY}/*.cpp")
set(often "")
set(once "")
foreach(source IN LISTS sources)
  set(unit often)
  if(source MATCHES "__(Slow|Syms)\\.cpp$")
    set(unit once)
  endif()
  string(APPEND ${unit} "#include \"${source}\"\n")
endforeach()
set(level_often -O1)
set(level_once -O0)
foreach(unit IN ITEMS often once)
  file(WRITE "${DIRECTORY}/${unit}.cc" "${${unit}}")
  execute_process(
    COMMAND ${LAUNCHER} "${COMPILER}" ${level_${unit}} -w -fPIC -I. "-I${INCLUDE}"
      "-I${INCLUDE}/vltstd" -DVM_COVERAGE=0 -DVM_SC=0 -DVM_TRACE=0 -DVM_TRACE_FST=0 -DVM_TRACE_VCD=0
      -faligned-new -c "${unit}.cc" -o "${unit}.o"
    WORKING_DIRECTORY "${DIRECTORY}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND "${ARCHIVER}" rcs "${ARCHIVE}" often.o once.o
  WORKING_DIRECTORY "${DIRECTORY}" COMMAND_ERROR_IS_FATAL ANY)
