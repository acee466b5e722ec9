// SPDX-License-Identifier: Apache-2.0
// A stand-in of libcuda: devices, contexts, memory. Streams, events and modules are in
// cuda_work.cpp.
#include <string>

#include "gpu_standin/cuda_calls.hpp"

namespace cuda = ringlet::gpu::cuda;
using cuda::ContextHandle;
using cuda::DeviceAttribute;
using cuda::DeviceIndex;
using cuda::DevicePointer;
using cuda::Result;
using standin::call;
using standin::call_in_context;
using standin::CudaState;
using standin::Engine;

namespace {

/// A call about a device.
template <typename Body>
Result on_device(const standin::Engine::Entry& entry, DeviceIndex device, const Body& body) {
  return call(entry, [&]() -> Result {
    if (device < 0 || device >= Engine::instance().option("devices")) return cuda::kInvalidDevice;
    return body();
  });
}

std::int64_t device_attribute(DeviceAttribute attribute) {
  const Engine& engine = Engine::instance();
  switch (attribute) {
    case cuda::kMaxThreadsPerBlock:
      return engine.option("largest_group");
    case cuda::kMaxSharedMemoryPerBlock:
      return engine.option("local_memory_bytes");
    case cuda::kWarpSize:
      return 32;
    case cuda::kMultiprocessorCount:
      return engine.option("compute_units");
    case cuda::kComputeCapabilityMajor:
      return engine.option("capability_major");
    case cuda::kComputeCapabilityMinor:
      return engine.option("capability_minor");
  }
  return -1;
}

}  // namespace

