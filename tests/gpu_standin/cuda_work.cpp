// SPDX-License-Identifier: Apache-2.0
// A stand-in of libcuda: streams, events, copies, modules and launches.
#include <array>
#include <cstring>
#include <string>

#include "gpu_standin/cuda_calls.hpp"
#include "gpu_standin/image.hpp"

namespace cuda = ringlet::gpu::cuda;
using cuda::DevicePointer;
using cuda::EventHandle;
using cuda::FunctionHandle;
using cuda::ModuleHandle;
using cuda::Result;
using cuda::StreamHandle;
using standin::call_in_context;
using standin::CudaState;
using standin::Engine;

namespace {

std::byte* bytes_at(DevicePointer address) { return reinterpret_cast<std::byte*>(address); }

bool on_device(DevicePointer address, std::size_t bytes) {
  return CudaState::instance().memory.holds(bytes_at(address), bytes);
}

/// Work that touches memory which is not there.
std::int64_t illegal_address(const std::string& what) {
  Engine::instance().violation(what + " of memory that is not there");
  return cuda::kIllegalAddress;
}

Result invalid_handle(const char* entry) {
  Engine::instance().violation(std::string(entry) + " of an object that is not there");
  return cuda::kInvalidHandle;
}

/// Submits a command, which is not carried out any more once work has failed.
std::shared_ptr<standin::Mark> enqueue(StreamHandle stream, std::function<std::int64_t()> run) {
  return Engine::instance().submit(stream->stream, [run = std::move(run)]() -> std::int64_t {
    return standin::sticky_error() != 0 ? standin::sticky_error() : run();
  });
}

/// A call that submits `run` to a stream.
template <typename Run>
Result submit(const char* entry, StreamHandle stream, std::size_t bytes, Run run) {
  return call_in_context({entry}, [&]() -> Result {
    if (!CudaState::instance().streams.has(stream)) return invalid_handle(entry);
    Engine::instance().note_bytes(bytes);
    enqueue(stream, std::move(run));
    return cuda::kSuccess;
  });
}

/// Machine code runs on its own major version, from its minor version on; PTX runs on all.
bool runs_here(unsigned generation) {
  const Engine& engine = Engine::instance();
  return generation == 0 || (generation / 10 == engine.option("capability_major") &&
                             generation % 10 <= engine.option("capability_minor"));
}

template <typename Body>
Result on_event(const standin::Engine::Entry& entry, EventHandle event, const Body& body) {
  return call_in_context(entry, [&]() -> Result {
    if (!CudaState::instance().events.has(event)) return invalid_handle(entry.name);
    return body();
  });
}

}  // namespace

STANDIN_EXPORT Result cuMemcpyHtoDAsync_v2(DevicePointer target, const void* source,
                                           std::size_t bytes, StreamHandle stream) {
  const auto* from = static_cast<const std::byte*>(source);
  return submit("cuMemcpyHtoDAsync_v2", stream, bytes, [=]() -> std::int64_t {
    if (!CudaState::instance().host_memory.holds(from, bytes)) {
      return illegal_address("cuMemcpyHtoDAsync from page-locked memory, but");
    }
    if (!on_device(target, bytes)) return illegal_address("cuMemcpyHtoDAsync");
    std::memcpy(bytes_at(target), from, bytes);
    return 0;
  });
}

STANDIN_EXPORT Result cuMemcpyDtoHAsync_v2(void* target, DevicePointer source, std::size_t bytes,
                                           StreamHandle stream) {
  return submit("cuMemcpyDtoHAsync_v2", stream, bytes, [=]() -> std::int64_t {
    if (!on_device(source, bytes)) return illegal_address("cuMemcpyDtoHAsync");
    std::memcpy(target, bytes_at(source), bytes);
    return 0;
  });
}

STANDIN_EXPORT Result cuMemcpyDtoDAsync_v2(DevicePointer target, DevicePointer source,
                                           std::size_t bytes, StreamHandle stream) {
  return submit("cuMemcpyDtoDAsync_v2", stream, bytes, [=]() -> std::int64_t {
    if (!on_device(source, bytes) || !on_device(target, bytes)) {
      return illegal_address("cuMemcpyDtoDAsync");
    }
    std::memcpy(bytes_at(target), bytes_at(source), bytes);
    return 0;
  });
}

