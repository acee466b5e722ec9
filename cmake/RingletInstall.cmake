# SPDX-License-Identifier: Apache-2.0

# Install rules: headers, the two libraries, the CMake packages and the pkg-config files.
include(CMakePackageConfigHelpers)

set(config_directory "${CMAKE_INSTALL_LIBDIR}/cmake/ringlet")

# The CMake package loads one file of targets per library, so that a program that uses
# ringlet::kernels alone needs no OpenSSL.
function(ringlet_install_library target targets_name)
  get_property(headers GLOBAL PROPERTY RINGLET_LIBRARY_${target}_HEADERS)
  foreach(header IN LISTS headers)
    get_filename_component(layer "${header}" DIRECTORY)
    install(FILES "${PROJECT_SOURCE_DIR}/include/ringlet/${header}"
      DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ringlet/${layer}" COMPONENT development)
  endforeach()
  install(TARGETS ${target} EXPORT ${targets_name}
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT runtime
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime
    NAMELINK_COMPONENT development
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
  install(EXPORT ${targets_name} NAMESPACE ringlet:: FILE ${targets_name}.cmake
    DESTINATION "${config_directory}" COMPONENT development)
endfunction()

# pkg-config: ${pcfiledir} keeps the installed tree relocatable.
function(ringlet_install_pkgconfig name)
  cmake_parse_arguments(PC "" "DESCRIPTION;VERSION;REQUIRES;REQUIRES_PRIVATE;LIBS;CFLAGS" "" ${ARGN})
  set(PC_NAME ${name})
  if(NOT PC_VERSION)
    set(PC_VERSION ${PROJECT_VERSION})
  endif()
  set(directory "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  file(RELATIVE_PATH up "/${directory}" "/")
  string(REGEX REPLACE "/$" "" PC_UP "${up}")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/ringlet.pc.in"
                 "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${directory}"
    COMPONENT development)
endfunction()

# pkg-config without --static must be enough if only an archive is installed.
set(standard_library " -lstdc++")
set(crypto " libcrypto libzstd")
set(openmp "")
if(RINGLET_OPENMP_TARGET)
  set(openmp " ${OpenMP_CXX_FLAGS}")
endif()
if(BUILD_SHARED_LIBS)
  set(standard_library "")
  set(crypto "")
  set(openmp "")
endif()

ringlet_install_library(ringlet_kernels ringletKernelsTargets)
ringlet_install_pkgconfig(ringlet-kernels
  DESCRIPTION "Modular vector arithmetic and number-theoretic transforms"
  LIBS "-lringlet_kernels${standard_library}${openmp}")
if(TARGET ringlet)
  ringlet_install_library(ringlet ringletTargets)
  ringlet_install_pkgconfig(ringlet
    DESCRIPTION "${PROJECT_DESCRIPTION}" REQUIRES "ringlet-kernels${crypto}" LIBS -lringlet)
endif()
if(TARGET ringlet_fv)
  ringlet_install_library(ringlet_fv ringletFvTargets)
  set(archive -lringlet_fv)
  if(BUILD_SHARED_LIBS)
    set(archive "")
  endif()
  ringlet_install_pkgconfig(ringlet-fv
    DESCRIPTION "The FV scheme over general cyclotomic rings" REQUIRES ringlet LIBS "${archive}")
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/ringletConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/ringletConfig.cmake" INSTALL_DESTINATION "${config_directory}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ringletConfigVersion.cmake"
  COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/ringletConfig.cmake"
              "${PROJECT_BINARY_DIR}/ringletConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/RingletCrypto.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/RingletZstd.cmake"
  DESTINATION "${config_directory}" COMPONENT development)

# The package HEXL: libhexl, which finds ringlet::kernels in the same installed tree.
if(TARGET ringlet_hexl)
  set(hexl_directory "${CMAKE_INSTALL_LIBDIR}/cmake/hexl-${RINGLET_HEXL_VERSION}")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/compat/hexl/include/hexl"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
  install(TARGETS ringlet_hexl EXPORT HEXLTargets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime
    NAMELINK_COMPONENT development
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
  install(EXPORT HEXLTargets NAMESPACE HEXL:: DESTINATION "${hexl_directory}"
    COMPONENT development)
  # A shared library brings the kernels along; an archive leaves them to the program.
  set(requires ringlet-kernels)
  set(requires_private "")
  if(BUILD_SHARED_LIBS)
    set(requires "")
    set(requires_private ringlet-kernels)
  endif()
  ringlet_install_pkgconfig(hexl
    DESCRIPTION "Ringlet in the place of Intel HEXL" VERSION ${RINGLET_HEXL_VERSION}
    REQUIRES "${requires}" REQUIRES_PRIVATE "${requires_private}"
    LIBS "-lhexl${standard_library}")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/HEXLConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/HEXLConfig.cmake" INSTALL_DESTINATION "${hexl_directory}"
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/HEXLConfigVersion.cmake.in"
    "${PROJECT_BINARY_DIR}/HEXLConfigVersion.cmake" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/HEXLConfig.cmake"
                "${PROJECT_BINARY_DIR}/HEXLConfigVersion.cmake"
    DESTINATION "${hexl_directory}" COMPONENT development)
endif()

# The package SEAL: libringlet_seal, which finds ringlet::ringlet in the same installed tree.
if(TARGET ringlet_seal)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" seal_series "${RINGLET_SEAL_VERSION}")
  set(seal_directory "${CMAKE_INSTALL_LIBDIR}/cmake/SEAL-${seal_series}")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/compat/seal/include/seal"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
  install(TARGETS ringlet_seal EXPORT SEALTargets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime
    NAMELINK_COMPONENT development
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
  install(EXPORT SEALTargets NAMESPACE SEAL:: DESTINATION "${seal_directory}"
    COMPONENT development)
  # A shared library brings the libraries below it along; an archive leaves them to the program.
  set(requires "ringlet libsodium libb2 zlib libzstd")
  set(requires_private "")
  if(BUILD_SHARED_LIBS)
    set(requires "")
    set(requires_private ringlet)
  endif()
  set(seal_flags "")
  if(NOT SEAL_THROW_ON_TRANSPARENT_CIPHERTEXT)
    set(seal_flags " -DRINGLET_SEAL_ALLOW_TRANSPARENT")
  endif()
  ringlet_install_pkgconfig(seal
    DESCRIPTION "Ringlet in the place of Microsoft SEAL" VERSION ${RINGLET_SEAL_VERSION}
    REQUIRES "${requires}" REQUIRES_PRIVATE "${requires_private}"
    LIBS "-lringlet_seal${standard_library}"
    CFLAGS "${seal_flags}")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/SEALConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/SEALConfig.cmake" INSTALL_DESTINATION "${seal_directory}"
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/SEALConfigVersion.cmake"
    VERSION ${RINGLET_SEAL_VERSION} COMPATIBILITY SameMajorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/SEALConfig.cmake"
                "${PROJECT_BINARY_DIR}/SEALConfigVersion.cmake"
                "${PROJECT_SOURCE_DIR}/cmake/SEALDependencies.cmake"
    DESTINATION "${seal_directory}" COMPONENT development)
endif()
