// SPDX-License-Identifier: Apache-2.0
#include "bindings/core/devices.hpp"

#include "bindings/core/arguments.hpp"
#include "bindings/core/bindings.hpp"
#include "gpu/device_registry.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

constexpr const char* kOperation = "device";

struct NttName {
  const char* name;
  GpuNtt value;
};
constexpr std::array kNttNames = {
    NttName{"naive", GpuNtt::naive},         NttName{"simd_8_8", GpuNtt::simd_8_8},
    NttName{"simd_16_8", GpuNtt::simd_16_8}, NttName{"simd_32_8", GpuNtt::simd_32_8},
    NttName{"radix4", GpuNtt::radix4},       NttName{"radix8", GpuNtt::radix8},
    NttName{"radix16", GpuNtt::radix16},
};

struct FlagOption {
  const char* name;
  bool DeviceOptions::* member;
};
constexpr std::array kFlags = {
    FlagOption{"use_memory_cache", &DeviceOptions::use_memory_cache},
    FlagOption{"use_assembly", &DeviceOptions::use_assembly},
    FlagOption{"use_fused_multiply_add", &DeviceOptions::use_fused_multiply_add},
    FlagOption{"use_lazy_reduction", &DeviceOptions::use_lazy_reduction},
    FlagOption{"use_narrow_words", &DeviceOptions::use_narrow_words},
    FlagOption{"use_fused_passes", &DeviceOptions::use_fused_passes},
    FlagOption{"use_timing", &DeviceOptions::use_timing},
};

struct CountOption {
  const char* name;
  std::size_t DeviceOptions::* member;
};
constexpr std::array kCounts = {
    CountOption{"queue_count", &DeviceOptions::queue_count},
    CountOption{"ntt_chunk_limbs", &DeviceOptions::ntt_chunk_limbs},
};

