// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/context.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/gpu/device.hpp"

namespace ringlet::gpu {

OpenclContext::OpenclContext(std::shared_ptr<const cl::Api> api, cl::Device device,
                             DeviceProperties properties)
    : api_(std::move(api)), device_(device), properties_(std::move(properties)) {}

// PoCL 3.1 still reads a part of a device after the host has waited for all work there and released
// everything: a worker drops its own reference to the last event a little later. So parts of the
// processor stay until the process ends.
OpenclContext::~OpenclContext() {
  if (!properties_.is_host_processor) return;
  for (cl::DeviceHandle& part : parts_) part.detach();
}

cl::Context OpenclContext::get() {
  const std::lock_guard lock(mutex_);
  if (context_.get() == nullptr) {
    const std::vector<cl::Device> all = all_devices();
    cl::Int code = cl::kSuccess;
    const cl::Context context = api_->create_context(nullptr, static_cast<cl::Uint>(all.size()),
                                                     all.data(), nullptr, nullptr, &code);
    cl::check(code, "clCreateContext", device_name());
    context_ = cl::ContextHandle(api_, context);
  }
  return context_.get();
}

std::vector<cl::Device> OpenclContext::devices() const {
  const std::lock_guard lock(mutex_);
  return all_devices();
}

std::vector<cl::Device> OpenclContext::all_devices() const {
  std::vector<cl::Device> all(1 + parts_.size(), device_);
  std::transform(parts_.begin(), parts_.end(), all.begin() + 1,
                 [](const cl::DeviceHandle& part) { return part.get(); });
  return all;
}

std::vector<cl::Device> OpenclContext::split(std::size_t count) {
  const std::lock_guard lock(mutex_);
  if (count == 0) refuse_split(count);
  if (parts_.size() != count) {
    if (!parts_.empty() || context_.get() != nullptr) {
      throw_logic_error({.offending = concat(count, " parts of ", device_name()),
                         .limit = "a device that is not in use",
                         .remedy = "split a device before its first buffer, queue and module"});
    }
    parts_ = create_parts(count);
  }
  std::vector<cl::Device> parts = all_devices();
  parts.erase(parts.begin());
  return parts;
}

std::vector<cl::DeviceHandle> OpenclContext::create_parts(std::size_t count) const {
  // Tiles and NUMA nodes first: they have memory of their own nearby.
  const std::size_t units = compute_unit_count(*api_, device_) / count;
  const std::array<std::array<cl::Property, 3>, 2> ways{
      {{cl::kPartitionByAffinityDomain,
        static_cast<cl::Property>(cl::kAffinityDomainNextPartitionable), 0},
       {cl::kPartitionEqually, static_cast<cl::Property>(units), 0}}};
  for (const auto& way : ways) {
    if (units == 0) break;
    cl::Uint made = 0;
    // The library returns an error for a way that the device does not know or that gives no parts.
    if (api_->create_sub_devices(device_, way.data(), 0, nullptr, &made) != cl::kSuccess) continue;
    if (made < count || (made != count && way[0] == cl::kPartitionByAffinityDomain)) continue;
    std::vector<cl::Device> devices(made);
    cl::check(api_->create_sub_devices(device_, way.data(), made, devices.data(), nullptr),
              "clCreateSubDevices", concat(count, " parts of ", device_name()));
    std::vector<cl::DeviceHandle> parts;
    parts.reserve(made);
    for (cl::Device device : devices) parts.emplace_back(api_, device);
    // Compute units that are left over stay idle, so that all parts are of one size.
    parts.resize(count);
    return parts;
  }
  refuse_split(count);
}

void OpenclContext::refuse_split(std::size_t count) const {
  throw IndivisibleDevice({.offending = concat(count, " parts of ", device_name()),
                           .limit = "what the device divides into",
                           .remedy = "use one queue, or as many as the device has tiles"});
}

void throw_foreign_object() {
  throw_logic_error({.offending = "an object that is not of OpenCL",
                     .limit = "buffers, kernels and events of one device",
                     .remedy = "report this as a defect"});
}

OpenclBuffer::OpenclBuffer(std::shared_ptr<OpenclContext> context, std::size_t bytes)
    : context_(std::move(context)), byte_count_(bytes) {
  cl::Int code = cl::kSuccess;
  const cl::Memory memory =
      context_->api()->create_buffer(context_->get(), cl::kMemReadWrite, bytes, nullptr, &code);
  if (code == cl::kInvalidBufferSize && bytes != 0) {
    throw OutOfDeviceMemory(
        {.offending = concat("clCreateBuffer: ", cl::error_text(code), ", ", bytes, " bytes on ",
                             context_->device_name()),
         .limit = concat(context_->properties().largest_allocation_bytes, " bytes in one buffer"),
         .remedy = "use smaller batches"});
  }
  if (code != cl::kSuccess) {
    cl::throw_error(code, "clCreateBuffer", concat(bytes, " bytes on ", context_->device_name()));
  }
  memory_ = cl::MemoryHandle(context_->api(), memory);
}

}  // namespace ringlet::gpu
