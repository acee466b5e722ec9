// SPDX-License-Identifier: Apache-2.0
// A stand-in of libcuda.
#include <thread>

#include "gpu/cuda/api.hpp"
#include "gpu_standin/engine.hpp"
#include "gpu_standin/error_codes.hpp"
#include "gpu_standin/image.hpp"

using namespace standin;             // NOLINT(google-build-using-namespace): one library,
using namespace ringlet::gpu::cuda;  // NOLINT(google-build-using-namespace): one subject

namespace ringlet::gpu::cuda {

struct ContextObject {
  int device = 0;
};
struct StreamObject : Stream {};
struct EventObject {
  unsigned flags = 0;
  std::shared_ptr<Mark> mark;  ///< Null until the event is recorded.
};
struct FunctionObject {
  std::string name;
  std::vector<Parameter> parameters;
};
struct ModuleObject {
  Kernels kernels;
  std::map<std::string, FunctionObject> functions;
};

}  // namespace ringlet::gpu::cuda

namespace {

/// Blocks of memory, by address.
class Blocks {
 public:
  Blocks(std::string kind, std::byte fill) : kind_(std::move(kind)), fill_(fill) {
    engine().on_reset([this] { blocks_.clear(); });
  }
  std::byte* allocate(std::size_t bytes) {
    std::vector<std::byte> block(bytes, fill_);
    std::byte* const address = block.data();
    blocks_[address] = std::move(block);
    engine().count(kind_, 1);
    return address;
  }
  /// Releases a block, and notes its bytes that are not zero.
  Result release(const std::byte* address) {
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) {
      return engine().violation("release of what is not allocated", kInvalidValue);
    }
    engine().note_nonzero(found->second);
    engine().count(kind_, -1);
    blocks_.erase(found);
    return kSuccess;
  }
  /// Whether all of [address, address + bytes) is in one block.
  bool holds(const std::byte* address, std::size_t bytes) const {
    auto next = blocks_.upper_bound(address);
    if (next == blocks_.begin()) return false;
    const auto& [begin, block] = *--next;
    const auto offset = static_cast<std::size_t>(address - begin);
    return offset <= block.size() && bytes <= block.size() - offset;
  }
  std::size_t total() const {
    std::size_t bytes = 0;
    for (const auto& [address, block] : blocks_) bytes += block.size();
    return bytes;
  }

 private:
  std::string kind_;
  std::byte fill_;
  std::map<const std::byte*, std::vector<std::byte>> blocks_;
};

struct State {
  bool is_started = false;
  std::map<int, int> retained;  ///< Holders of each device's context.
  std::map<int, ContextObject> contexts;
  std::map<std::thread::id, std::vector<ContextHandle>> current;

  State() {
    engine().on_reset([this] {
      is_started = false;
      retained.clear();
      contexts.clear();
      current.clear();
    });
  }
} state;
Objects<StreamObject> streams("stream");
Objects<EventObject> events("event");
Objects<ModuleObject> modules("module");
Blocks memory("memory", std::byte{0xa5});
Blocks host_memory("host_memory", std::byte{0});

/// Returns the error of work that failed: from then on CUDA answers every call with it.
Result sticky_error() { return engine().work_error(); }

template <typename T, typename Value>
Result give(T* target, Value value) {
  *target = static_cast<T>(value);
  return kSuccess;
}

/// Answers a call that needs cuInit.
template <typename Body>
Result once_started(const Entry& entry, const Body& body) {
  return engine().call(entry, [&] {
    if (state.is_started) return body();
    return engine().violation("before cuInit", kNotInitialized);
  });
}

template <typename Body>
Result on_device(const Entry& entry, DeviceIndex device, const Body& body) {
  return once_started(
      entry, [&] { return device >= 0 && device < option("devices") ? body() : kInvalidDevice; });
}

/// Answers a call that needs a current context too, and fails once work in the context has failed.
template <typename Body>
Result in_context(const Entry& entry, const Body& body) {
  return once_started(entry, [&] {
    if (state.current[std::this_thread::get_id()].empty()) {
      return engine().violation("without a current context", kInvalidContext);
    }
    if (sticky_error() != 0 && !entry.releases) return sticky_error();
    const Result result = body();
    return result == kSuccess ? sticky_error() : result;
  });
}

Result not_there() { return engine().violation("an object that is not there", kInvalidHandle); }

/// Answers a call about an object.
template <typename Object, typename Body>
Result on(const Entry& entry, const Objects<Object>& all, Object* object, const Body& body) {
  return in_context(entry, [&] { return all.has(object) ? body() : not_there(); });
}

template <typename Object>
Result destroy(const Entry& entry, Objects<Object>& all, Object* object) {
  return on({entry.name, kReleases}, all, object, [&] {
    all.release(object);
    return kSuccess;
  });
}

