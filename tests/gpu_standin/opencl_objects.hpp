// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/opencl_api.hpp"
#include "gpu_standin/engine.hpp"
#include "gpu_standin/export.hpp"
#include "gpu_standin/objects.hpp"

// What the handles of the stand-in of libOpenCL stand for.

namespace standin {

/// Bytes of a buffer: of the object, and of the commands that use it.
struct BufferData {
  explicit BufferData(std::size_t bytes);
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size;
};

}  // namespace standin

namespace ringlet::gpu::cl {

struct PlatformObject {};
struct DeviceObject {
  std::int64_t compute_units = 0;
  bool is_part = false;
};
struct ContextObject {
  std::vector<Device> devices;
};
struct QueueObject {
  standin::Stream stream;
  bool timing = false;
};
struct MemoryObject {
  std::shared_ptr<standin::BufferData> data;
};
struct ProgramObject {
  std::size_t device_count = 0;
  std::string text;
  std::string log;
  bool is_built = false;
  std::map<std::string, std::vector<standin::Parameter>> kernels;
};
struct KernelObject {
  struct Value {
    bool is_set = false;
    std::uint64_t word = 0;
    std::shared_ptr<standin::BufferData> buffer;
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
constexpr cl::Int kInvalidGroupSize = -54;
constexpr cl::Int kInvalidEvent = -58;
constexpr cl::Int kNoProfiling = -7;

/// All that the stand-in of libOpenCL has.
struct OpenclState {
  cl::PlatformObject platform;
  std::map<std::int64_t, cl::DeviceObject> devices;
  Objects<cl::DeviceObject> parts{"device"};
  Objects<cl::ContextObject> contexts{"context"};
  Objects<cl::QueueObject> queues{"queue"};
  Objects<cl::MemoryObject> buffers{"memory"};
  Objects<cl::ProgramObject> programs{"program"};
  Objects<cl::KernelObject> kernels{"kernel"};
  Objects<cl::EventObject> events{"event"};

  static OpenclState& instance();
  void clear();
  std::uint64_t memory_in_use() const;
};

template <typename Body>
cl::Int call(const Engine::Entry& entry, const Body& body) {
  return static_cast<cl::Int>(
      Engine::instance().call(entry, [&]() -> std::int64_t { return body(); }));
}

/// A call that returns what it makes, and its error by `code`.
template <typename Object, typename Body>
Object* make(const char* entry, cl::Int* code, const Body& body) {
  Object* made = nullptr;
  const cl::Int result = call({entry}, [&] { return body(made); });
  if (code != nullptr) *code = result;
  return result == cl::kSuccess ? made : nullptr;
}

/// `code`, and a note that an object was used which is not there.
cl::Int not_there(const char* entry, cl::Int code);

/// A call that releases an object of `all`.
template <typename Object>
cl::Int release(const char* entry, Objects<Object>& all, Object* object, cl::Int code) {
  return call({entry, true},
              [&] { return all.release(object) ? cl::kSuccess : not_there(entry, code); });
}

/// Hands out `size` bytes as the queries of OpenCL do.
cl::Int answer(const void* value, std::size_t size, std::size_t room, void* target,
               std::size_t* size_out);
template <typename T>
cl::Int answer_value(const T& value, std::size_t room, void* target, std::size_t* size_out) {
  return answer(&value, sizeof value, room, target, size_out);
}

}  // namespace standin
