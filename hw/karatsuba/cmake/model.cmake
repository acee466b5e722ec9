# SPDX-License-Identifier: Apache-2.0
ringlet_add_hardware_test(hw_link
  SOURCES tb/link_test.cpp)
