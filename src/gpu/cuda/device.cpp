// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "gpu/cuda/context.hpp"
#include "gpu/cuda/memory.hpp"
#include "gpu/cuda/module.hpp"
#include "gpu/cuda/nvrtc.hpp"
#include "gpu/cuda/queue.hpp"
#include "gpu/driver.hpp"
#include "gpu/programs/kernel_sources.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::gpu {
namespace cuda {
namespace {

/// The compiler of a driver, loaded at its first use. Thread-safe.
class Compiler {
 public:
  Compiler(int driver_version, std::string path)
      : driver_version_(driver_version), path_(std::move(path)) {}
  /// @throws RuntimeError if there is no NVRTC; the next call looks again.
  const Nvrtc& get() {
    const std::lock_guard lock(mutex_);
    if (nvrtc_ == nullptr) nvrtc_ = std::make_unique<const Nvrtc>(driver_version_, path_);
    return *nvrtc_;
  }

 private:
  int driver_version_;
  std::string path_;
  std::mutex mutex_;
  std::unique_ptr<const Nvrtc> nvrtc_;
};

/// A GPU. Its context is made at the first use, so that listing devices takes neither time nor
/// memory on them.
class CudaDevice final : public DriverDevice, public std::enable_shared_from_this<CudaDevice> {
 public:
  /// @throws RuntimeError if the driver does not describe the device.
  CudaDevice(std::shared_ptr<const DriverLibrary> driver, std::shared_ptr<Compiler> compiler,
             int ordinal)
      : driver_(std::move(driver)), compiler_(std::move(compiler)) {
    check(driver_->api, driver_->api.device_get(&index_, ordinal), "cuDeviceGet");
    read_properties();
  }

  const DeviceProperties& properties() const noexcept override { return properties_; }
  std::unique_ptr<Queue> make_queue(bool timing) override {
    return make_cuda_queue(context(), timing);
  }
  std::shared_ptr<Buffer> allocate(std::size_t bytes) override {
    return std::make_shared<CudaBuffer>(context(), bytes);
  }
  std::shared_ptr<Module> build(const std::string& source,
                                std::span<const std::string> definitions) override {
    const Nvrtc& nvrtc = compiler_->get();
    const std::string target = nvrtc.target(capability_major_, capability_minor_);
    const std::string text = concat(kernel_source("prelude.cuda"), source);
    return std::make_shared<CudaModule>(context(), nvrtc.compile(text, target, definitions));
  }
  std::shared_ptr<Module> load(std::span<const std::byte> binary) override {
    return std::make_shared<CudaModule>(context(),
                                        std::vector<std::byte>(binary.begin(), binary.end()));
  }
  /// Returns this device for a count of 1, else throws: CUDA has no sub-devices.
  std::vector<std::shared_ptr<DriverDevice>> split(std::size_t count) override {
    if (count != 1) {
      throw IndivisibleDevice({.offending = concat(count, " parts of ", properties_.name),
                               .limit = "1: CUDA does not divide a GPU into sub-devices",
                               .remedy = "use several queues of the device"});
    }
    return {shared_from_this()};
  }

 private:
  void read_properties() {
    const DriverApi& api = driver_->api;
    std::array<char, 256> name{};
    check(api, api.device_get_name(name.data(), static_cast<int>(name.size() - 1), index_),
          "cuDeviceGetName");
    std::size_t memory = 0;
    check(api, api.device_total_mem(&memory, index_), "cuDeviceTotalMem");

    properties_.name = name.data();
    properties_.vendor = "NVIDIA";
    properties_.driver_version =
        concat("CUDA ", driver_->version / 1000, ".", driver_->version % 1000 / 10);
    properties_.api = Api::cuda;
    properties_.memory_bytes = memory;
    properties_.largest_allocation_bytes = memory;
    properties_.local_memory_bytes = static_cast<std::size_t>(attribute(kMaxSharedMemoryPerBlock));
    properties_.largest_group = static_cast<std::size_t>(attribute(kMaxThreadsPerBlock));
    properties_.compute_units = static_cast<std::size_t>(attribute(kMultiprocessorCount));
    properties_.sub_group_sizes = {static_cast<std::size_t>(attribute(kWarpSize))};
    capability_major_ = static_cast<unsigned>(attribute(kComputeCapabilityMajor));
    capability_minor_ = static_cast<unsigned>(attribute(kComputeCapabilityMinor));
  }
  int attribute(DeviceAttribute which) const {
    int value = 0;
    check(driver_->api, driver_->api.device_get_attribute(&value, which, index_),
          "cuDeviceGetAttribute");
    return value;
  }
  std::shared_ptr<const Context> context() {
    const std::lock_guard lock(mutex_);
    if (context_ == nullptr) context_ = std::make_shared<const Context>(driver_, index_);
    return context_;
  }

  std::shared_ptr<const DriverLibrary> driver_;
  std::shared_ptr<Compiler> compiler_;
  DeviceIndex index_ = 0;
  DeviceProperties properties_;
  unsigned capability_major_ = 0;
  unsigned capability_minor_ = 0;
  std::mutex mutex_;
  std::shared_ptr<const Context> context_;
};

class CudaDriver final : public Driver {
 public:
  CudaDriver(std::shared_ptr<const DriverLibrary> driver, const std::string& nvrtc_path)
      : driver_(std::move(driver)),
        compiler_(std::make_shared<Compiler>(driver_->version, nvrtc_path)) {}

  Api api() const noexcept override { return Api::cuda; }

  std::vector<std::shared_ptr<DriverDevice>> devices() override {
    int count = 0;
    check(driver_->api, driver_->api.device_get_count(&count), "cuDeviceGetCount");
    std::vector<std::shared_ptr<DriverDevice>> devices;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      devices.push_back(std::make_shared<CudaDevice>(driver_, compiler_, ordinal));
    }
    return devices;
  }

 private:
  std::shared_ptr<const DriverLibrary> driver_;
  std::shared_ptr<Compiler> compiler_;
};

}  // namespace
}  // namespace cuda

std::shared_ptr<Driver> load_cuda(std::string& reason, const std::string& path,
                                  const std::string& nvrtc_path) {
  std::shared_ptr<const cuda::DriverLibrary> driver = cuda::open_driver(path, reason);
  if (driver == nullptr) return nullptr;
  return std::make_shared<cuda::CudaDriver>(std::move(driver), nvrtc_path);
}

}  // namespace ringlet::gpu
