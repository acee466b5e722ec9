# SPDX-License-Identifier: Apache-2.0
set(RINGLET_CROSS_PROCESSOR s390x)
include("${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake")