std::byte* bytes_at(DevicePointer address) { return reinterpret_cast<std::byte*>(address); }
bool holds(DevicePointer address, std::size_t bytes) {
  return memory.holds(bytes_at(address), bytes);
}

/// Submits a command, which does nothing once work has failed.
template <typename Command>
std::shared_ptr<Mark> enqueue(StreamHandle stream, const Command& command) {
  return engine().submit(*stream,
                         [command] { return sticky_error() != 0 ? sticky_error() : command(); });
}

/// Submits work, and notes a violation if its memory is gone when the work is carried out.
template <typename IsThere, typename Work>
Result submit(StreamHandle stream, const IsThere& is_there, const Work& work) {
  enqueue(stream, [is_there, work] {
    if (!is_there()) return engine().violation("work on memory that is gone", kIllegalAddress);
    work();
    return kSuccess;
  });
  return kSuccess;
}

/// Machine code runs on its own major version, from its minor version on; PTX runs on all.
bool runs_here(unsigned generation) {
  return generation == 0 || (generation / 10 == option("capability_major") &&
                             generation % 10 <= option("capability_minor"));
}

/// Whether the function is one of a module that is loaded.
bool is_loaded(FunctionHandle function) {
  bool found = false;
  modules.for_each([&](const ModuleObject& module) {
    for (const auto& [name, object] : module.functions) found = found || &object == function;
  });
  return found;
}

}  // namespace

STANDIN_EXPORT Result cuInit(unsigned flags) {
  return engine().call({__func__}, [&] {
    if (flags != 0) return kInvalidValue;
    if (option("devices") == 0) return kNoDevice;
    state.is_started = true;
    return kSuccess;
  });
}

STANDIN_EXPORT Result cuDriverGetVersion(int* version) {
  return engine().call({__func__}, [&] { return give(version, option("driver_version")); });
}

STANDIN_EXPORT Result cuGetErrorName(Result error, const char** name) {
  static std::map<Result, std::string> names;
  return engine().call({__func__}, [&] {
    const auto& codes = ringlet::test::kCudaErrors;
    if (std::ranges::find(codes, error) == codes.end()) return kInvalidValue;
    return give(name, (names[error] = ringlet::test::cuda_error_name(error)).c_str());
  });
}

STANDIN_EXPORT Result cuGetErrorString(Result /*error*/, const char** text) {
  return engine().call({__func__}, [&] { return give(text, "as the stand-in was told"); });
}

STANDIN_EXPORT Result cuDeviceGetCount(int* count) {
  return once_started({__func__}, [&] { return give(count, option("devices")); });
}

STANDIN_EXPORT Result cuDeviceGet(DeviceIndex* device, int ordinal) {
  return on_device({__func__}, ordinal, [&] { return give(device, ordinal); });
}

STANDIN_EXPORT Result cuDeviceGetName(char* name, int length, DeviceIndex device) {
  return on_device({__func__}, device, [&] {
    std::snprintf(name, static_cast<std::size_t>(length), "Stand-in %d", device);
    return kSuccess;
  });
}

STANDIN_EXPORT Result cuDeviceTotalMem_v2(std::size_t* bytes, DeviceIndex device) {
  return on_device({__func__}, device, [&] { return give(bytes, option("memory_bytes")); });
}

STANDIN_EXPORT Result cuDeviceGetAttribute(int* value, DeviceAttribute attribute,
                                           DeviceIndex device) {
  static const std::map<DeviceAttribute, const char*> options{
      {kMaxThreadsPerBlock, "largest_group"},
      {kMaxSharedMemoryPerBlock, "local_memory_bytes"},
      {kWarpSize, "warp_size"},
      {kMultiprocessorCount, "compute_units"},
      {kComputeCapabilityMajor, "capability_major"},
      {kComputeCapabilityMinor, "capability_minor"}};
  return on_device({__func__}, device, [&] { return give(value, option(options.at(attribute))); });
}

STANDIN_EXPORT Result cuDevicePrimaryCtxRetain(ContextHandle* context, DeviceIndex device) {
  return on_device({__func__}, device, [&] {
    ++state.retained[device];
    engine().count("context", 1);
    state.contexts[device].device = device;
    return give(context, &state.contexts[device]);
  });
}

STANDIN_EXPORT Result cuDevicePrimaryCtxRelease_v2(DeviceIndex device) {
  return on_device({__func__, kReleases}, device, [&] {
    if (state.retained[device] == 0) {
      return engine().violation("a context is released more often than retained", kInvalidContext);
    }
    --state.retained[device];
    engine().count("context", -1);
    return kSuccess;
  });
}

STANDIN_EXPORT Result cuCtxPushCurrent_v2(ContextHandle context) {
  return once_started({__func__}, [&] {
    if (context == nullptr || state.retained[context->device] == 0) {
      return engine().violation("a context is used that is not retained", kInvalidContext);
    }
    state.current[std::this_thread::get_id()].push_back(context);
    engine().count("current", 1);
    return kSuccess;
  });
}

