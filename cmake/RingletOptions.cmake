# SPDX-License-Identifier: Apache-2.0

# RINGLET_WITH_*: what a build contains. docs/install.md describes each.
#
# Earlier names of an option are taken as the option itself: a value that is given under one of them
# is moved to the new name.
function(ringlet_renamed_option new description default)
  cmake_parse_arguments(arg "" "OLD;NEGATED_OLD" "" ${ARGN})
  set(is_new_given FALSE)
  if(DEFINED CACHE{${new}})
    set(is_new_given TRUE)
  endif()
  option(${new} "${description}" ${default})
  foreach(old IN LISTS arg_OLD arg_NEGATED_OLD)
    if(DEFINED CACHE{${old}})
      # What has a type was left by a build from before the new name, which counts then.
      get_property(type CACHE ${old} PROPERTY TYPE)
      if(is_new_given AND NOT type STREQUAL "UNINITIALIZED")
        unset(${old} CACHE)
        continue()
      endif()
      set(value "${${old}}")
      if(old STREQUAL "${arg_NEGATED_OLD}" AND value)
        set(value OFF)
      elseif(old STREQUAL "${arg_NEGATED_OLD}")
        set(value ON)
      endif()
      set(${new} "${value}" CACHE BOOL "${description}" FORCE)
      unset(${old} CACHE)
    endif()
  endforeach()
endfunction()

ringlet_renamed_option(RINGLET_WITH_SCHEMES
  "Build ringlet::ringlet, which needs OpenSSL and Zstandard; OFF builds ringlet::kernels alone" ON
  NEGATED_OLD RINGLET_KERNELS_ONLY)
option(RINGLET_WITH_AVX512
  "Compile the kernels that need AVX-512; OFF is for tests on a processor without it" ON)
option(RINGLET_WITH_GPU "Open the OpenCL and CUDA libraries of the machine at run time" ON)
ringlet_renamed_option(RINGLET_WITH_OPENMP
  "Share out loops by OpenMP instead of std::thread" OFF OLD RINGLET_OPENMP)
ringlet_renamed_option(RINGLET_WITH_HEXL
  "Build HEXL::hexl, which stands in for Intel HEXL" ON OLD RINGLET_BUILD_HEXL)
ringlet_renamed_option(RINGLET_WITH_SEAL
  "Build SEAL::seal, which stands in for Microsoft SEAL 4" ON OLD RINGLET_BUILD_SEAL)
option(RINGLET_WITH_STATIC_DEPENDENCIES
  "Link the archives of OpenSSL and Zstandard instead of their shared libraries" OFF)