STANDIN_EXPORT Result cuMemsetD32Async(DevicePointer target, unsigned value, std::size_t count,
                                       StreamHandle stream) {
  const std::size_t bytes = count * sizeof value;
  return submit("cuMemsetD32Async", stream, bytes, [=]() -> std::int64_t {
    if (!on_device(target, bytes)) return illegal_address("cuMemsetD32Async");
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(bytes_at(target) + i * sizeof value, &value, sizeof value);
    }
    return 0;
  });
}

STANDIN_EXPORT Result cuStreamCreate(StreamHandle* stream, unsigned flags) {
  return call_in_context({"cuStreamCreate"}, [&]() -> Result {
    if (flags > cuda::kStreamNonBlocking) return cuda::kInvalidValue;
    *stream = CudaState::instance().streams.make();
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuStreamDestroy_v2(StreamHandle stream) {
  return call_in_context({"cuStreamDestroy_v2", true}, [&]() -> Result {
    if (!CudaState::instance().streams.has(stream)) return invalid_handle("cuStreamDestroy");
    // CUDA lets the work go on; here its memory may be gone before anybody asks.
    Engine::instance().run_all(stream->stream);
    CudaState::instance().streams.release(stream);
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuStreamSynchronize(StreamHandle stream) {
  return call_in_context({"cuStreamSynchronize"}, [&]() -> Result {
    if (!CudaState::instance().streams.has(stream)) return invalid_handle("cuStreamSynchronize");
    Engine::instance().note_wait();
    Engine::instance().run_all(stream->stream);
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuStreamWaitEvent(StreamHandle stream, EventHandle event,
                                        unsigned /*flags*/) {
  return on_event({"cuStreamWaitEvent"}, event, [&]() -> Result {
    if (!CudaState::instance().streams.has(stream)) return invalid_handle("cuStreamWaitEvent");
    enqueue(stream, [mark = event->mark]() -> std::int64_t {
      if (mark != nullptr) Engine::instance().run_until(*mark);
      return 0;
    });
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuEventCreate(EventHandle* event, unsigned flags) {
  return call_in_context({"cuEventCreate"}, [&]() -> Result {
    *event = CudaState::instance().events.make();
    (*event)->flags = flags;
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuEventDestroy_v2(EventHandle event) {
  return on_event({"cuEventDestroy_v2", true}, event, [&] {
    CudaState::instance().events.release(event);
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuEventRecord(EventHandle event, StreamHandle stream) {
  return on_event({"cuEventRecord"}, event, [&]() -> Result {
    if (!CudaState::instance().streams.has(stream)) return invalid_handle("cuEventRecord");
    event->mark = enqueue(stream, [] { return std::int64_t{0}; });
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuEventQuery(EventHandle event) {
  return on_event({"cuEventQuery"}, event, [&]() -> Result {
    if (event->mark == nullptr || event->mark->done) return cuda::kSuccess;
    event->mark->stream->flushed = event->mark->stream->submitted;  // CUDA keeps nothing back
    Engine::instance().go_on(*event->mark->stream);
    return cuda::kNotReady;
  });
}

STANDIN_EXPORT Result cuEventSynchronize(EventHandle event) {
  return on_event({"cuEventSynchronize"}, event, [&]() -> Result {
    Engine::instance().note_wait();
    if (event->mark != nullptr) Engine::instance().run_until(*event->mark);
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuEventElapsedTime(float* milliseconds, EventHandle start, EventHandle end) {
  return on_event({"cuEventElapsedTime"}, end, [&]() -> Result {
    if (!CudaState::instance().events.has(start)) return invalid_handle("cuEventElapsedTime");
    if (((start->flags | end->flags) & cuda::kEventDisableTiming) != 0) return cuda::kInvalidHandle;
    if (start->mark == nullptr || end->mark == nullptr) return cuda::kInvalidHandle;
    if (!start->mark->done || !end->mark->done) return cuda::kNotReady;
    *milliseconds = static_cast<float>(static_cast<double>(end->mark->nanoseconds) -
                                       static_cast<double>(start->mark->nanoseconds)) *
                    1e-6f;
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuModuleLoadData(ModuleHandle* module, const void* image) {
  return call_in_context({"cuModuleLoadData"}, [&]() -> Result {
    const auto program = standin::read_image(image);
    if (!program) return cuda::kInvalidImage;
    if (!runs_here(program->generation)) return cuda::kNoBinaryForGpu;
    *module = CudaState::instance().modules.make();
    (*module)->kernels = standin::find_kernels(program->text);
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuModuleUnload(ModuleHandle module) {
  return call_in_context({"cuModuleUnload", true}, [&]() -> Result {
    if (CudaState::instance().modules.release(module)) return cuda::kSuccess;
    return invalid_handle("cuModuleUnload");
  });
}

STANDIN_EXPORT Result cuModuleGetFunction(FunctionHandle* function, ModuleHandle module,
                                          const char* name) {
  return call_in_context({"cuModuleGetFunction"}, [&]() -> Result {
    if (!CudaState::instance().modules.has(module)) return invalid_handle("cuModuleGetFunction");
    Engine::instance().note_detail(name);
    const auto kernel = module->kernels.find(name);
    if (kernel == module->kernels.end()) return cuda::kNotFound;
    auto& object = module->functions[name];
    if (object == nullptr) {
      object = std::make_unique<cuda::FunctionObject>(
          cuda::FunctionObject{kernel->first, kernel->second});
    }
    *function = object.get();
    return cuda::kSuccess;
  });
}

namespace {

/// Whether the function is one of a module that is loaded.
bool is_loaded(FunctionHandle function) {
  bool found = false;
  CudaState::instance().modules.for_each([&](const cuda::ModuleObject& module) {
    for (const auto& [name, object] : module.functions) found = found || object.get() == function;
  });
  return found;
}

struct Launch {
  FunctionHandle function;
  std::string name;
  std::array<std::uint64_t, 3> groups;
  std::uint64_t group_size;
  std::vector<std::uint64_t> words;
  std::vector<standin::Parameter> parameters;

  std::int64_t run() const {
    if (!is_loaded(function)) return illegal_address("a launch of " + name + ", its code");
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (parameters[i] == standin::Parameter::buffer && !on_device(words[i], 1)) {
        return illegal_address("a launch of " + name);
      }
    }
    const standin_launch launch{
        name.c_str(), {groups[0], groups[1], groups[2]}, group_size, words.size(), words.data()};
    Engine::instance().run_kernel(launch);
    return 0;
  }
};

}  // namespace

STANDIN_EXPORT Result cuFuncGetAttribute(int* value, cuda::FunctionAttribute attribute,
                                         FunctionHandle function) {
  return call_in_context({"cuFuncGetAttribute"}, [&]() -> Result {
    if (!is_loaded(function)) return invalid_handle("cuFuncGetAttribute");
    if (attribute != cuda::kFunctionMaxThreadsPerBlock) return cuda::kInvalidValue;
    *value = static_cast<int>(Engine::instance().option("largest_group"));
    return cuda::kSuccess;
  });
}

STANDIN_EXPORT Result cuLaunchKernel(FunctionHandle function, unsigned grid_x, unsigned grid_y,
                                     unsigned grid_z, unsigned block_x, unsigned block_y,
                                     unsigned block_z, unsigned /*shared_bytes*/,
                                     StreamHandle stream, void** parameters, void** /*extra*/) {
  return call_in_context({"cuLaunchKernel"}, [&]() -> Result {
    if (!is_loaded(function)) return invalid_handle("cuLaunchKernel");
    if (!CudaState::instance().streams.has(stream)) return invalid_handle("cuLaunchKernel");
    Engine::instance().note_detail(function->name);
    constexpr unsigned kMostGroups = 0xffff;
    const auto largest = static_cast<unsigned>(Engine::instance().option("largest_group"));
    if (grid_x == 0 || grid_y == 0 || grid_z == 0 || grid_y > kMostGroups || grid_z > kMostGroups ||
        block_x == 0 || block_x > largest || block_y != 1 || block_z != 1) {
      return cuda::kInvalidValue;
    }
    Launch launch{function, function->name,      {grid_x, grid_y, grid_z}, block_x,
                  {},       function->parameters};
    for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, parameters[i], sizeof word);
      launch.words.push_back(word);
    }
    enqueue(stream, [launch] { return launch.run(); });
    return cuda::kSuccess;
  });
}