STANDIN_EXPORT Result cuCtxPopCurrent_v2(ContextHandle* context) {
  return once_started({__func__, kReleases}, [&] {
    auto& stack = state.current[std::this_thread::get_id()];
    if (stack.empty()) return engine().violation("cuCtxPopCurrent of none", kInvalidContext);
    *context = stack.back();
    stack.pop_back();
    engine().count("current", -1);
    return kSuccess;
  });
}

STANDIN_EXPORT Result cuCtxSynchronize() {
  return in_context({__func__}, [&] {
    engine().note_wait();
    streams.for_each([](StreamObject& stream) { engine().run_all(stream); });
    return sticky_error();
  });
}

STANDIN_EXPORT Result cuMemAlloc_v2(DevicePointer* address, std::size_t bytes) {
  return in_context({__func__}, [&] {
    if (bytes == 0) return kInvalidValue;
    const auto limit = static_cast<std::size_t>(option("memory_bytes"));
    if (bytes > limit - std::min(limit, memory.total())) return kOutOfMemory;
    return give(address, reinterpret_cast<DevicePointer>(memory.allocate(bytes)));
  });
}

// CUDA's own waits for work; this one does not, so that work which still needs the memory shows.
STANDIN_EXPORT Result cuMemFree_v2(DevicePointer address) {
  return in_context({__func__, kReleases}, [&] { return memory.release(bytes_at(address)); });
}

STANDIN_EXPORT Result cuMemHostAlloc(void** address, std::size_t bytes, unsigned /*flags*/) {
  return in_context({__func__}, [&] {
    return bytes == 0 ? kInvalidValue : give(address, host_memory.allocate(bytes));
  });
}

STANDIN_EXPORT Result cuMemFreeHost(void* address) {
  return in_context({__func__, kReleases},
                    [&] { return host_memory.release(static_cast<std::byte*>(address)); });
}

STANDIN_EXPORT Result cuMemcpyHtoDAsync_v2(DevicePointer target, const void* source,
                                           std::size_t bytes, StreamHandle stream) {
  const auto* from = static_cast<const std::byte*>(source);
  const auto is_there = [=] { return host_memory.holds(from, bytes) && holds(target, bytes); };
  const auto copy = [=] { std::memcpy(bytes_at(target), from, bytes); };
  return on({__func__}, streams, stream, [&] { return submit(stream, is_there, copy); });
}

STANDIN_EXPORT Result cuMemcpyDtoHAsync_v2(void* target, DevicePointer source, std::size_t bytes,
                                           StreamHandle stream) {
  const auto is_there = [=] { return holds(source, bytes); };
  const auto copy = [=] { std::memcpy(target, bytes_at(source), bytes); };
  return on({__func__}, streams, stream, [&] { return submit(stream, is_there, copy); });
}

STANDIN_EXPORT Result cuMemcpyDtoDAsync_v2(DevicePointer target, DevicePointer source,
                                           std::size_t bytes, StreamHandle stream) {
  const auto is_there = [=] { return holds(source, bytes) && holds(target, bytes); };
  const auto copy = [=] { std::memcpy(bytes_at(target), bytes_at(source), bytes); };
  return on({__func__}, streams, stream, [&] { return submit(stream, is_there, copy); });
}

STANDIN_EXPORT Result cuMemsetD32Async(DevicePointer target, unsigned value, std::size_t count,
                                       StreamHandle stream) {
  const auto is_there = [=] { return holds(target, count * sizeof value); };
  const auto fill = [=] { std::fill_n(reinterpret_cast<unsigned*>(target), count, value); };
  return on({__func__}, streams, stream, [&] { return submit(stream, is_there, fill); });
}

STANDIN_EXPORT Result cuStreamCreate(StreamHandle* stream, unsigned flags) {
  return in_context({__func__}, [&] {
    return flags > kStreamNonBlocking ? kInvalidValue : give(stream, streams.make());
  });
}

STANDIN_EXPORT Result cuStreamDestroy_v2(StreamHandle stream) {
  return on({__func__, kReleases}, streams, stream, [&] {
    // CUDA lets the work go on; here its memory may be gone before a wait carries it out.
    engine().run_all(*stream);
    streams.release(stream);
    return kSuccess;
  });
}

STANDIN_EXPORT Result cuStreamSynchronize(StreamHandle stream) {
  return on({__func__}, streams, stream, [&] {
    engine().note_wait();
    engine().run_all(*stream);
    return kSuccess;
  });
}

