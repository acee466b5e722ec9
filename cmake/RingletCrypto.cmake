# SPDX-License-Identifier: Apache-2.0

# Defines the target Ringlet::crypto, OpenSSL's libcrypto below ringlet::ringlet: the shared
# library, or its archive with RINGLET_WITH_STATIC_DEPENDENCIES. The build reads this file after
# find_package(OpenSSL COMPONENTS Crypto), and the installed package reads it for programs that link
# an archive. Sets RINGLET_CRYPTO_MISSING if the library is missing.

set(RINGLET_CRYPTO_MISSING "")
if(TARGET Ringlet::crypto)
  return()
endif()
if(RINGLET_WITH_STATIC_DEPENDENCIES)
  # OPENSSL_USE_STATIC_LIBS would change nothing if the shared library was found before.
  get_filename_component(_ringlet_crypto_folder "${OPENSSL_CRYPTO_LIBRARY}" DIRECTORY)
  find_library(RINGLET_CRYPTO_ARCHIVE libcrypto.a HINTS "${_ringlet_crypto_folder}")
  mark_as_advanced(RINGLET_CRYPTO_ARCHIVE)
  unset(_ringlet_crypto_folder)
  if(NOT RINGLET_CRYPTO_ARCHIVE)
    set(RINGLET_CRYPTO_MISSING "libcrypto.a")
    return()
  endif()
  find_package(Threads REQUIRED)
  add_library(Ringlet::crypto STATIC IMPORTED GLOBAL)
  set_target_properties(Ringlet::crypto PROPERTIES
    IMPORTED_LOCATION "${RINGLET_CRYPTO_ARCHIVE}"
    INTERFACE_INCLUDE_DIRECTORIES "${OPENSSL_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS};Threads::Threads")
else()
  add_library(Ringlet::crypto INTERFACE IMPORTED GLOBAL)
  set_target_properties(Ringlet::crypto PROPERTIES INTERFACE_LINK_LIBRARIES OpenSSL::Crypto)
endif()
