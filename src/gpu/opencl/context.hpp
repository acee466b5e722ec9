// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/driver.hpp"
#include "gpu/opencl/api.hpp"

namespace ringlet::gpu {

/// Drives the devices of a library; load_opencl with one that is loaded.
std::shared_ptr<Driver> make_opencl_driver(std::shared_ptr<const cl::Api> api);

/// What is known of an OpenCL device.
DeviceProperties query_properties(const cl::Api& api, cl::Device device);
bool is_gpu(const cl::Api& api, cl::Device device);
/// Whether it can run Ringlet's kernels: there, OpenCL 1.2, little-endian, with a compiler.
bool is_usable(const cl::Api& api, cl::Device device);
/// 10 * major + minor of the OpenCL version of a device.
unsigned opencl_version(const cl::Api& api, cl::Device device);
/// Number of compute units.
std::size_t compute_unit_count(const cl::Api& api, cl::Device device);

/// What a device and its parts share: one OpenCL context over all of them, so that buffers and
/// programs of one are those of the others. A context has its devices from the start, hence it is
/// made when the device is first used, and the device is split before. Thread-safe.
class OpenclContext {
 public:
  OpenclContext(std::shared_ptr<const cl::Api> api, cl::Device device, DeviceProperties properties);
  ~OpenclContext();
  OpenclContext(const OpenclContext&) = delete;
  OpenclContext& operator=(const OpenclContext&) = delete;

  const std::shared_ptr<const cl::Api>& api() const noexcept { return api_; }
  /// Of the device as a whole.
  const DeviceProperties& properties() const noexcept { return properties_; }
  const std::string& device_name() const noexcept { return properties_.name; }

  /// @throws RuntimeError, OutOfDeviceMemory.
  cl::Context get();
  /// The device, then its parts.
  std::vector<cl::Device> devices() const;
  /// The first `count` parts of equal size. Another split of the same count gives the same ones.
  /// @throws RuntimeError if the device does not divide so; LogicError if it is in use already, or
  ///         split otherwise.
  std::vector<cl::Device> split(std::size_t count);
  /// @throws RuntimeError, as split does of a device that does not divide so.
  [[noreturn]] void refuse_split(std::size_t count) const;

 private:
  std::vector<cl::Device> all_devices() const;
  std::vector<cl::DeviceHandle> create_parts(std::size_t count) const;

  std::shared_ptr<const cl::Api> api_;
  cl::Device device_;
  DeviceProperties properties_;
  mutable std::mutex mutex_;
  std::vector<cl::DeviceHandle> parts_;
  cl::ContextHandle context_;
};

class OpenclBuffer final : public Buffer {
 public:
  /// @throws OutOfDeviceMemory, RuntimeError.
  OpenclBuffer(std::shared_ptr<OpenclContext> context, std::size_t bytes);

  std::size_t byte_count() const noexcept override { return byte_count_; }
  cl::Memory get() const noexcept { return memory_.get(); }

 private:
  std::shared_ptr<OpenclContext> context_;
  std::size_t byte_count_;
  cl::MemoryHandle memory_;
};

/// @throws LogicError: an object of another API, a defect.
[[noreturn]] void throw_foreign_object();

/// The object of OpenCL that a driver's object is. @throws LogicError if it is of another API.
template <typename Opencl, typename Object>
const Opencl& as_opencl(const Object& object) {
  const auto* const opencl = dynamic_cast<const Opencl*>(&object);
  if (opencl == nullptr) throw_foreign_object();
  return *opencl;
}

}  // namespace ringlet::gpu
