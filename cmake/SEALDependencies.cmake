# SPDX-License-Identifier: Apache-2.0

# Finds the libraries below SEAL::seal, as imported targets: libsodium (BLAKE2b), libb2 (BLAKE2X),
# zlib and Zstandard. The build reads this file, and so does the installed package for programs that
# link an archive. Sets RINGLET_SEAL_DEPENDENCIES; RINGLET_SEAL_MISSING names missing libraries.

set(RINGLET_SEAL_DEPENDENCIES "")
set(RINGLET_SEAL_MISSING "")
foreach(_seal_dependency IN ITEMS sodium:sodium.h b2:blake2.h z:zlib.h zstd:zstd.h)
  string(REGEX REPLACE ":.*" "" _seal_library "${_seal_dependency}")
  string(REGEX REPLACE ".*:" "" _seal_header "${_seal_dependency}")
  find_library(RINGLET_SEAL_${_seal_library}_LIBRARY ${_seal_library})
  find_path(RINGLET_SEAL_${_seal_library}_INCLUDE_DIR ${_seal_header})
  mark_as_advanced(RINGLET_SEAL_${_seal_library}_LIBRARY RINGLET_SEAL_${_seal_library}_INCLUDE_DIR)
  if(NOT RINGLET_SEAL_${_seal_library}_LIBRARY OR NOT RINGLET_SEAL_${_seal_library}_INCLUDE_DIR)
    list(APPEND RINGLET_SEAL_MISSING "lib${_seal_library} with ${_seal_header}")
    continue()
  endif()
  list(APPEND RINGLET_SEAL_DEPENDENCIES RingletSEAL::${_seal_library})
  if(NOT TARGET RingletSEAL::${_seal_library})
    add_library(RingletSEAL::${_seal_library} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(RingletSEAL::${_seal_library} PROPERTIES
      IMPORTED_LOCATION "${RINGLET_SEAL_${_seal_library}_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${RINGLET_SEAL_${_seal_library}_INCLUDE_DIR}")
  endif()
endforeach()
unset(_seal_dependency)
unset(_seal_library)
unset(_seal_header)