STANDIN_EXPORT Result cuStreamWaitEvent(StreamHandle stream, EventHandle event,
                                        unsigned /*flags*/) {
  return on({__func__}, events, event, [&] {
    if (!streams.has(stream)) return not_there();
    enqueue(stream, [mark = event->mark] {
      if (mark != nullptr) engine().run_until(*mark);
      return kSuccess;
    });
    return kSuccess;
  });
}

STANDIN_EXPORT Result cuEventCreate(EventHandle* event, unsigned flags) {
  return in_context({__func__}, [&] { return give(event, events.make({flags, nullptr})); });
}

STANDIN_EXPORT Result cuEventDestroy_v2(EventHandle event) {
  return destroy({__func__}, events, event);
}

STANDIN_EXPORT Result cuEventRecord(EventHandle event, StreamHandle stream) {
  return on({__func__}, events, event, [&] {
    if (!streams.has(stream)) return not_there();
    event->mark = enqueue(stream, [] { return kSuccess; });
    return kSuccess;
  });
}

STANDIN_EXPORT Result cuEventQuery(EventHandle event) {
  return on({__func__}, events, event, [&] {
    if (event->mark == nullptr || event->mark->done) return kSuccess;
    event->mark->stream->flushed = event->mark->stream->submitted;  // CUDA keeps nothing back
    engine().go_on(*event->mark->stream);
    return kNotReady;
  });
}

STANDIN_EXPORT Result cuEventSynchronize(EventHandle event) {
  return on({__func__}, events, event, [&] {
    engine().note_wait();
    if (event->mark != nullptr) engine().run_until(*event->mark);
    return kSuccess;
  });
}

STANDIN_EXPORT Result cuEventElapsedTime(float* milliseconds, EventHandle start, EventHandle end) {
  return on({__func__}, events, end, [&] {
    if (!events.has(start)) return not_there();
    if (((start->flags | end->flags) & kEventDisableTiming) != 0 || start->mark == nullptr ||
        end->mark == nullptr) {
      return kInvalidHandle;
    }
    if (!start->mark->done || !end->mark->done) return kNotReady;
    return give(milliseconds, 1e-6 * (static_cast<double>(end->mark->nanoseconds) -
                                      static_cast<double>(start->mark->nanoseconds)));
  });
}

STANDIN_EXPORT Result cuModuleLoadData(ModuleHandle* module, const void* image) {
  return in_context({__func__}, [&] {
    const auto program = read_image(image);
    if (!program) return kInvalidImage;
    if (!runs_here(program->generation)) return kNoBinaryForGpu;
    return give(module, modules.make({find_kernels(program->text), {}}));
  });
}

STANDIN_EXPORT Result cuModuleUnload(ModuleHandle module) {
  return destroy({__func__}, modules, module);
}

STANDIN_EXPORT Result cuModuleGetFunction(FunctionHandle* function, ModuleHandle module,
                                          const char* name) {
  return on({__func__}, modules, module, [&] {
    const auto kernel = module->kernels.find(name);
    if (kernel == module->kernels.end()) return kNotFound;
    const auto [made, is_new] = module->functions.try_emplace(name, name, kernel->second);
    return give(function, &made->second);
  });
}

STANDIN_EXPORT Result cuFuncGetAttribute(int* value, FunctionAttribute attribute,
                                         FunctionHandle function) {
  return in_context({__func__}, [&] {
    if (!is_loaded(function)) return not_there();
    if (attribute != kFunctionMaxThreadsPerBlock) return kInvalidValue;
    return give(value, option("largest_group"));
  });
}

STANDIN_EXPORT Result cuLaunchKernel(FunctionHandle function, unsigned grid_x, unsigned grid_y,
                                     unsigned grid_z, unsigned block_x, unsigned block_y,
                                     unsigned block_z, unsigned /*shared_bytes*/,
                                     StreamHandle stream, void** parameters, void** /*extra*/) {
  return on({__func__}, streams, stream, [&] {
    if (!is_loaded(function)) return not_there();
    constexpr unsigned kMostGroups = 0xffff;
    if (grid_x == 0 || grid_y == 0 || grid_z == 0 || grid_y > kMostGroups || grid_z > kMostGroups ||
        block_x == 0 || block_x > option("largest_group") || block_y != 1 || block_z != 1) {
      return kInvalidValue;
    }
    Launch launch{function->name, {grid_x, grid_y, grid_z}, block_x, {}};
    std::vector<DevicePointer> buffers;
    for (std::size_t i = 0; i < function->parameters.size(); ++i) {
      std::memcpy(&launch.arguments.emplace_back(), parameters[i], sizeof(std::uint64_t));
      if (function->parameters[i] == Parameter::buffer) buffers.push_back(launch.arguments.back());
    }
    const auto is_there = [function, buffers] {
      return is_loaded(function) &&
             std::ranges::all_of(buffers, [](DevicePointer at) { return holds(at, 1); });
    };
    return submit(stream, is_there, [launch] { engine().run_kernel(launch); });
  });
}
