# SPDX-License-Identifier: Apache-2.0

# Defines the imported target Ringlet::zstd, Zstandard below ringlet::ringlet: the archive with
# RINGLET_WITH_STATIC_DEPENDENCIES. The build reads this file, and so does the installed package for
# programs that link an archive. Sets RINGLET_ZSTD_MISSING if the library is missing. Debian's
# libzstd-dev, for example, has no CMake package to use.

set(_ringlet_zstd_library RINGLET_ZSTD_LIBRARY)
set(_ringlet_zstd_name zstd)
if(RINGLET_WITH_STATIC_DEPENDENCIES)
  set(_ringlet_zstd_library RINGLET_ZSTD_ARCHIVE)
  set(_ringlet_zstd_name libzstd.a)
endif()
find_library(${_ringlet_zstd_library} ${_ringlet_zstd_name})
find_path(RINGLET_ZSTD_INCLUDE_DIR zstd.h)
mark_as_advanced(${_ringlet_zstd_library} RINGLET_ZSTD_INCLUDE_DIR)
set(RINGLET_ZSTD_MISSING "")
if(NOT ${_ringlet_zstd_library} OR NOT RINGLET_ZSTD_INCLUDE_DIR)
  set(RINGLET_ZSTD_MISSING "${_ringlet_zstd_name} with zstd.h")
elseif(NOT TARGET Ringlet::zstd)
  add_library(Ringlet::zstd UNKNOWN IMPORTED GLOBAL)
  set_target_properties(Ringlet::zstd PROPERTIES
    IMPORTED_LOCATION "${${_ringlet_zstd_library}}"
    INTERFACE_INCLUDE_DIRECTORIES "${RINGLET_ZSTD_INCLUDE_DIR}")
endif()
unset(_ringlet_zstd_library)
unset(_ringlet_zstd_name)
