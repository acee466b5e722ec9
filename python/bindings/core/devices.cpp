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
  nb::class_<MemoryStatistics>(module, "MemoryStatistics",
                               "Use of a device's memory at one moment. All are 0 for the "
                               "processor.")
      .def_ro("in_use", &MemoryStatistics::in_use, "Bytes of blocks that are allocated.")
      .def_ro("cached", &MemoryStatistics::cached,
              "Bytes of released blocks that are kept for reuse.")
      .def_ro("peak", &MemoryStatistics::peak, "The largest sum of both so far, in bytes.")
      .def_ro("allocation_count", &MemoryStatistics::allocation_count,
              "Times that the driver was asked for memory.")
      .def_ro("reuse_count", &MemoryStatistics::reuse_count, "Times that a cached block served.")
      .def("__repr__", [](const MemoryStatistics& use) {
        return "MemoryStatistics(in_use=" + std::to_string(use.in_use) +
               ", cached=" + std::to_string(use.cached) + ", peak=" + std::to_string(use.peak) +
               ", allocation_count=" + std::to_string(use.allocation_count) +
               ", reuse_count=" + std::to_string(use.reuse_count) + ")";
      });
}

constexpr const char* kDeviceText =
    "Where ciphertexts are computed on: the processor, or a device of OpenCL or CUDA. Made by\n"
    "ringlet.device(name), handed to a context by public.on(device). Opened once per process and\n"
    "options: handles of the same one are equal. May be shared by threads, not by forked "
    "processes.\nCiphertexts, evaluation keys and the plaintexts that meet them go there; secret "
    "keys never do.\nAs a context manager it closes itself at the end.";

void bind_use(nb::class_<Device>& type) {
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  type.def("synchronize", &Device::synchronize, Unlocked(),
           "Waits for all work. Raises RuntimeFailure if work failed.")
      .def("time", &time_on, "work"_a,
           nb::sig("def time(self, work: Callable[[], object]) -> float"),
           "Seconds that the device takes, on its own clock, for all that work() submits; waits "
           "for it. Of the\nprocessor the time of the call. Needs use_timing=True: LogicError "
           "otherwise.")
      .def("trim", &Device::trim, Unlocked(), "Gives cached memory back to the driver.")
      .def("memory_statistics", &Device::memory_statistics, Unlocked(),
           "How much of its memory is used now, and how often the driver was asked for some.")
      .def("close", &Device::close, Unlocked(),
           "Gives everything back, for all handles. What only this device has is lost, and its use "
           "is a\nLogicError from then on. ringlet.device opens it anew. The processor stays open.")
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
  type.def_prop_ro("name", &Device::name, "\"cpu\", \"gpu:0\", ...")
      .def_prop_ro("info", &Device::info, "Its API, driver, memory and units.")
      .def_prop_ro("is_cpu", &Device::is_cpu, "True for the processor.")
      .def_prop_ro("options", &options_of, nb::sig("def options(self) -> dict[str, Any]"),
                   "The options that it was opened with, by the names that ringlet.device takes.")
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
      "Opens a device by its name, as `ringlet info` shows it: \"cpu\", \"gpu\" (the first), "
      "\"gpu:1\",\n\"opencl:0\", \"cuda:0\". Results do not depend on the options.\n\nntt: the "
      "transforms' variant, naive, simd_8_8, simd_16_8, simd_32_8, radix4, radix8 or radix16.\n"
      "use_memory_cache: released blocks are kept and used again.\nuse_assembly: the vendor's "
      "assembly of sums and products modulo q.\nuse_fused_multiply_add: a * b + c with one "
      "reduction.\nuse_lazy_reduction: primes below 2^57: no corrections within a transform.\n"
      "use_narrow_words: primes below 2^30: words of 32 bits within a transform.\n"
      "use_fused_passes: radix4, radix8, radix16: passes of transforms do the work next to them.\n"
      "use_timing: Device.time works.\nqueue_count: queues among which work is divided, 1 to 16.\n"
      "ntt_chunk_limbs: most limbs that go through a transform before others do; 0 for all.\n\n"
      "Raises InvalidArgument for other names and options, RuntimeFailure if there is no such "
      "device: it says\nwhich libraries were looked for. Nothing falls back to the processor.");
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
             "The processor, then every GPU and every OpenCL device that is found here.");
  module.def("device_libraries", &device_libraries,
             "The libraries that were looked for, and why each brings no device: \"\" if it does.");
}

}  // namespace ringlet::python
