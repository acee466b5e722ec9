// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/opencl/api.hpp"
#include "gpu_standin/engine.hpp"

// The objects behind the handles of the stand-in of libOpenCL.

namespace ringlet::gpu::cl {

using Bytes = std::vector<std::byte>;

struct PlatformObject {};
struct DeviceObject {
  std::int64_t compute_units = 0;
  bool is_part = false;
};
struct ContextObject {
  std::vector<Device> devices;
};
struct QueueObject : standin::Stream {
  bool timing = false;
};
struct MemoryObject {
  std::shared_ptr<Bytes> bytes;  ///< Commands that use the buffer hold them too.
};
struct ProgramObject {
  std::size_t device_count = 0;
  std::string text;
  std::string log;
  bool is_built = false;
  standin::Kernels kernels;
};
struct KernelObject {
  struct Value {
    bool is_set = false;
    std::uint64_t word = 0;
    std::shared_ptr<Bytes> buffer;
  };
  std::string name;
  std::vector<standin::Parameter> parameters;
  std::vector<Value> values;
};
struct EventObject {
  std::shared_ptr<standin::Mark> mark;
  bool timing = false;
};

}  // namespace ringlet::gpu::cl

namespace standin {

namespace cl = ringlet::gpu::cl;

// Errors of OpenCL that the driver has no name for.
constexpr cl::Int kDependencyFailed = -14;
constexpr cl::Int kPartitionFailed = -18;
constexpr cl::Int kInvalidValue = -30;
constexpr cl::Int kInvalidPlatform = -32;
constexpr cl::Int kInvalidDevice = -33;
constexpr cl::Int kInvalidContext = -34;
constexpr cl::Int kInvalidQueue = -36;
constexpr cl::Int kInvalidMemObject = -38;
constexpr cl::Int kInvalidBinary = -42;
constexpr cl::Int kInvalidProgram = -44;
constexpr cl::Int kInvalidExecutable = -45;
constexpr cl::Int kInvalidKernelName = -46;
constexpr cl::Int kInvalidKernel = -48;
constexpr cl::Int kInvalidArgIndex = -49;
constexpr cl::Int kInvalidArgSize = -51;
constexpr cl::Int kInvalidKernelArgs = -52;
constexpr cl::Int kInvalidDimension = -53;
constexpr cl::Int kInvalidGroupSize = -54;
constexpr cl::Int kInvalidEvent = -58;
constexpr cl::Int kInvalidGlobalSize = -63;
constexpr cl::Int kNoProfiling = -7;

inline Objects<cl::DeviceObject> parts("device");
inline Objects<cl::ContextObject> contexts("context");
inline Objects<cl::QueueObject> queues("queue");
inline Objects<cl::MemoryObject> buffers("memory");
inline Objects<cl::ProgramObject> programs("program");
inline Objects<cl::KernelObject> kernels("kernel");
inline Objects<cl::EventObject> events("event");

/// Notes the use of an object that is not there, and returns `code`.
inline cl::Int not_there(cl::Int code) {
  return engine().violation("an object that is not there", code);
}

/// Answers a call about an object; with `code` if the object is not there.
template <typename Object, typename Body>
cl::Int on(const Entry& entry, const Objects<Object>& all, Object* object, cl::Int code,
           const Body& body) {
  return engine().call(entry, [&] { return all.has(object) ? body() : not_there(code); });
}

/// Answers a call about an object that makes and returns another one; its error goes to `code`.
template <typename Made, typename Object, typename Body>
Made* make(const Entry& entry, const Objects<Object>& all, Object* object, cl::Int missing,
           cl::Int* code, const Body& body) {
  Made* made = nullptr;
  const cl::Int result = on(entry, all, object, missing, [&] { return body(made); });
  if (code != nullptr) *code = result;
  return result == cl::kSuccess ? made : nullptr;
}

template <typename Object>
cl::Int release(const Entry& entry, Objects<Object>& all, Object* object, cl::Int code) {
  return on({entry.name, kReleases}, all, object, code, [&] {
    all.release(object);
    return cl::kSuccess;
  });
}

/// The place where a query wants its answer.
struct Answer {
  std::size_t room;
  void* target;
  std::size_t* size;

  cl::Int give(const void* value, std::size_t bytes) const {
    if (size != nullptr) *size = bytes;
    if (target == nullptr) return cl::kSuccess;
    if (room < bytes) return kInvalidValue;
    std::memcpy(target, value, bytes);
    return cl::kSuccess;
  }
  template <typename T>
  cl::Int give(const T& value) const {
    return give(&value, sizeof value);
  }
  cl::Int give(const std::string& text) const { return give(text.c_str(), text.size() + 1); }
};

}  // namespace standin
