# SPDX-License-Identifier: Apache-2.0

# Selects Debian's cross compiler for RINGLET_CROSS_PROCESSOR, or Clang with its libraries if
# RINGLET_CROSS_CLANG is set. Compiled programs run under qemu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${RINGLET_CROSS_PROCESSOR})
set(triplet ${RINGLET_CROSS_PROCESSOR}-linux-gnu)
if(RINGLET_CROSS_CLANG)
  set(CMAKE_C_COMPILER clang-19)
  set(CMAKE_CXX_COMPILER clang++-19)
  set(CMAKE_C_COMPILER_TARGET ${triplet})
  set(CMAKE_CXX_COMPILER_TARGET ${triplet})
else()
  set(CMAKE_C_COMPILER ${triplet}-gcc)
  set(CMAKE_CXX_COMPILER ${triplet}-g++)
endif()
set(CMAKE_NM ${triplet}-nm)
set(CMAKE_OBJDUMP ${triplet}-objdump)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${RINGLET_CROSS_PROCESSOR} -L /usr/${triplet})
set(CMAKE_FIND_ROOT_PATH /usr/${triplet})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
