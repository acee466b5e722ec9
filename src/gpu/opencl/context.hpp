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

/// Makes the driver of a library that is loaded already; load_opencl also loads it.
std::shared_ptr<Driver> make_opencl_driver(std::shared_ptr<const cl::Api> api);

/// Returns the properties of an OpenCL device.
DeviceProperties query_properties(const cl::Api& api, cl::Device device);
bool is_gpu(const cl::Api& api, cl::Device device);
/// Whether a device can run Ringlet's kernels: available, OpenCL 1.2, little-endian, a compiler.
bool is_usable(const cl::Api& api, cl::Device device);
/// Returns 10 * major + minor of the OpenCL version of a device.
unsigned opencl_version(const cl::Api& api, cl::Device device);
std::size_t compute_unit_count(const cl::Api& api, cl::Device device);

/// The OpenCL context that a device and its parts share, so that buffers and programs of one are
/// those of the others. OpenCL fixes the devices of a context when it is made. So it is made at the
/// first use of the device, and the device is split before. Thread-safe.
class OpenclContext {
 public:
  OpenclContext(std::shared_ptr<const cl::Api> api, cl::Device device, DeviceProperties properties);
  ~OpenclContext();
  OpenclContext(const OpenclContext&) = delete;
  OpenclContext& operator=(const OpenclContext&) = delete;

  const std::shared_ptr<const cl::Api>& api() const noexcept { return api_; }
  /// Returns the properties of the device as a whole.
  const DeviceProperties& properties() const noexcept { return properties_; }
  const std::string& device_name() const noexcept { return properties_.name; }

  /// @throws RuntimeError, OutOfDeviceMemory.
  cl::Context get();
  /// Returns the device, then its parts.
  std::vector<cl::Device> devices() const;
  /// Returns the first `count` parts of equal size; a second call with this count returns the same.
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

/// Returns a driver's object as that of OpenCL. @throws LogicError if it is of another API.
template <typename Opencl, typename Object>
const Opencl& as_opencl(const Object& object) {
  const auto* const opencl = dynamic_cast<const Opencl*>(&object);
  if (opencl == nullptr) throw_foreign_object();
  return *opencl;
}

}  // namespace ringlet::gpu
