# SPDX-License-Identifier: Apache-2.0

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(RINGLET_CHECK_RANGES)
  add_compile_definitions(RINGLET_CHECK_RANGES=1)
endif()

if(RINGLET_SANITIZE)
  add_compile_options(-fsanitize=${RINGLET_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${RINGLET_SANITIZE})
endif()

# Warnings and visibility of Ringlet's own targets. GCC repeats for every template that holds a
# vector type that the type's attributes are not part of the template's identity: no defect.
function(ringlet_set_compile_options target)
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow
    $<$<CXX_COMPILER_ID:GNU>:-Wno-ignored-attributes>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>
    $<$<BOOL:${RINGLET_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()

# With RINGLET_PRECOMPILE, what most sources of the layers include is compiled once, for the first
# target and with its options: all layers take 187 s of processor time instead of 303, to the same
# objects. A source that forgets one of these headers is found by the builds without.
function(ringlet_precompile target)
  get_property(first GLOBAL PROPERTY RINGLET_PRECOMPILED)
  if(NOT RINGLET_PRECOMPILE)
    return()
  elseif(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    set_property(GLOBAL PROPERTY RINGLET_PRECOMPILED ${target})
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cstdint> <functional> <map>
      <memory> <mutex> <optional> <ostream> <span> <sstream> <stdexcept> <string> <string_view>
      <utility> <vector>)
  endif()
endfunction()

# Builds that name the same folder compile a source once, where compiler, flags and preprocessed text
# are the same: the kernels of `dev`, `release`, `bench` and the wheel, 230 s of processor time.
function(ringlet_share_objects target folder)
  if(NOT folder)
    return()
  endif()
  find_program(RINGLET_CCACHE ccache)
  if(NOT RINGLET_CCACHE)
    message(STATUS "ccache was not found: every build compiles ${target} for itself")
    return()
  endif()
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND};-E;env;CCACHE_DIR=${folder};${RINGLET_CCACHE}")
endfunction()

# With RINGLET_UNITY, the files of a layer are compiled eight at a time: headers are read once for all
# of them. They then share one anonymous namespace: the names in it are unique in a layer,
# and -Wshadow, which would ask the same of local names, is left to the builds that compile each file
# alone.
function(ringlet_compile_together target)
  if(RINGLET_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    target_compile_options(${target} PRIVATE -Wno-shadow)
  endif()
endfunction()