template <typename Table>
std::string names_of(const Table& table) {
  std::string names;
  for (const auto& entry : table) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

[[noreturn]] void refuse_option(const std::string& name, nb::handle value, const char* limit) {
  throw_invalid_argument(
      {kOperation, name + " = " + shown(value), limit, "pass one of these values"});
}

GpuNtt parse_ntt(nb::handle value) {
  if (nb::isinstance<nb::str>(value)) {
    for (const NttName& known : kNttNames) {
      if (nb::cast<std::string>(value) == known.name) return known.value;
    }
  }
  refuse_option("ntt", value, names_of(kNttNames).c_str());
}

void set_option(DeviceOptions& options, const std::string& name, const nb::object& value) {
  for (const FlagOption& flag : kFlags) {
    if (name != flag.name) continue;
    if (!PyBool_Check(value.ptr())) refuse_option(name, value, "True or False");
    options.*flag.member = value.is(nb::handle(Py_True));
    return;
  }
  for (const CountOption& count : kCounts) {
    if (name != count.name) continue;
    options.*count.member = Integer{value}.word(kOperation, count.name);
    return;
  }
  if (name != "ntt") {
    throw_invalid_argument({kOperation, "option '" + name + "'",
                            "ntt, " + names_of(kFlags) + ", " + names_of(kCounts),
                            "pass options that there are"});
  }
  options.ntt = parse_ntt(value);
}

std::string text_of(nb::handle name, const char* operation) {
  if (nb::isinstance<nb::str>(name)) return nb::cast<std::string>(name);
  throw_invalid_argument({operation, "device = " + shown(name),
                          "a name: 'cpu', 'gpu', 'gpu:0', 'opencl:0', 'cuda:0', ...",
                          "pass a name that `ringlet info` shows"});
}

Device parse(const std::string& name, const DeviceOptions& options) {
  const nb::gil_scoped_release unlocked;
  return Device::parse(name, options);
}

Device open_device(nb::handle name, const nb::kwargs& keywords) {
  DeviceOptions options;
  for (const auto& [key, value] : keywords) {
    set_option(options, nb::cast<std::string>(key), nb::borrow(value));
  }
  return parse(text_of(name, kOperation), options);
}

nb::dict options_of(const Device& device) {
  const DeviceOptions& options = device.options();
  nb::dict result;
  for (const NttName& known : kNttNames) {
    if (known.value == options.ntt) result["ntt"] = known.name;
  }
  for (const FlagOption& flag : kFlags) result[flag.name] = options.*flag.member;
  for (const CountOption& count : kCounts) result[count.name] = options.*count.member;
  return result;
}

std::string repr_of(const Device& device) {
  const nb::dict options = options_of(device);
  const nb::dict defaults = options_of(Device::cpu());
  std::string text = "<ringlet.Device " + describe(device);
  for (const auto& [name, value] : options) {
    if (value.equal(defaults[name])) continue;
    text += std::string(" ") + nb::str(name).c_str() + "=" + nb::repr(value).c_str();
  }
  return text + ">";
}

double time_on(const Device& device, const nb::callable& work) {
  const nb::gil_scoped_release unlocked;
  return device.time([&work] {
    const nb::gil_scoped_acquire locked;
    work();
  });
}

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

void bind_information(nb::module_& module) {
  nb::class_<DeviceInfo>(module, "DeviceInfo",
                         "The facts about a device that are known before it is opened.")
      .def_ro("name", &DeviceInfo::name, "Name of the device, such as \"cpu\" or \"gpu:0\".")
      .def_ro("api", &DeviceInfo::api, "Interface of the device: \"host\", \"opencl\" or \"cuda\".")
      .def_ro("description", &DeviceInfo::description, "The vendor's name for the device.")
      .def_ro("driver_version", &DeviceInfo::driver_version,
              "Version of the driver; \"\" for the processor.")
      .def_ro("is_host_processor", &DeviceInfo::is_host_processor,
              "True for the processor itself, and for an OpenCL runtime that computes on the\n"
              "processor.")
      .def_ro("memory_bytes", &DeviceInfo::memory_bytes, "Size of the device's memory in bytes.")
      .def_ro("compute_units", &DeviceInfo::compute_units, "Number of cores or multiprocessors.")
      .def("__repr__", [](const DeviceInfo& info) {
        return "DeviceInfo('" + info.name + "', '" + info.description + "')";
      });
  nb::class_<MemoryStatistics>(
      module, "MemoryStatistics",
      "Use of a device's memory at one moment. All values are 0 for the processor.")
      .def_ro("in_use", &MemoryStatistics::in_use, "Bytes of blocks that are allocated.")
      .def_ro("cached", &MemoryStatistics::cached,
              "Bytes of released blocks that are kept for reuse.")
      .def_ro("peak", &MemoryStatistics::peak, "Largest sum of in_use and cached so far, in bytes.")
      .def_ro("allocation_count", &MemoryStatistics::allocation_count,
              "Number of times that Ringlet asked the driver for memory.")
      .def_ro("reuse_count", &MemoryStatistics::reuse_count,
              "Number of times that Ringlet used a cached block again.")
      .def_ro("uploaded", &MemoryStatistics::uploaded,
              "Bytes copied from the host to the device so far.")
      .def_ro("downloaded", &MemoryStatistics::downloaded,
              "Bytes copied from the device to the host so far.")
      .def("__repr__", [](const MemoryStatistics& use) {
        return "MemoryStatistics(in_use=" + std::to_string(use.in_use) +
               ", cached=" + std::to_string(use.cached) + ", peak=" + std::to_string(use.peak) +
               ", allocation_count=" + std::to_string(use.allocation_count) +
               ", reuse_count=" + std::to_string(use.reuse_count) +
               ", uploaded=" + std::to_string(use.uploaded) +
               ", downloaded=" + std::to_string(use.downloaded) + ")";
      });
}

constexpr const char* kDeviceText =
    "A device that computes on ciphertexts: the processor, or a device of OpenCL or CUDA.\n"
    "\n"
    "`ringlet.device(name)` opens it, and `public.on(device)` gives it to a context. A\n"
    "process opens a device once for each set of options; two handles of one device with\n"
    "the same options are equal. Threads may share a device; forked processes may not.\n"
    "Ciphertexts, evaluation keys and the plaintexts in their operations are copied to the\n"
    "device. Secret keys are never copied to it.\n"
    "A Device is a context manager: `with` closes it at the end.";

void bind_use(nb::class_<Device>& type) {
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  type.def("synchronize", &Device::synchronize, Unlocked(),
           "Waits for all work of the device. Raises RuntimeFailure if work failed.")
      .def("time", &time_on, "work"_a,
           nb::sig("def time(self, work: Callable[[], object]) -> float"),
           "Returns the seconds that the device needs for all work that work() submits. The call\n"
           "waits for this work and measures it on the device's clock. For the processor, the\n"
           "result is the duration of work().\n"
           "\n"
           "Raises LogicError unless the device was opened with use_timing=True.")
      .def("trim", &Device::trim, Unlocked(), "Returns the cached memory to the driver.")
      .def("memory_statistics", &Device::memory_statistics, Unlocked(),
           "Returns how much memory of the device is in use, and how often the driver was asked\n"
           "for memory.")
      .def("close", &Device::close, Unlocked(),
           "Closes the device for all its handles and frees its memory. Data that only this\n"
           "device holds is lost.\n"
           "\n"
           "Later use of a handle raises LogicError. `ringlet.device` opens the device again.\n"
           "The processor stays open.")
      .def(
          "__enter__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __enter__(self) -> Self"))
      .def(
          "__exit__",
          [](const Device& self, const nb::args&) {
            const nb::gil_scoped_release unlocked;
            self.close();
          },
          nb::sig("def __exit__(self, *exception: object) -> None"));
}

