// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/driver.hpp"
#include "gpu/memory/device_memory.hpp"
#include "gpu/owner_process.hpp"
#include "ringlet/gpu/device.hpp"

namespace ringlet::gpu {

/// An open device, of which Device is a handle.
struct OpenDevice {
  DeviceInfo info;
  std::shared_ptr<DriverDevice> device;
  std::shared_ptr<DeviceMemory> memory;  ///< Has the options.
};

/// Which devices a name counts.
enum class DeviceScope : std::uint8_t { processor, all, cuda, opencl };

struct DeviceName {
  DeviceScope scope = DeviceScope::all;
  std::size_t index = 0;
};

/// Reads a name as Device::parse takes it. @throws InvalidArgument.
DeviceName parse_device_name(std::string_view name);

/// Returns the processor, in the form of a device.
DeviceInfo host_processor_info();

/// The library of an API. `load` returns null and the reason if it cannot load the library.
struct DriverSource {
  Api api = Api::opencl;
  std::string library;
  std::function<std::shared_ptr<Driver>(std::string& reason)> load;
};

/// A library that was looked for.
struct LibraryState {
  std::string library;
  std::string reason;  ///< Why it brings no device; empty if it brings one.
};

/// The devices of a process, and which of them are open. The first request for a device loads the
/// libraries, once. Thread-safe.
class DeviceRegistry {
 public:
  /// Takes the sources in the order in which devices are counted.
  explicit DeviceRegistry(std::vector<DriverSource> sources);
  /// Returns the registry of this process. It is never destroyed: at the end of the process a
  /// driver may be gone before the objects that would close it.
  static DeviceRegistry& of_process();

  /// Returns the processor, then all devices that "gpu:" counts.
  std::vector<DeviceInfo> list();
  /// Returns one state per source.
  std::vector<LibraryState> libraries();
  /// Opens device `name.index` of those that `name.scope` counts, which is not the processor. The
  /// same options give the same device until it is forgotten. With several queues, its description
  /// says where they are.
  /// @throws RuntimeError if there is none; InvalidArgument for a number of queues that is not
  ///         between 1 and QueueLanes::kMostLanes; LogicError in a process that was forked after
  ///         libraries were loaded.
  std::shared_ptr<OpenDevice> open(const DeviceName& name, const DeviceOptions& options);
  /// Makes the next open() of this device open it again.
  void forget(const OpenDevice& device) noexcept;

 private:
  struct Entry {
    DeviceInfo info;
    std::shared_ptr<DriverDevice> device;
    std::optional<std::size_t> index;  ///< Among those that "gpu:" counts.
  };
  struct LoadedDriver {
    std::shared_ptr<Driver> driver;
    std::string reason;  ///< Why there are no devices.
    std::vector<Entry> devices;
  };

  void load();
  void load(const DriverSource& source, LoadedDriver& loaded) const;
  void count_devices();
  std::vector<const Entry*> devices_in(DeviceScope scope) const;
  std::shared_ptr<DriverDevice> make_unused(const Entry& entry) const;
  [[noreturn]] void refuse(const DeviceName& name, std::size_t count) const;

  std::mutex mutex_;
  std::vector<DriverSource> sources_;
  std::vector<LoadedDriver> drivers_;   ///< One per source, once they are loaded.
  std::optional<OwnerProcess> loader_;  ///< The process that loaded them.
  std::vector<std::shared_ptr<OpenDevice>> open_;
};

}  // namespace ringlet::gpu
