# SPDX-License-Identifier: Apache-2.0

# RINGLET_WITH_*: what a build contains. docs/install.md describes each. AUTO builds a component if
# the libraries below it are there.
set(RINGLET_WITH_SCHEMES AUTO CACHE STRING
  "Build ringlet::ringlet, which needs OpenSSL and Zstandard; OFF builds ringlet::kernels alone")
set(RINGLET_WITH_FV AUTO CACHE STRING
  "Build ringlet::fv, the FV scheme over general cyclotomic rings")
set(RINGLET_WITH_SEAL AUTO CACHE STRING "Build SEAL::seal, which stands in for Microsoft SEAL 4")
set_property(CACHE RINGLET_WITH_SCHEMES RINGLET_WITH_FV RINGLET_WITH_SEAL PROPERTY STRINGS
  AUTO ON OFF)
option(RINGLET_WITH_AVX512
  "Compile the kernels that need AVX-512; OFF is for tests on a processor without it" ON)
option(RINGLET_WITH_GPU "Open the OpenCL and CUDA libraries of the machine at run time" ON)
option(RINGLET_WITH_OPENMP "Share out loops by OpenMP instead of std::thread" OFF)
option(RINGLET_WITH_HEXL "Build HEXL::hexl, which stands in for Intel HEXL" ON)
option(RINGLET_WITH_STATIC_DEPENDENCIES
  "Link the archives of OpenSSL and Zstandard instead of their shared libraries" OFF)

# Stops if the build insists on a component that lacks libraries; otherwise names the component and
# sets `option` to OFF. `ARGN` are options whose components are above this one.
macro(ringlet_component_lacks component option missing)
  foreach(insisting IN ITEMS ${option} ${ARGN})
    if(NOT ${insisting} STREQUAL "AUTO" AND ${insisting})
      message(FATAL_ERROR "ringlet: ${component} needs ${missing}; install what is missing, or "
                          "configure with -D${option}=OFF")
    endif()
  endforeach()
  message(NOTICE "ringlet: ${component} is not built: it needs ${missing}. -D${option}=ON makes a "
                 "missing library an error.")
  set(${option} OFF)
endmacro()
