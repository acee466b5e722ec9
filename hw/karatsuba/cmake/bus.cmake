# SPDX-License-Identifier: Apache-2.0
# The same card on a bus of a chip.
ringlet_verilate(bus_45 TOP bus_card FOLDERS rtl/bus rtl/resident
  PARAMETERS M=45 DEGREE=24 D1=3 D2=9 D3=15 LANES=2 CELLS=10)
ringlet_add_hardware_test(hw_bus
  SOURCES
    tb/bus_test.cpp
  MODELS
    bus_45)
