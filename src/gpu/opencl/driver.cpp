// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "gpu/opencl/context.hpp"
#include "gpu/opencl/program.hpp"
#include "gpu/opencl/queue.hpp"

namespace ringlet::gpu {
namespace {

class OpenclDevice final : public DriverDevice {
 public:
  OpenclDevice(const std::shared_ptr<const cl::Api>& api, cl::Device device)
      : device_(device),
        properties_(query_properties(*api, device)),
        context_(std::make_shared<OpenclContext>(api, device, properties_)) {}
  /// A part of `whole`.
  OpenclDevice(const OpenclDevice& whole, cl::Device part)
      : DriverDevice(whole),
        device_(part),
        properties_(query_properties(*whole.context_->api(), part)),
        context_(whole.context_),
        is_part_(true) {}

  const DeviceProperties& properties() const noexcept override { return properties_; }
  std::unique_ptr<Queue> make_queue(bool timing) override {
    return make_opencl_queue(context_, device_, timing);
  }

  std::shared_ptr<Buffer> allocate(std::size_t bytes) override {
    return std::make_shared<OpenclBuffer>(context_, bytes);
  }
  std::shared_ptr<Module> build(const std::string& source,
                                std::span<const std::string> definitions) override {
    return build_program(context_, source, definitions);
  }
  std::shared_ptr<Module> load(std::span<const std::byte> binary) override {
    return load_program(context_, binary);
  }
  std::vector<std::shared_ptr<DriverDevice>> split(std::size_t count) override {
    std::vector<cl::Device> parts{device_};
    if (count != 1) {
      if (is_part_) context_->refuse_split(count);
      parts = context_->split(count);
    }
    std::vector<std::shared_ptr<DriverDevice>> devices;
    devices.reserve(parts.size());
    for (cl::Device part : parts) devices.push_back(std::make_shared<OpenclDevice>(*this, part));
    return devices;
  }

 private:
  cl::Device device_;
  DeviceProperties properties_;
  std::shared_ptr<OpenclContext> context_;
  bool is_part_ = false;
};

class OpenclDriver final : public Driver {
 public:
  explicit OpenclDriver(std::shared_ptr<const cl::Api> api) : api_(std::move(api)) {}

  Api api() const noexcept override { return Api::opencl; }
  std::vector<std::shared_ptr<DriverDevice>> devices() override {
    cl::Uint count = 0;
    const cl::Int code = api_->get_platform_ids(0, nullptr, &count);
    if (code == cl::kPlatformNotFound || (code == cl::kSuccess && count == 0)) return {};
    cl::check(code, "clGetPlatformIDs");
    std::vector<cl::Platform> platforms(count);
    cl::check(api_->get_platform_ids(count, platforms.data(), nullptr), "clGetPlatformIDs");

    std::vector<std::shared_ptr<DriverDevice>> gpus;
    std::vector<std::shared_ptr<DriverDevice>> others;
    for (cl::Platform platform : platforms) {
      for (cl::Device device : devices_of(platform)) {
        (is_gpu(*api_, device) ? gpus : others)
            .push_back(std::make_shared<OpenclDevice>(api_, device));
      }
    }
    gpus.insert(gpus.end(), others.begin(), others.end());
    return gpus;
  }

 private:
  std::vector<cl::Device> devices_of(cl::Platform platform) const {
    cl::Uint count = 0;
    const cl::Int code = api_->get_device_ids(platform, cl::kDeviceTypeAll, 0, nullptr, &count);
    if (code == cl::kDeviceNotFound || (code == cl::kSuccess && count == 0)) return {};
    cl::check(code, "clGetDeviceIDs");
    std::vector<cl::Device> devices(count);
    cl::check(api_->get_device_ids(platform, cl::kDeviceTypeAll, count, devices.data(), nullptr),
              "clGetDeviceIDs");
    std::erase_if(devices, [&](cl::Device device) { return !is_usable(*api_, device); });
    return devices;
  }

  std::shared_ptr<const cl::Api> api_;
};

}  // namespace

std::shared_ptr<Driver> load_opencl(std::string& reason, const std::string& path) {
  auto api = cl::load_api(reason, path);
  if (api == nullptr) return nullptr;
  return make_opencl_driver(std::move(api));
}

std::shared_ptr<Driver> make_opencl_driver(std::shared_ptr<const cl::Api> api) {
  return std::make_shared<OpenclDriver>(std::move(api));
}

}  // namespace ringlet::gpu
