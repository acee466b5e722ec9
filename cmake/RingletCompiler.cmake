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
# AddressSanitizer sees null pointers and bounds: asking twice is a quarter of the time to compile.
if(RINGLET_SANITIZE MATCHES "address,undefined")
  add_compile_options(-fno-sanitize=null,object-size)
endif()

# Sets warnings and visibility of Ringlet's own targets. GCC warns for every template over a vector
# type that the type's attributes are not part of the template's identity, which is no defect.
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

# Stack protectors, checked copies and marks of indirect jumps, for all layers. _FORTIFY_SOURCE
# needs an optimised build. Builds with sanitizers leave these out: sanitizers find more.
set(RINGLET_HARDENING "")
set(RINGLET_CHECKED_CONTAINERS "")
# Kernels copy nothing whose length a caller chooses: their units leave out checks that cost time.
# AddressSanitizer finds bad addresses. Checks of misaligned and wrapped pointers at every lane
# make a unit compile more than four times as long. As calls, AddressSanitizer's own checks save a
# third of the time to compile.
set(RINGLET_KERNEL_OPTIONS "")
if(RINGLET_SANITIZE MATCHES "undefined")
  list(APPEND RINGLET_KERNEL_OPTIONS
    -fno-sanitize=alignment,vptr,pointer-overflow)
endif()
if(RINGLET_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND RINGLET_KERNEL_OPTIONS -mllvm -asan-instrumentation-with-call-threshold=0)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT RINGLET_SANITIZE)
  set(RINGLET_HARDENING -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  set(RINGLET_CHECKED_CONTAINERS -D_GLIBCXX_ASSERTIONS)
  set(RINGLET_KERNEL_OPTIONS -fno-stack-protector)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-fcf-protection RINGLET_HAS_CF_PROTECTION)
  if(RINGLET_HAS_CF_PROTECTION)
    list(APPEND RINGLET_HARDENING -fcf-protection)
  endif()
endif()
# Full RELRO makes what the loader has written read-only; no stack runs code.
set(RINGLET_HARDENED_LINK LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)

# Checks every index into a container, in sources that read what others send. Call it before the
# sources are given to a layer. They use no precompiled header: it has other options.
function(ringlet_check_containers)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS ${RINGLET_CHECKED_CONTAINERS})
endfunction()

# For code that only calls the code that takes the time: a third smaller. Not in builds with an
# optimisation of their own, and not with GCC, whose warnings change with it.
set(RINGLET_SIZE_OPTION "")
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(RINGLET_SIZE_OPTION -Os)
endif()

# With RINGLET_PRECOMPILE, the headers that most sources of the layers include are compiled once,
# with the options of all layers. This takes 173 s of processor time instead of 300, to the same
# objects. CMake does not make the header: it is in the source tree, so that builds in several
# folders, whose objects ccache shares, read the same file. For Clang, and for the sources that the
# target has so far. Sources compiled with RINGLET_SIZE_OPTION need a header of their own: FOR_SIZE.
function(ringlet_precompile target)
  cmake_parse_arguments(arg "FOR_SIZE" "" "" ${ARGN})
  if(NOT RINGLET_PRECOMPILE OR NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    return()
  endif()
  set(precompiled ringlet_precompiled)
  if(arg_FOR_SIZE AND RINGLET_SIZE_OPTION)
    set(precompiled ringlet_precompiled_for_size)
  endif()
  set(header "${PROJECT_SOURCE_DIR}/src/base/precompiled.hpp")
  if(NOT TARGET ${precompiled})
    add_library(${precompiled} OBJECT "${header}")
    set_source_files_properties("${header}" PROPERTIES LANGUAGE CXX COMPILE_OPTIONS
      "-xc++-header;-Xclang;-fno-pch-timestamp")
    ringlet_set_compile_options(${precompiled})
    target_compile_options(${precompiled} PRIVATE ${RINGLET_HARDENING})
    if(arg_FOR_SIZE)
      target_compile_options(${precompiled} PRIVATE ${RINGLET_SIZE_OPTION})
    endif()
    target_compile_features(${precompiled} PUBLIC cxx_std_20)
    # The object names the header by its whole path, which is the same for all builds.
    ringlet_share_objects(${precompiled} CCACHE_BASEDIR=)
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source IN LISTS sources)
    get_source_file_property(is_alone "${source}" SKIP_PRECOMPILE_HEADERS)
    if(is_alone)
      list(REMOVE_ITEM sources "${source}")
    endif()
  endforeach()
  # Spells out CMake's name of the object: a dependency of sources must not be an expression.
  get_target_property(folder ${precompiled} BINARY_DIR)
  get_target_property(first ${precompiled} SOURCE_DIR)
  file(RELATIVE_PATH name "${first}" "${header}")
  string(REPLACE ".." "__" name "${name}")
  set(object "${folder}/CMakeFiles/${precompiled}.dir/${name}.o")
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS -include-pch "${object}")
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS "${object}")
endfunction()

