# SPDX-License-Identifier: Apache-2.0
# The paper's accelerator, small ones of the same modules, and single modules.
ringlet_add_hardware_library(karatsuba_driver
  SOURCES model/golden.cpp model/software_half.cpp tb/simulation.cpp)

ringlet_verilate(karatsuba_full TOP karatsuba_top FOLDERS rtl)
ringlet_verilate(karatsuba_tiny TOP karatsuba_top FOLDERS rtl
  PARAMETERS SOFTWARE=1 PRE=1 POST=2 REDUCE_LEVEL=1 LEAF=2 LANES=2 UNITS=3 BUFFER_LOG=8
    PACKAGER_LOG=6)
ringlet_verilate(karatsuba_small TOP karatsuba_top FOLDERS rtl
  PARAMETERS SOFTWARE=2 PRE=2 POST=4 REDUCE_LEVEL=2 BUFFER_LOG=11)
ringlet_verilate(karatsuba_shallow TOP karatsuba_top FOLDERS rtl
  PARAMETERS SOFTWARE=4 PRE=1 POST=2 REDUCE_LEVEL=2 LEAF=2 LANES=1 UNITS=3 BUFFER_LOG=8
    PACKAGER_LOG=6)
ringlet_verilate(karatsuba_wide TOP karatsuba_top FOLDERS rtl
  PARAMETERS CHUNK_BITS=28 SOFTWARE=1 PRE=2 POST=1 REDUCE_LEVEL=1 LEAF=3 LANES=3 UNITS=5
    BUFFER_LOG=8 PACKAGER_LOG=7)
ringlet_add_hardware_test(hw_karatsuba_small
  SOURCES tb/karatsuba_small_test.cpp tb/karatsuba_errors_test.cpp
  MODELS karatsuba_driver karatsuba_tiny karatsuba_small karatsuba_shallow karatsuba_wide)

set(blocks "")
foreach(block IN ITEMS int_mul poly_mul mod_reduce modular_post_unit)
  ringlet_verilate(block_${block} TOP ${block} FOLDERS rtl)
  list(APPEND blocks block_${block})
endforeach()
ringlet_verilate(block_pre_unit TOP pre_unit FOLDERS rtl PARAMETERS COEFFS=8)
ringlet_add_hardware_test(hw_karatsuba_blocks
  SOURCES tb/blocks_test.cpp
  MODELS karatsuba_driver ${blocks} block_pre_unit)

ringlet_add_hardware_test(hw_karatsuba
  SOURCES tb/karatsuba_test.cpp
  MODELS karatsuba_driver karatsuba_full)
ringlet_add_hardware_test(hw_karatsuba_encryption
  SOURCES tb/encryption_test.cpp
  MODELS karatsuba_driver karatsuba_full)
ringlet_add_hardware_program(hw_karatsuba_report
  SOURCES tb/report.cpp tb/resident_report.cpp
  MODELS karatsuba_driver karatsuba_full resident_four resident_one)
