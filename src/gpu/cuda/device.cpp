// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/device.hpp"

#include <array>
#include <utility>

#include "base/text.hpp"
#include "gpu/cuda/memory.hpp"
#include "gpu/cuda/module.hpp"
#include "gpu/cuda/queue.hpp"
#include "gpu/programs/kernel_sources.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::gpu {
namespace cuda {

Compiler::Compiler(int driver_version, std::string path)
    : driver_version_(driver_version), path_(std::move(path)) {}

const Nvrtc& Compiler::get() {
  const std::lock_guard lock(mutex_);
  if (nvrtc_ == nullptr) nvrtc_ = std::make_unique<const Nvrtc>(driver_version_, path_);
  return *nvrtc_;
}

CudaDevice::CudaDevice(std::shared_ptr<const DriverLibrary> driver,
                       std::shared_ptr<Compiler> compiler, int ordinal)
    : driver_(std::move(driver)), compiler_(std::move(compiler)) {
  check(driver_->api, driver_->api.device_get(&index_, ordinal), "cuDeviceGet");
  read_properties();
}

int CudaDevice::attribute(DeviceAttribute which) const {
  int value = 0;
  check(driver_->api, driver_->api.device_get_attribute(&value, which, index_),
        "cuDeviceGetAttribute");
  return value;
}

void CudaDevice::read_properties() {
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

std::shared_ptr<const Context> CudaDevice::context() {
  const std::lock_guard lock(mutex_);
  if (context_ == nullptr) context_ = std::make_shared<const Context>(driver_, index_);
  return context_;
}

std::unique_ptr<Queue> CudaDevice::make_queue(bool timing) {
  return std::make_unique<CudaQueue>(context(), timing);
}

std::shared_ptr<Buffer> CudaDevice::allocate(std::size_t bytes) {
  return std::make_shared<CudaBuffer>(context(), bytes);
}

std::shared_ptr<Module> CudaDevice::build(const std::string& source,
                                          std::span<const std::string> definitions) {
  const Nvrtc& nvrtc = compiler_->get();
  const std::string target = nvrtc.target(capability_major_, capability_minor_);
  const std::string text = concat(kernel_source("prelude.cuda"), source);
  return std::make_shared<CudaModule>(context(), nvrtc.compile(text, target, definitions));
}

std::shared_ptr<Module> CudaDevice::load(std::span<const std::byte> binary) {
  return std::make_shared<CudaModule>(context(),
                                      std::vector<std::byte>(binary.begin(), binary.end()));
}

std::vector<std::shared_ptr<DriverDevice>> CudaDevice::split(std::size_t count) {
  if (count != 1) {
    throw IndivisibleDevice({.offending = concat(count, " parts of ", properties_.name),
                             .limit = "1: CUDA does not divide a GPU into sub-devices",
                             .remedy = "use several queues of the device"});
  }
  return {shared_from_this()};
}

namespace {

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
