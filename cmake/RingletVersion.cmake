# SPDX-License-Identifier: Apache-2.0

# Sets <variable> to the MAJOR.MINOR.PATCH of the public header ringlet/base/version.hpp, the only
# place that states the version.
function(ringlet_read_version variable)
  set(header "${CMAKE_CURRENT_SOURCE_DIR}/include/ringlet/base/version.hpp")
  if(NOT EXISTS "${header}")
    message(FATAL_ERROR "ringlet: ${header} is missing; the checkout is not complete")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
  set(numbers "")
  foreach(part IN ITEMS MAJOR MINOR PATCH)
    file(STRINGS "${header}" line REGEX "^#define RINGLET_VERSION_${part} +[0-9]+")
    if(NOT line MATCHES "RINGLET_VERSION_${part} +([0-9]+)")
      message(FATAL_ERROR "ringlet: ${header} does not define RINGLET_VERSION_${part}")
    endif()
    list(APPEND numbers "${CMAKE_MATCH_1}")
  endforeach()
  list(JOIN numbers "." version)
  set(${variable} "${version}" PARENT_SCOPE)
endfunction()
