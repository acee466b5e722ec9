# SPDX-License-Identifier: Apache-2.0
ringlet_add_hardware_test(hw_splits
  SOURCES tb/splits_test.cpp)
ringlet_add_hardware_program(ringlet_split_study
  SOURCES study/splits.cpp)
