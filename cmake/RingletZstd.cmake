# SPDX-License-Identifier: Apache-2.0

# Zstandard below ringlet::ringlet, as the imported target Ringlet::zstd. Read by the build, and by
# the installed package for programs that link an archive. RINGLET_ZSTD_MISSING is set if it is not
# there. Debian's libzstd-dev, for one, brings no CMake package.

find_library(RINGLET_ZSTD_LIBRARY zstd)
find_path(RINGLET_ZSTD_INCLUDE_DIR zstd.h)
mark_as_advanced(RINGLET_ZSTD_LIBRARY RINGLET_ZSTD_INCLUDE_DIR)
set(RINGLET_ZSTD_MISSING "")
if(NOT RINGLET_ZSTD_LIBRARY OR NOT RINGLET_ZSTD_INCLUDE_DIR)
  set(RINGLET_ZSTD_MISSING "libzstd with zstd.h")
elseif(NOT TARGET Ringlet::zstd)
  add_library(Ringlet::zstd UNKNOWN IMPORTED GLOBAL)
  set_target_properties(Ringlet::zstd PROPERTIES
    IMPORTED_LOCATION "${RINGLET_ZSTD_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${RINGLET_ZSTD_INCLUDE_DIR}")
endif()