void bind_device(nb::module_& module) {
  nb::class_<Device> type(module, "Device", kDeviceText);
  bind_use(type);
  type.def_prop_ro("name", &Device::name, "Name of the device, such as \"cpu\" or \"gpu:0\".")
      .def_prop_ro("info", &Device::info,
                   "Facts about the device: interface, driver, memory and compute units.")
      .def_prop_ro("is_cpu", &Device::is_cpu, "True if this device is the processor.")
      .def_prop_ro(
          "options", &options_of, nb::sig("def options(self) -> dict[str, Any]"),
          "The options with which the device was opened, as a dict with the argument names of\n"
          "ringlet.device.")
      .def(
          "__eq__",
          [](const Device& self, nb::handle other) {
            return nb::isinstance<Device>(other) && nb::cast<const Device&>(other) == self;
          },
          "other"_a, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Device& self) { return nb::hash(nb::cast(self.name())); })
      .def("__repr__", &repr_of);
  module.def(
      "device", &open_device, "name"_a, "options"_a,
      nb::sig("def device(name: str, *, ntt: str = 'radix8', use_memory_cache: bool = True, "
              "use_assembly: bool = True, use_fused_multiply_add: bool = True, "
              "use_lazy_reduction: bool = True, use_narrow_words: bool = True, "
              "use_fused_passes: bool = True, use_timing: bool = False, queue_count: int = 1, "
              "ntt_chunk_limbs: int = 0) -> "
              "Device"),
      "Opens the device of this name and returns it.\n"
      "\n"
      "- name: a name that `ringlet info` shows: \"cpu\", \"gpu\" (the first GPU), \"gpu:1\",\n"
      "  \"opencl:0\", \"cuda:0\".\n"
      "- ntt: variant of the transforms: naive, simd_8_8, simd_16_8, simd_32_8, radix4,\n"
      "  radix8 or radix16.\n"
      "- use_memory_cache: keep released blocks of memory and use them again.\n"
      "- use_assembly: use the vendor's assembly for sums and products modulo q.\n"
      "- use_fused_multiply_add: compute a * b + c with one reduction.\n"
      "- use_lazy_reduction: leave out corrections within a transform, for primes below\n"
      "  2^57.\n"
      "- use_narrow_words: use words of 32 bits within a transform, for primes below 2^30.\n"
      "- use_fused_passes: radix4, radix8, radix16: let the passes of a transform do the\n"
      "  operations next to it.\n"
      "- use_timing: let Device.time measure.\n"
      "- queue_count: number of queues that share the work, 1 to 16.\n"
      "- ntt_chunk_limbs: largest number of limbs that are transformed together before the\n"
      "  next ones start; 0 for all.\n"
      "\n"
      "The options change the speed only, never the results.\n"
      "Raises InvalidArgument for an unknown name or option. Raises RuntimeFailure if there\n"
      "is no such device; the error lists the libraries that Ringlet looked for. Ringlet\n"
      "never uses the processor in place of a missing device.");
}

}  // namespace

Device DeviceArgument::open(const char* operation) const {
  if (nb::isinstance<Device>(object)) return nb::cast<const Device&>(object);
  return parse(text_of(object, operation), {});
}

std::string describe(const Device& device) {
  return device.name() + ", " + device.info().description;
}

void bind_devices(nb::module_& module) {
  bind_information(module);
  bind_device(module);
  module.def("devices", &devices,
             "Returns the processor, then every GPU and every OpenCL device of this machine.");
  module.def(
      "device_libraries", &device_libraries,
      "Returns, for each driver library that Ringlet looks for, why it offers no device; \"\"\n"
      "if it offers one.");
}

}  // namespace ringlet::python