STANDIN_EXPORT Result cuInit(unsigned flags) {
  return standin::call_unchecked({"cuInit"}, [&]() -> Result {
    if (flags != 0) return cuda::kInvalidValue;
    if (Engine::instance().option("devices") == 0) return cuda::kNoDevice;
    CudaState::instance().started = true;
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuDriverGetVersion(int* version) {
  return standin::call_unchecked({"cuDriverGetVersion"}, [&] {
    *version = static_cast<int>(Engine::instance().option("driver_version"));
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuGetErrorName(Result error, const char** name) {
  return standin::call_unchecked({"cuGetErrorName"}, [&]() -> Result {
    *name = standin::cuda_error_name(error);
    return *name != nullptr ? cuda::kSuccess : cuda::kInvalidValue;
  });
}

STANDIN_EXPORT Result cuGetErrorString(Result error, const char** text) {
  return standin::call_unchecked({"cuGetErrorString"}, [&]() -> Result {
    *text = standin::cuda_error_name(error) != nullptr ? "as the stand-in was told" : nullptr;
    return *text != nullptr ? cuda::kSuccess : cuda::kInvalidValue;
  });
}

STANDIN_EXPORT Result cuDeviceGetCount(int* count) {
  return call({"cuDeviceGetCount"}, [&] {
    *count = static_cast<int>(Engine::instance().option("devices"));
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuDeviceGet(DeviceIndex* device, int ordinal) {
  return on_device({"cuDeviceGet"}, ordinal, [&] {
    *device = ordinal;
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuDeviceGetName(char* name, int length, DeviceIndex device) {
  return on_device({"cuDeviceGetName"}, device, [&] {
    const std::string text = "Stand-in " + std::to_string(device);
    const auto count = std::min(text.size(), static_cast<std::size_t>(length) - 1);
    std::memcpy(name, text.data(), count);
    name[count] = '\0';
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuDeviceTotalMem_v2(std::size_t* bytes, DeviceIndex device) {
  return on_device({"cuDeviceTotalMem_v2"}, device, [&] {
    *bytes = static_cast<std::size_t>(Engine::instance().option("memory_bytes"));
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuDeviceGetAttribute(int* value, DeviceAttribute attribute,
                                           DeviceIndex device) {
  return on_device({"cuDeviceGetAttribute"}, device, [&]() -> Result {
    *value = static_cast<int>(device_attribute(attribute));
    return *value >= 0 ? cuda::kSuccess : cuda::kInvalidValue;
  });
}

STANDIN_EXPORT Result cuDevicePrimaryCtxRetain(ContextHandle* context, DeviceIndex device) {
  return on_device({"cuDevicePrimaryCtxRetain"}, device, [&] {
    CudaState& state = CudaState::instance();
    ++state.retained[device];
    Engine::instance().count("context", 1);
    state.contexts[device].device = device;
    *context = &state.contexts[device];
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuDevicePrimaryCtxRelease_v2(DeviceIndex device) {
  return on_device({"cuDevicePrimaryCtxRelease_v2", true}, device, [&]() -> Result {
    CudaState& state = CudaState::instance();
    if (state.retained[device] == 0) {
      Engine::instance().violation("a context is released more often than retained");
      return cuda::kInvalidContext;
    }
    --state.retained[device];
    Engine::instance().count("context", -1);
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuCtxPushCurrent_v2(ContextHandle context) {
  return call({"cuCtxPushCurrent_v2"}, [&]() -> Result {
    CudaState& state = CudaState::instance();
    if (context == nullptr || state.retained[context->device] == 0) {
      Engine::instance().violation("a context is used that is not retained");
      return cuda::kInvalidContext;
    }
    state.current[std::this_thread::get_id()].push_back(context);
    Engine::instance().count("current", 1);
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuCtxPopCurrent_v2(ContextHandle* context) {
  return call({"cuCtxPopCurrent_v2", true}, [&]() -> Result {
    auto& stack = CudaState::instance().current[std::this_thread::get_id()];
    if (stack.empty()) {
      Engine::instance().violation("cuCtxPopCurrent without a context");
      return cuda::kInvalidContext;
    }
    *context = stack.back();
    stack.pop_back();
    Engine::instance().count("current", -1);
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuCtxSynchronize() {
  return call_in_context({"cuCtxSynchronize"}, [&] {
    Engine::instance().note_wait();
    CudaState::instance().streams.for_each(
        [](cuda::StreamObject& stream) { Engine::instance().run_all(stream.stream); });
    return standin::sticky_error();
  });
}

STANDIN_EXPORT Result cuMemAlloc_v2(DevicePointer* address, std::size_t bytes) {
  return call_in_context({"cuMemAlloc_v2"}, [&]() -> Result {
    auto& memory = CudaState::instance().memory;
    if (bytes == 0) return cuda::kInvalidValue;
    const auto limit = static_cast<std::uint64_t>(Engine::instance().option("memory_bytes"));
    if (bytes > limit - std::min(limit, memory.total())) return cuda::kOutOfMemory;
    *address = reinterpret_cast<DevicePointer>(memory.allocate(bytes, false));
    return cuda::kSuccess;
  });
}

// Unlike CUDA's, this one waits for nobody, so that work which needs the memory shows.
STANDIN_EXPORT Result cuMemFree_v2(DevicePointer address) {
  return call_in_context({"cuMemFree_v2", true}, [&]() -> Result {
    if (CudaState::instance().memory.release(reinterpret_cast<std::byte*>(address))) {
      return cuda::kSuccess;
    }
    Engine::instance().violation("cuMemFree of what is not allocated");
    return cuda::kInvalidValue;
  });
}

STANDIN_EXPORT Result cuMemHostAlloc(void** address, std::size_t bytes, unsigned /*flags*/) {
  return call_in_context({"cuMemHostAlloc"}, [&]() -> Result {
    if (bytes == 0) return cuda::kInvalidValue;
    *address = CudaState::instance().host_memory.allocate(bytes, true);
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuMemFreeHost(void* address) {
  return call_in_context({"cuMemFreeHost", true}, [&]() -> Result {
    if (CudaState::instance().host_memory.release(static_cast<std::byte*>(address))) {
      return cuda::kSuccess;
    }
    Engine::instance().violation("cuMemFreeHost of what is not allocated");
    return cuda::kInvalidValue;
  });
}
