# SPDX-License-Identifier: Apache-2.0
set(RINGLET_CROSS_PROCESSOR aarch64)
include("${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake")
