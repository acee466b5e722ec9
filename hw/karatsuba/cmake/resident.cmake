# SPDX-License-Identifier: Apache-2.0
# The card that keeps the key: two small rings, and the paper's ring with one lane and with four.
ringlet_verilate(resident_45 TOP resident_card FOLDERS rtl/resident
  PARAMETERS M=45 DEGREE=24 D1=3 D2=9 D3=15 LANES=2 CELLS=10)
ringlet_verilate(resident_99 TOP resident_card FOLDERS rtl/resident
  PARAMETERS M=99 DEGREE=60 D1=3 D2=9 D3=33 LANES=4 CELLS=33)
ringlet_verilate(resident_one TOP resident_card FOLDERS rtl/resident PARAMETERS LANES=1)
ringlet_verilate(resident_four TOP resident_card FOLDERS rtl/resident
  PARAMETERS LANES=4 CELLS=557)

ringlet_add_hardware_test(hw_resident_small
  SOURCES tb/resident_small_test.cpp
  MODELS resident_45 resident_99)
ringlet_add_hardware_test(hw_resident
  SOURCES tb/resident_test.cpp
  MODELS resident_one resident_four)
