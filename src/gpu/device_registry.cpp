// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_registry.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ringlet/base/cpu.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::gpu {
namespace {

std::string_view text_of(Api api) { return api == Api::cuda ? "cuda" : "opencl"; }

bool counts(DeviceScope scope, Api api) {
  return scope == DeviceScope::all || (scope == DeviceScope::cuda) == (api == Api::cuda);
}

DeviceInfo info_of(const DeviceProperties& device) {
  return {.name = "",
          .api = std::string(text_of(device.api)),
          .description = device.name,
          .driver_version = device.driver_version,
          .is_host_processor = device.is_host_processor,
          .memory_bytes = device.memory_bytes,
          .compute_units = device.compute_units,
          .has_assembly = device.has_assembly()};
}

void check_queue_count(std::size_t count) {
  if (count >= 1 && count <= QueueLanes::kMostLanes) return;
  refuse(concat("queue_count = ", count), concat("1 to ", QueueLanes::kMostLanes, " queues"),
         "use one queue, or as many as the device has tiles");
}

bool is_nvidia(const DeviceProperties& device) {
  return device.vendor.find("NVIDIA") != std::string::npos;
}

}  // namespace

DeviceInfo host_processor_info() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  std::uint64_t memory_bytes = 0;
  if (pages > 0 && page_bytes > 0) {
    memory_bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
  }
  return {.name = "cpu",
          .api = "host",
          .description = cpu_info().model,
          .driver_version = "",
          .is_host_processor = true,
          .memory_bytes = memory_bytes,
          .compute_units = std::thread::hardware_concurrency()};
}

DeviceRegistry::DeviceRegistry(std::vector<DriverSource> sources) : sources_(std::move(sources)) {}

DeviceRegistry& DeviceRegistry::of_process() {
  static auto* const registry = new DeviceRegistry(
      {{Api::cuda, "libcuda.so.1", [](std::string& reason) { return load_cuda(reason); }},
       {Api::opencl, "libOpenCL.so.1", [](std::string& reason) { return load_opencl(reason); }}});
  return *registry;
}

void DeviceRegistry::load() {
  if (!drivers_.empty()) return;
  std::vector<LoadedDriver> drivers(sources_.size());
  for (std::size_t i = 0; i < sources_.size(); ++i) load(sources_[i], drivers[i]);
  drivers_ = std::move(drivers);
  loader_.emplace();
  count_devices();
}

// A library that fails must not hide the devices of another one.
void DeviceRegistry::load(const DriverSource& source, LoadedDriver& loaded) const {
  try {
    loaded.driver = source.load(loaded.reason);
    if (loaded.driver == nullptr) return;
    std::size_t index = 0;
    for (std::shared_ptr<DriverDevice>& device : loaded.driver->devices()) {
      DeviceInfo info = info_of(device->properties());
      info.name = concat(text_of(source.api), ":", index++);
      loaded.devices.push_back({std::move(info), std::move(device), std::nullopt});
    }
    if (loaded.devices.empty()) loaded.reason = "loaded, but it has no device";
  } catch (const std::exception& error) {
    loaded.devices.clear();
    loaded.reason = error.what();
  }
}

/// Gives the devices that "gpu:" counts their names.
void DeviceRegistry::count_devices() {
  std::vector<std::string> nvidia;
  std::vector<Entry*> counted;
  for (LoadedDriver& driver : drivers_) {
    for (Entry& entry : driver.devices) {
      const DeviceProperties& device = entry.device->properties();
      if (device.api == Api::cuda) {
        nvidia.push_back(device.name);
      } else if (is_nvidia(device)) {
        const auto same = std::find(nvidia.begin(), nvidia.end(), device.name);
        if (same != nvidia.end()) {
          nvidia.erase(same);
          continue;
        }
      }
      counted.push_back(&entry);
    }
  }
  std::size_t index = 0;
  for (const bool is_host_processor : {false, true}) {
    for (Entry* const entry : counted) {
      if (entry->device->properties().is_host_processor != is_host_processor) continue;
      entry->info.name = concat("gpu:", index);
      entry->index = index++;
    }
  }
}

