# SPDX-License-Identifier: Apache-2.0
# The same card on a bus of a chip, and its software half. A machine is a processor's memory with
# the card attached, in a file that it shares with the software half. Only the long tests use the
# paper's ring: ringlet_hardware_long.
ringlet_verilate(bus_45 TOP bus_card FOLDERS rtl/bus rtl/resident
  PARAMETERS M=45 DEGREE=24 D1=3 D2=9 D3=15 LANES=2 CELLS=10)
ringlet_verilate(bus_2783 TOP bus_card FOLDERS rtl/bus rtl/resident
  PARAMETERS LANES=4 CELLS=557)

set(bus_driver
  bus/bus_driver.cpp)
set(bus_job
  bus/job_file.cpp)
ringlet_add_hardware_test(hw_bus
  SOURCES ${bus_driver} ${bus_job} tb/bus_test.cpp tb/bus_driver_test.cpp
  MODELS bus_45)
ringlet_add_hardware_program(hw_bus_host
  SOURCES ${bus_driver} ${bus_job} bus/bus_host.cpp)
ringlet_add_hardware_program(hw_bus_job
  SOURCES ${bus_job} tb/bus_job.cpp)
ringlet_add_hardware_program(hw_bus_machine_45
  SOURCES tb/bus_machine.cpp
  MODELS bus_45)
ringlet_add_hardware_program(hw_bus_machine_2783 LONG
  SOURCES tb/bus_machine.cpp
  MODELS bus_2783)
foreach(ring IN ITEMS 45 2783)
  if(TARGET hw_bus_machine_${ring})
    target_compile_definitions(hw_bus_machine_${ring} PRIVATE
      RINGLET_BUS_TOP=Vbus_${ring} "RINGLET_BUS_HEADER=\"Vbus_${ring}.h\"")
  endif()
endforeach()
