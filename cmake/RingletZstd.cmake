# SPDX-License-Identifier: Apache-2.0

# Zstandard below ringlet::ringlet, as the imported target Ringlet::zstd: the archive with
# RINGLET_WITH_STATIC_DEPENDENCIES. Read by the build, and by the installed package for programs that
# link an archive. RINGLET_ZSTD_MISSING is set if it is not there. Debian's libzstd-dev, for one,
# brings no CMake package.

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