std::vector<const DeviceRegistry::Entry*> DeviceRegistry::devices_in(DeviceScope scope) const {
  std::vector<const Entry*> found;
  for (std::size_t i = 0; i < drivers_.size(); ++i) {
    if (!counts(scope, sources_[i].api)) continue;
    for (const Entry& entry : drivers_[i].devices) {
      if (scope != DeviceScope::all || entry.index) found.push_back(&entry);
    }
  }
  if (scope == DeviceScope::all) {
    std::sort(found.begin(), found.end(),
              [](const Entry* a, const Entry* b) { return *a->index < *b->index; });
  }
  return found;
}

std::vector<DeviceInfo> DeviceRegistry::list() {
  const std::lock_guard lock(mutex_);
  load();
  std::vector<DeviceInfo> infos{host_processor_info()};
  for (const Entry* entry : devices_in(DeviceScope::all)) infos.push_back(entry->info);
  return infos;
}

std::vector<LibraryState> DeviceRegistry::libraries() {
  const std::lock_guard lock(mutex_);
  load();
  std::vector<LibraryState> states;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    states.push_back({sources_[i].library, drivers_[i].devices.empty() ? drivers_[i].reason : ""});
  }
  return states;
}

std::shared_ptr<OpenDevice> DeviceRegistry::open(const DeviceName& name,
                                                 const DeviceOptions& options) {
  check_queue_count(options.queue_count);
  const std::lock_guard lock(mutex_);
  load();
  loader_->check();
  const std::vector<const Entry*> devices = devices_in(name.scope);
  if (name.index >= devices.size()) refuse(name, devices.size());
  const Entry& entry = *devices[name.index];
  for (const std::shared_ptr<OpenDevice>& open : open_) {
    if (open->info.name == entry.info.name && open->memory->options() == options) return open;
  }
  const std::shared_ptr<DriverDevice> device =
      options.queue_count == 1 ? entry.device : make_unused(entry);
  auto memory = std::make_shared<DeviceMemory>(entry.info.name, device, options);
  DeviceInfo info = entry.info;
  if (const std::string queues = memory->describe_queues(); !queues.empty()) {
    info.description += concat(" (", queues, ")");
  }
  open_.push_back(
      std::make_shared<OpenDevice>(OpenDevice{std::move(info), device, std::move(memory)}));
  return open_.back();
}

/// Returns the device as a new object, which may be split: others may be in use as a whole.
std::shared_ptr<DriverDevice> DeviceRegistry::make_unused(const Entry& entry) const {
  for (const LoadedDriver& loaded : drivers_) {
    for (std::size_t i = 0; i < loaded.devices.size(); ++i) {
      if (&loaded.devices[i] != &entry) continue;
      std::vector<std::shared_ptr<DriverDevice>> devices = loaded.driver->devices();
      if (i < devices.size() && devices[i]->properties().name == entry.info.description) {
        return devices[i];
      }
    }
  }
  throw_runtime_error({.offending = concat(entry.info.name, ": ", entry.info.description,
                                           ", which is not there any more"),
                       .limit = "devices that the driver lists",
                       .remedy = "see what `ringlet info` lists, and restart the program"});
}

void DeviceRegistry::forget(const OpenDevice& device) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(open_, [&device](const auto& open) { return open.get() == &device; });
}

void DeviceRegistry::refuse(const DeviceName& name, std::size_t count) const {
  const std::string_view prefix = name.scope == DeviceScope::all    ? "gpu"
                                  : name.scope == DeviceScope::cuda ? "cuda"
                                                                    : "opencl";
  const std::string offending = concat("'", prefix, ":", name.index, "'");
  if (count > 0) {
    throw_runtime_error({.offending = offending,
                         .limit = count == 1 ? concat("the only device, ", prefix, ":0")
                                             : concat(count, " devices, ", prefix, ":0 to ", prefix,
                                                      ":", count - 1),
                         .remedy = "name a device that `ringlet info` shows"});
  }
  std::string reasons;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (!counts(name.scope, sources_[i].api)) continue;
    reasons +=
        concat(reasons.empty() ? "" : ", ", sources_[i].library, " (", drivers_[i].reason, ")");
  }
  throw_runtime_error({.offending = offending,
                       .limit = concat("no device found; looked for ", reasons),
                       .remedy =
                           "install the driver of the GPU with its OpenCL or CUDA library, or "
                           "PoCL (pocl-opencl-icd) for OpenCL on this processor; or compute "
                           "on 'cpu'"});
}

}  // namespace ringlet::gpu
