# SPDX-License-Identifier: Apache-2.0
set(RINGLET_CROSS_PROCESSOR s390x)
set(RINGLET_CROSS_CLANG ON)
include("${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake")
