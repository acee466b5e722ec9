# SPDX-License-Identifier: Apache-2.0
# Extension modules of Python, by nanobind.
# From CPython 3.12 on, scikit-build-core names the component for wheels of the stable ABI.
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module
             ${SKBUILD_SABI_COMPONENT})
execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
                OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT
                RESULT_VARIABLE nanobind_missing ERROR_QUIET)
if(nanobind_missing)
  message(FATAL_ERROR "The Python packages need nanobind in ${Python_EXECUTABLE}: "
                      "run '${Python_EXECUTABLE} -m pip install nanobind'")
endif()
find_package(nanobind CONFIG REQUIRED)

# Packed relocations take a fifth of the space, if the loader reads them (glibc 2.36).
include(CheckCXXSourceRuns)
set(CMAKE_REQUIRED_LINK_OPTIONS -pie LINKER:-z,pack-relative-relocs)
set(CMAKE_REQUIRED_FLAGS -fPIE)
check_cxx_source_runs("int x; int* volatile p = &x; int main() { return *p; }"
                      RINGLET_PACKS_RELOCATIONS)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
unset(CMAKE_REQUIRED_FLAGS)

# LLVM's linker makes identical functions one, where nothing compares their addresses.
set(RINGLET_FOLDING "")
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  find_program(RINGLET_LLD NAMES ld.lld-19 ld.lld)
  if(RINGLET_LLD)
    set(RINGLET_FOLDING "--ld-path=${RINGLET_LLD}" LINKER:--icf=safe)
  endif()
endif()

# ringlet_add_extension(<target> <module> [<option of nanobind_add_module>...] <source>...)
#
# The module contains its own copy of the library and exports what exports.map names.
function(ringlet_add_extension target module)
  nanobind_add_module(${target} STABLE_ABI NB_STATIC NOMINSIZE NB_SUPPRESS_WARNINGS ${ARGN})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${module})
  ringlet_set_compile_options(${target})
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src"
                             "${PROJECT_SOURCE_DIR}/python" "${PROJECT_SOURCE_DIR}/src")
  # An archive, even if the libraries are shared.
  target_link_libraries(${target} PRIVATE ringlet_fv_internal)
  # Calls from Python take far longer than the code here. Optimised for size, it is a fifth smaller.
  target_compile_options(${target} PRIVATE -Oz ${RINGLET_HARDENING}
    ${RINGLET_CHECKED_CONTAINERS})
  if(RINGLET_PRECOMPILE)
    # Reading these takes half of the time of a unit.
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <cmath> <complex> <cstdint> <functional> <map> <memory> <optional> <span>
      <string> <utility> <vector>
      <nanobind/nanobind.h> <nanobind/ndarray.h> <nanobind/stl/function.h> <nanobind/stl/map.h>
      <nanobind/stl/optional.h> <nanobind/stl/pair.h> <nanobind/stl/string.h>
      <nanobind/stl/tuple.h> <nanobind/stl/vector.h> <ringlet/ringlet.hpp>)
  endif()
  set(exports "${CMAKE_CURRENT_SOURCE_DIR}/exports.map")
  # PyErr_SetString: see python/bindings/core/errors.cpp.
  target_link_options(${target} PRIVATE LINKER:--version-script=${exports}
    LINKER:--wrap=PyErr_SetString ${RINGLET_HARDENED_LINK} ${RINGLET_FOLDING}
    $<$<BOOL:${RINGLET_PACKS_RELOCATIONS}>:LINKER:-z,pack-relative-relocs>)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${exports}")
endfunction()
