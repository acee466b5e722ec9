// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "gpu/device_registry.hpp"
#include "ringlet/device.hpp"

namespace nb = nanobind;

namespace ringlet::python {
namespace {

std::vector<DeviceInfo> devices() {
  const nb::gil_scoped_release unlocked;
  return Device::list();
}

std::map<std::string, std::string> device_libraries() {
  const nb::gil_scoped_release unlocked;
  std::map<std::string, std::string> reasons;
  for (const gpu::LibraryState& state : gpu::DeviceRegistry::of_process().libraries()) {
    reasons[state.library] = state.reason;
  }
  return reasons;
}

}  // namespace

void bind_devices(nb::module_& module) {
  nb::class_<DeviceInfo>(module, "DeviceInfo", "What is known of a device without opening it.")
      .def_ro("name", &DeviceInfo::name, "\"cpu\", \"gpu:0\", ...")
      .def_ro("api", &DeviceInfo::api, "\"host\", \"opencl\" or \"cuda\".")
      .def_ro("description", &DeviceInfo::description, "The vendor's name of it.")
      .def_ro("driver_version", &DeviceInfo::driver_version, "Empty for the processor.")
      .def_ro("is_host_processor", &DeviceInfo::is_host_processor,
              "The processor itself, or an OpenCL runtime on it.")
      .def_ro("memory_bytes", &DeviceInfo::memory_bytes, "Of its memory.")
      .def_ro("compute_units", &DeviceInfo::compute_units, "Cores, multiprocessors, ...")
      .def("__repr__", [](const DeviceInfo& info) {
        return "DeviceInfo('" + info.name + "', '" + info.description + "')";
      });

  module.def("devices", &devices,
             "The processor, then every GPU and every OpenCL device that is found here.");
  module.def("device_libraries", &device_libraries,
             "The libraries that were looked for, and why each brings no device: \"\" if it does.");
}

}  // namespace ringlet::python
