// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/device_registry.hpp"
#include "support/test.hpp"

// The device that tests of the device backend run on.

namespace ringlet::test {

/// Returns RINGLET_TEST_DEVICE, such as "cuda:0" or "opencl:1"; empty if it is unset.
inline std::string test_device_name() {
  const char* const name = std::getenv("RINGLET_TEST_DEVICE");
  return name == nullptr ? "" : name;
}

/// Parses RINGLET_TEST_DEVICE; the first device of OpenCL if it is unset. @throws InvalidArgument.
inline gpu::DeviceName test_device_place() {
  const std::string name = test_device_name();
  if (name.empty()) return {gpu::DeviceScope::opencl, 0};
  const gpu::DeviceName place = gpu::parse_device_name(name);
  if (place.scope == gpu::DeviceScope::cuda || place.scope == gpu::DeviceScope::opencl) {
    return place;
  }
  throw_invalid_argument(
      {"RINGLET_TEST_DEVICE", name, "cuda:<index>, opencl:<index>", "name the API of the device"});
}

/// Returns the device at `place` among those of `driver`, which may be null: a new object at each
/// call. Null if it is not there, and then `reason` says why.
/// @throws RuntimeError instead if RINGLET_TEST_DEVICE names it: anyone who names a device must not
///         take skipped tests for passed ones.
inline std::shared_ptr<gpu::DriverDevice> pick_test_device(gpu::Driver* driver, std::string& reason,
                                                           gpu::DeviceName place) {
  if (driver != nullptr) {
    const auto devices = driver->devices();
    if (place.index < devices.size()) return devices[place.index];
    reason = "the library has " + std::to_string(devices.size()) + " devices";
  }
  if (const std::string name = test_device_name(); !name.empty()) {
    throw_runtime_error({"RINGLET_TEST_DEVICE", name + " (" + reason + ")",
                         "devices that are there", "name another device, or unset the variable"});
  }
  return nullptr;
}

/// Returns the device that tests run on. Null and throws as pick_test_device.
inline std::shared_ptr<gpu::DriverDevice> find_test_device(std::string& reason) {
  const gpu::DeviceName place = test_device_place();
  static std::string why;
  static const std::shared_ptr<gpu::Driver> driver =
      place.scope == gpu::DeviceScope::cuda ? gpu::load_cuda(why) : gpu::load_opencl(why);
  reason = why;
  return pick_test_device(driver.get(), reason, place);
}

}  // namespace ringlet::test
