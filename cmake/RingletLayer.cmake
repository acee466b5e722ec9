# SPDX-License-Identifier: Apache-2.0

# Layers of Ringlet and the two libraries made of them.
#
#   ringlet_add_layer(<name> [FOR_SIZE] [DEPENDS <layers>] [UMBRELLA <header in include/ringlet>]
#                     [EXCEPT <regular expression of sources>] [SOURCES <sources made elsewhere>])
#   ringlet_describe_layer(<name> DIRECTORY <directory> DEPENDS <layers>)
#   ringlet_finish_compatible_layer(<name> <feature> <library targets>)
#   ringlet_add_portable_unit(<source> [FLAGS <compiler flags>])
#   ringlet_add_kernel_unit(<source> [TARGET <target>] FLAGS <compiler flags>)
#                                                  in src/kernels and lab/kernels only
#   ringlet_add_library(<target> EXPORT_NAME <name> LAYERS <layers>
#                       [PUBLIC_LINK <targets>] [PRIVATE_LINK <targets>])
#   ringlet_write_layers(<json file>)

set_property(GLOBAL PROPERTY RINGLET_LAYERS "")

# Adds the object library ringlet_layer_<name> of all sources below the directory, with the public
# headers include/ringlet/<name>/*.hpp, and records what the layering test reads. Dependencies must
# be layers that exist already, which keeps dependencies one-way.
function(ringlet_add_layer name)
  cmake_parse_arguments(arg "FOR_SIZE" "UMBRELLA;EXCEPT" "DEPENDS;SOURCES" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ringlet_add_layer(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  get_property(layers GLOBAL PROPERTY RINGLET_LAYERS)
  foreach(dependency IN LISTS arg_DEPENDS)
    if(NOT dependency IN_LIST layers)
      message(FATAL_ERROR "ringlet_add_layer(${name}): no layer '${dependency}' below it; "
                          "known: ${layers}")
    endif()
  endforeach()

  set(target ringlet_layer_${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "*.cpp")
  if(arg_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "${arg_EXCEPT}")
  endif()
  ringlet_batches(files ${name} ${sources})
  add_library(${target} OBJECT ${files} ${arg_SOURCES})
  ringlet_set_compile_options(${target})
  target_compile_options(${target} PRIVATE ${RINGLET_HARDENING})
  set(for_size "")
  if(arg_FOR_SIZE)
    set(for_size FOR_SIZE)
    target_compile_options(${target} PRIVATE ${RINGLET_SIZE_OPTION})
  endif()
  ringlet_precompile(${target} ${for_size})
  # The linker leaves out functions that an extension does not call. Kernel units have other flags.
  if(NOT name STREQUAL "kernels")
    target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  endif()
  ringlet_share_objects(${target})
  ringlet_set_batch_options(${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>")
  set(include "${PROJECT_SOURCE_DIR}/include/ringlet")
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE "${include}" "${include}/${name}/*.hpp")
  list(APPEND headers ${arg_UMBRELLA})
  if(name IN_LIST RINGLET_SCHEME_LAYERS OR name IN_LIST RINGLET_FV_LAYERS)
    target_link_libraries(${target} PRIVATE Ringlet::crypto)
  endif()

  ringlet_describe_layer(${name} DIRECTORY src/${name} DEPENDS ${arg_DEPENDS})
  set_property(GLOBAL PROPERTY RINGLET_LAYER_${name}_HEADERS "${headers}")
endfunction()

# Records a layer without headers in include/ringlet for the layering test. The folder include/ of
# its directory holds what it installs.
function(ringlet_describe_layer name)
  cmake_parse_arguments(arg "" "DIRECTORY" "DEPENDS" ${ARGN})
  set_property(GLOBAL APPEND PROPERTY RINGLET_LAYERS ${name})
  set_property(GLOBAL PROPERTY RINGLET_LAYER_${name}_DIRECTORY "${arg_DIRECTORY}")
  set_property(GLOBAL PROPERTY RINGLET_LAYER_${name}_DEPENDS "${arg_DEPENDS}")
endfunction()

# Sets the options that the replacements of HEXL and SEAL have in common. Call it when
# ringlet_layer_<name> and its libraries exist. Programs compile their headers with `feature`.
function(ringlet_finish_compatible_layer name feature)
  foreach(target IN LISTS ARGN ITEMS ringlet_layer_${name})
    target_include_directories(${target} PUBLIC
      "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>"
      "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    target_compile_features(${target} INTERFACE ${feature})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  endforeach()
  ringlet_set_compile_options(ringlet_layer_${name})
  target_compile_options(ringlet_layer_${name} PRIVATE ${RINGLET_HARDENING})
  ringlet_precompile(ringlet_layer_${name})
  ringlet_share_objects(ringlet_layer_${name})
  ringlet_set_batch_options(ringlet_layer_${name})
endfunction()

# Adds a kernel unit that needs no instruction set. Units compile alone: all use the same names.
function(ringlet_add_portable_unit source)
  cmake_parse_arguments(arg "" "" "FLAGS" ${ARGN})
  target_sources(ringlet_layer_kernels PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
  set_source_files_properties(${source} PROPERTIES
    COMPILE_OPTIONS "${arg_FLAGS};${RINGLET_KERNEL_OPTIONS}" SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Adds one translation unit of one policy and instruction set to the layer kernels, or to TARGET,
# compiled with FLAGS and nothing else beyond the layer's own, and records it for the test of weak
# symbols. GCC's own intrinsics use registers that are undefined on purpose; GCC 12 warns of these.
function(ringlet_add_kernel_unit source)
  cmake_parse_arguments(arg "" "TARGET" "FLAGS" ${ARGN})
  if(NOT arg_TARGET)
    set(arg_TARGET ringlet_layer_kernels)
  endif()
  if(NOT TARGET ${arg_TARGET})
    message(FATAL_ERROR "ringlet_add_kernel_unit(${source}): there is no target ${arg_TARGET} yet")
  endif()
  target_sources(${arg_TARGET} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
  set_source_files_properties("${CMAKE_CURRENT_SOURCE_DIR}/${source}" PROPERTIES
    COMPILE_OPTIONS
      "${arg_FLAGS};${RINGLET_KERNEL_OPTIONS};$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized>"
    SKIP_UNITY_BUILD_INCLUSION ON)
  file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}/src/kernels" "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
  set_property(GLOBAL APPEND PROPERTY RINGLET_KERNEL_UNITS ${name})
  list(JOIN arg_FLAGS " " flags)
  set_property(GLOBAL APPEND PROPERTY RINGLET_KERNEL_FLAGS "${flags}")
endfunction()

function(ringlet_add_library target)
  cmake_parse_arguments(arg "" "EXPORT_NAME" "LAYERS;PUBLIC_LINK;PRIVATE_LINK" ${ARGN})
  set(objects "")
  set(headers "")
  foreach(layer IN LISTS arg_LAYERS)
    if(TARGET ringlet_layer_${layer})
      list(APPEND objects $<TARGET_OBJECTS:ringlet_layer_${layer}>)
      get_property(layer_headers GLOBAL PROPERTY RINGLET_LAYER_${layer}_HEADERS)
      list(APPEND headers ${layer_headers})
    endif()
  endforeach()
  if(NOT objects)
    return()
  endif()

  add_library(${target} ${objects})
  add_library(ringlet::${arg_EXPORT_NAME} ALIAS ${target})
  set(library_targets ${target})
  # Tests use internal symbols, which a shared library hides: they link an archive of the same
  # objects.
  if(BUILD_SHARED_LIBS)
    add_library(${target}_internal STATIC EXCLUDE_FROM_ALL ${objects})
    list(APPEND library_targets ${target}_internal)
    target_link_options(${target} PRIVATE LINKER:-z,defs ${RINGLET_HARDENED_LINK})
    if(RINGLET_WITH_STATIC_DEPENDENCIES)
      target_link_options(${target} PRIVATE LINKER:--exclude-libs,libcrypto.a:libzstd.a)
    endif()
    set_target_properties(${target} PROPERTIES
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
      INSTALL_RPATH "$ORIGIN")
  else()
    add_library(${target}_internal ALIAS ${target})
  endif()
  foreach(library IN LISTS library_targets)
    target_compile_features(${library} PUBLIC cxx_std_20)
    target_include_directories(${library} PUBLIC
      "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
      "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(${library} PRIVATE ${arg_PRIVATE_LINK})
  endforeach()
  foreach(link IN LISTS arg_PUBLIC_LINK)
    target_link_libraries(${target} PUBLIC ${link})
    if(BUILD_SHARED_LIBS)
      target_link_libraries(${target}_internal PUBLIC ${link}_internal)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${arg_EXPORT_NAME})
  set_property(GLOBAL PROPERTY RINGLET_LIBRARY_${target}_HEADERS "${headers}")
endfunction()

function(ringlet_json_list variable)
  if(NOT ARGN)
    set(${variable} "[]" PARENT_SCOPE)
    return()
  endif()
  set(items ${ARGN})
  list(TRANSFORM items PREPEND "\"")
  list(TRANSFORM items APPEND "\"")
  list(JOIN items ", " text)
  set(${variable} "[${text}]" PARENT_SCOPE)
endfunction()

# Writes what the structure tests read: layers from the lowest up, and the kernel units with the
# object file of each.
function(ringlet_write_layers file)
  get_property(layers GLOBAL PROPERTY RINGLET_LAYERS)
  set(entries "")
  foreach(layer IN LISTS layers)
    get_property(directory GLOBAL PROPERTY RINGLET_LAYER_${layer}_DIRECTORY)
    get_property(depends GLOBAL PROPERTY RINGLET_LAYER_${layer}_DEPENDS)
    get_property(headers GLOBAL PROPERTY RINGLET_LAYER_${layer}_HEADERS)
    ringlet_json_list(depends ${depends})
    ringlet_json_list(headers ${headers})
    list(APPEND entries "    {\"name\": \"${layer}\", \"directory\": \"${directory}\", \
\"depends\": ${depends}, \"public_headers\": ${headers}}")
  endforeach()
  list(JOIN entries ",\n" entries)
  get_property(units GLOBAL PROPERTY RINGLET_KERNEL_UNITS)
  ringlet_json_list(units ${units})
  get_property(flags GLOBAL PROPERTY RINGLET_KERNEL_FLAGS)
  ringlet_json_list(flags ${flags})
  set(objects "")
  if(TARGET ringlet_layer_kernels)
    set(objects "\"$<JOIN:$<TARGET_OBJECTS:ringlet_layer_kernels>,\", \">\"")
  endif()
  if(TARGET ringlet_study_kernels)
    string(APPEND objects ", \"$<JOIN:$<TARGET_OBJECTS:ringlet_study_kernels>,\", \">\"")
  endif()
  set(target_option "")
  if(CMAKE_CXX_COMPILER_TARGET)
    set(target_option "\"--target=${CMAKE_CXX_COMPILER_TARGET}\"")
  endif()
  file(GENERATE OUTPUT "${file}" CONTENT "{
  \"compiler\": \"${CMAKE_CXX_COMPILER}\",
  \"compiler_target\": [${target_option}],
  \"nm\": \"${CMAKE_NM}\",
  \"objdump\": \"${CMAKE_OBJDUMP}\",
  \"layers\": [
${entries}
  ],
  \"kernel_units\": ${units},
  \"kernel_flags\": ${flags},
  \"kernel_objects\": [${objects}]
}
")
endfunction()
