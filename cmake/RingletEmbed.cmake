# SPDX-License-Identifier: Apache-2.0

# Writes a C++ source that holds every file of a folder as text, for
# gpu/programs/kernel_sources.hpp. Compilers limit string literals, so a file has one per line.
# Lines of comments are empty in it: they would be a three-hundredth of the wheel.
#
#   ringlet_embed_kernels(<source to write> <folder>)
function(ringlet_embed_kernels output folder)
  file(GLOB files CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*")
  list(SORT files)
  set(arrays "")
  set(entries "")
  set(index 0)
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    get_filename_component(name "${file}" NAME)
    file(READ "${file}" text)
    string(REGEX REPLACE "(^|\n) *//[^\n]*" "\\1" text "${text}")
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
    string(APPEND arrays "constexpr std::string_view kFile${index} =\n    \"${text}\";\n")
    string(APPEND entries "    File{\"${name}\", kFile${index}},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/kernel_sources.cpp.in"
                 "${CMAKE_CURRENT_BINARY_DIR}/${output}" @ONLY)
endfunction()
