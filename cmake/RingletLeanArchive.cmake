# SPDX-License-Identifier: Apache-2.0

# ringlet_lean_archive(<imported static library>)
#
# Links a copy of an archive of C code without its unwinding tables, a twentieth of the extensions.
# Only exceptions need them, and callers of this code pass no function that throws.
function(ringlet_lean_archive target)
  get_target_property(archive ${target} IMPORTED_LOCATION)
  if(NOT archive MATCHES "\\.a$" OR NOT CMAKE_OBJCOPY)
    return()
  endif()
  get_filename_component(name "${archive}" NAME)
  set(lean "${CMAKE_BINARY_DIR}/lean/${name}")
  if("${archive}" IS_NEWER_THAN "${lean}")
    file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/lean")
    execute_process(
      COMMAND "${CMAKE_OBJCOPY}" --remove-section=.eh_frame --remove-section=.rela.eh_frame
              "${archive}" "${lean}"
      RESULT_VARIABLE failed)
    if(failed)
      file(REMOVE "${lean}")
      message(STATUS "${CMAKE_OBJCOPY} cannot copy ${archive}: it is linked as it is")
      return()
    endif()
  endif()
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${lean}")
endfunction()
