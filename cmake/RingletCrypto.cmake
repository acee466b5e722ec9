# SPDX-License-Identifier: Apache-2.0

# OpenSSL's libcrypto below ringlet::ringlet, as the target Ringlet::crypto: the shared library, or
# its archive with RINGLET_WITH_STATIC_DEPENDENCIES. Read by the build after
# find_package(OpenSSL COMPONENTS Crypto), and by the installed package for programs that link an
# archive. RINGLET_CRYPTO_MISSING is set if it is not there.

set(RINGLET_CRYPTO_MISSING "")
if(TARGET Ringlet::crypto)
  return()
endif()
if(RINGLET_WITH_STATIC_DEPENDENCIES)
  # Not by OPENSSL_USE_STATIC_LIBS, which changes nothing where the shared library was found before.
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
