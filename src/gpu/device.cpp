// SPDX-License-Identifier: Apache-2.0
#include "ringlet/gpu/device.hpp"

#include <chrono>
#include <cstdlib>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "gpu/backend/device_backend.hpp"
#include "gpu/device_registry.hpp"
#include "gpu/self_check.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet {
namespace {

/// Opens a device by its name; null for the processor.
std::shared_ptr<gpu::OpenDevice> open_named(std::string_view name, const DeviceOptions& options,
                                            const char* call) {
  return public_entry(call, [&]() -> std::shared_ptr<gpu::OpenDevice> {
    const gpu::DeviceName parsed = gpu::parse_device_name(name);
    if (parsed.scope == gpu::DeviceScope::processor) return nullptr;
    return gpu::DeviceRegistry::of_process().open(parsed, options);
  });
}

}  // namespace

OutOfDeviceMemory::OutOfDeviceMemory(const ErrorDetails& details) : RuntimeError(details) {}
OutOfDeviceMemory::~OutOfDeviceMemory() = default;
void OutOfDeviceMemory::throw_with(const ErrorDetails& details) const {
  throw OutOfDeviceMemory(details);
}

Device::Device(std::shared_ptr<gpu::OpenDevice> state) noexcept : state_(std::move(state)) {}

Device Device::gpu(std::size_t index, const DeviceOptions& options) {
  return Device(public_entry("Device::gpu", [&] {
    return gpu::DeviceRegistry::of_process().open({gpu::DeviceScope::all, index}, options);
  }));
}

Device Device::parse(std::string_view name, const DeviceOptions& options) {
  return Device(open_named(name, options, "Device::parse"));
}

Device Device::from_environment() {
  const char* const variable = std::getenv("RINGLET_DEVICE");
  if (variable == nullptr || *variable == '\0') return {};
  return Device(open_named(variable, {}, "Device::from_environment (RINGLET_DEVICE)"));
}

std::vector<DeviceInfo> Device::list() { return gpu::DeviceRegistry::of_process().list(); }

std::string Device::name() const { return is_cpu() ? "cpu" : state_->info.name; }

DeviceInfo Device::info() const { return is_cpu() ? gpu::host_processor_info() : state_->info; }

const DeviceOptions& Device::options() const noexcept {
  static const DeviceOptions kDefaults;
  return is_cpu() ? kDefaults : state_->memory->options();
}

void Device::check_open() const {
  if (!is_cpu()) state_->memory->with_queue([](gpu::Queue&) {});
}

void Device::synchronize() const {
  if (!is_cpu()) public_entry("Device::synchronize", [this] { state_->memory->synchronize(); });
}

double Device::time(const std::function<void()>& work) const {
  if (!is_cpu()) return public_entry("Device::time", [&] { return state_->memory->time(work); });
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Device::trim() const noexcept {
  if (!is_cpu()) state_->memory->trim();
}

MemoryStatistics Device::memory_statistics() const {
  return is_cpu() ? MemoryStatistics{} : state_->memory->statistics();
}

void Device::close() const noexcept {
  if (is_cpu()) return;
  gpu::DeviceRegistry::of_process().forget(*state_);
  state_->memory->close();
}

std::shared_ptr<const Backend> make_backend(RnsBasis basis, const Device& device) {
  if (device.is_cpu()) return make_cpu_backend(std::move(basis));
  return public_entry("make_backend", [&] {
    if (basis.ring().kind() != RingKind::power_of_two_cyclotomic) {
      refuse(concat("a basis of the ring Z[X]/Phi_m with m = ", basis.ring().cyclotomic_index()),
             "rings X^N + 1 on GPUs", "compute on the device cpu");
    }
    device.check_open();
    const auto& memory = device.state_->memory;
    auto backend = gpu::make_device_backend(std::move(basis), memory);
    // Its assembly has only been compiled and interpreted so far.
    if (memory->device().properties().is_xe_hpc && memory->options().use_assembly) {
      gpu::check_against_processor(*backend);
    }
    return backend;
  });
}

}  // namespace ringlet