# Builds that name the same folder compile a source once if compiler, flags and preprocessed text
# are the same: 400 s of processor time for the layers in `dev`, `release`, `bench` and the wheel.
function(ringlet_share_objects target)
  if(NOT RINGLET_OBJECT_CACHE)
    return()
  endif()
  find_program(RINGLET_CCACHE ccache)
  if(NOT RINGLET_CCACHE)
    message(STATUS "ccache was not found: every build compiles ${target} for itself")
    return()
  endif()
  # ccache takes precompiled headers only with these settings. It tells them apart by their content.
  set(launcher "${CMAKE_COMMAND}" -E env "CCACHE_DIR=${RINGLET_OBJECT_CACHE}"
      "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
      "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime" ${ARGN}
      "${RINGLET_CCACHE}")
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
endfunction()

# Compiles the files of a target several at a time, which reads headers once for all of them. The
# files share one anonymous namespace, so names in it must be unique in the target.
function(ringlet_compile_together target count)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${count})
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# Sets `out` to the sources of a layer as they are compiled: with RINGLET_UNITY, files that include
# eight of them each. CMake's own files of this kind would not take the precompiled header. Sources
# with definitions of their own stay alone, and so do those that ask for it: set such properties
# first.
function(ringlet_batches out name)
  set(files "")
  set(plain "")
  set(checked "")
  foreach(source IN LISTS ARGN)
    get_source_file_property(is_alone "${source}" SKIP_UNITY_BUILD_INCLUSION)
    get_source_file_property(definitions "${source}" COMPILE_DEFINITIONS)
    get_source_file_property(is_checked "${source}" SKIP_PRECOMPILE_HEADERS)
    if(NOT RINGLET_UNITY OR is_alone OR definitions)
      list(APPEND files "${source}")
    elseif(is_checked)
      list(APPEND checked "#include \"${source}\"\n")
    else()
      list(APPEND plain "#include \"${source}\"\n")
    endif()
  endforeach()
  foreach(group IN ITEMS plain checked)
    set(batch 0)
    while(${group})
      list(SUBLIST ${group} 0 8 lines)
      list(REMOVE_ITEM ${group} ${lines})
      math(EXPR batch "${batch} + 1")
      set(file "${CMAKE_CURRENT_BINARY_DIR}/${name}_${group}_${batch}.cpp")
      string(CONCAT lines ${lines})
      file(CONFIGURE OUTPUT "${file}" CONTENT "${lines}" @ONLY)
      if(group STREQUAL "checked")
        ringlet_check_containers("${file}")
      endif()
      list(APPEND files "${file}")
    endwhile()
  endforeach()
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

# The options of a layer of such files, and those that a build has for layers that only call. Only
# builds that compile each file alone have -Wshadow, which asks of local names, too, that they differ
# from those of other files, and GCC's -Wsubobject-linkage, which takes a file for a header that
# others include too.
function(ringlet_set_batch_options layer)
  if(layer MATCHES "_(gpu|schemes|estimates|circuits|tracing|seal)$")
    separate_arguments(flags UNIX_COMMAND "${RINGLET_FLAGS_ABOVE}")
    target_compile_options(${layer} PRIVATE ${flags})
  endif()
  if(RINGLET_UNITY)
    target_compile_options(${layer} PRIVATE -Wno-shadow
      $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()
