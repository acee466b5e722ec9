// SPDX-License-Identifier: Apache-2.0
// A stand-in of libOpenCL: devices, contexts, buffers, programs and kernels. Queues and events are
// in opencl_work.cpp.
#include <algorithm>
#include <string>

#include "gpu_standin/opencl_objects.hpp"

using namespace standin;  // NOLINT(google-build-using-namespace): one library, one subject

namespace standin {

BufferData::BufferData(std::size_t count) : bytes(new std::byte[count]), size(count) {
  constexpr int kAnything = 0xa5;
  std::memset(bytes.get(), kAnything, count);
}

OpenclState& OpenclState::instance() {
  static OpenclState state;
  static const bool registered = [] {
    Engine::instance().on_reset([] { state.clear(); });
    return true;
  }();
  static_cast<void>(registered);
  return state;
}

void OpenclState::clear() {
  events.clear();
  kernels.clear();
  programs.clear();
  buffers.clear();
  queues.clear();
  contexts.clear();
  parts.clear();
  devices.clear();
}

std::uint64_t OpenclState::memory_in_use() const {
  std::uint64_t bytes = 0;
  buffers.for_each([&](const cl::MemoryObject& buffer) { bytes += buffer.data->size; });
  return bytes;
}

cl::Int not_there(const char* entry, cl::Int code) {
  Engine::instance().violation(std::string(entry) + " of an object that is not there");
  return code;
}

cl::Int answer(const void* value, std::size_t size, std::size_t room, void* target,
               std::size_t* size_out) {
  if (size_out != nullptr) *size_out = size;
  if (target == nullptr) return cl::kSuccess;
  if (room < size) return kInvalidValue;
  if (size != 0) std::memcpy(target, value, size);
  return cl::kSuccess;
}

}  // namespace standin

namespace {

constexpr std::string_view kBinaryMark = "ringlet stand-in\n";

OpenclState& state() { return OpenclState::instance(); }
std::int64_t option(const char* name) { return Engine::instance().option(name); }

cl::DeviceObject& whole_device(std::int64_t index) {
  cl::DeviceObject& device = state().devices[index];
  device.compute_units = option("compute_units");
  return device;
}

bool is_device(cl::Device device) {
  for (std::int64_t i = 0; i < option("devices"); ++i) {
    if (&whole_device(i) == device) return true;
  }
  return state().parts.has(device);
}

cl::Int device_info(const cl::DeviceObject& device, cl::Uint what, std::size_t room, void* target,
                    std::size_t* size) {
  const auto text = [&](const std::string& value) {
    return answer(value.c_str(), value.size() + 1, room, target, size);
  };
  const auto word = [&](std::int64_t value) {
    return answer_value(static_cast<std::uint64_t>(value), room, target, size);
  };
  const auto half = [&](std::int64_t value) {
    return answer_value(static_cast<cl::Uint>(value), room, target, size);
  };
  const bool divides = option("largest_partition") > 1 && !device.is_part;
  const bool has_sub_groups = option("sub_group_size") != 0;
  switch (what) {
    case cl::kDeviceType:
      return word(option("is_host_processor") != 0 ? cl::kDeviceTypeCpu : cl::kDeviceTypeGpu);
    case cl::kDeviceMaxComputeUnits:
      return half(device.compute_units);
    case cl::kDeviceMaxWorkGroupSize:
      return word(option("largest_group"));
    case cl::kDeviceMaxMemAllocSize:
    case cl::kDeviceGlobalMemSize:
      return word(option("memory_bytes"));
    case cl::kDeviceLocalMemSize:
      return word(option("local_memory_bytes"));
    case cl::kDeviceEndianLittle:
    case cl::kDeviceAvailable:
    case cl::kDeviceCompilerAvailable:
      return half(1);
    case cl::kDeviceName:
      return text("Stand-in");
    case cl::kDeviceVendor:
      return text("Ringlet");
    case cl::kDriverVersion:
      return text("1");
    case cl::kDeviceVersion:
      return text("OpenCL 3.0 stand-in");
    case cl::kDeviceExtensions:
      return text(has_sub_groups ? "cl_intel_required_subgroup_size" : "");
    case cl::kDeviceSubGroupSizesIntel:
      return word(option("sub_group_size"));
    case cl::kDevicePartitionMaxSubDevices:
      return half(divides ? option("largest_partition") : 0);
    case cl::kDevicePartitionProperties:
      return answer_value(divides ? cl::kPartitionEqually : cl::Property{0}, room, target, size);
    default:
      return kInvalidValue;
  }
}

std::string definitions_of(const std::string& options) {
  constexpr std::string_view kDefine = "-D ";
  std::string lines;
  for (std::size_t at = 0; (at = options.find(kDefine, at)) != std::string::npos;) {
    at += kDefine.size();
    std::string definition = options.substr(at, options.find(' ', at) - at);
    if (const std::size_t equals = definition.find('='); equals != std::string::npos) {
      definition[equals] = ' ';
    }
    lines += "#define " + definition + '\n';
  }
  return lines;
}

}  // namespace

STANDIN_EXPORT cl::Int clGetPlatformIDs(cl::Uint room, cl::Platform* platforms, cl::Uint* count) {
  return call({"clGetPlatformIDs"}, [&] {
    if (count != nullptr) *count = 1;
    if (platforms != nullptr && room != 0) *platforms = &state().platform;
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clGetDeviceIDs(cl::Platform platform, cl::Bitfield /*type*/, cl::Uint room,
                                      cl::Device* devices, cl::Uint* count) {
  return call({"clGetDeviceIDs"}, [&]() -> cl::Int {
    constexpr cl::Int kInvalidPlatform = -32;
    if (platform != &state().platform) return not_there("clGetDeviceIDs", kInvalidPlatform);
    const std::int64_t all = option("devices");
    if (count != nullptr) *count = static_cast<cl::Uint>(all);
    if (all == 0) return cl::kDeviceNotFound;
    for (std::int64_t i = 0; devices != nullptr && i < std::min<std::int64_t>(all, room); ++i) {
      devices[i] = &whole_device(i);
    }
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clGetDeviceInfo(cl::Device device, cl::Uint what, std::size_t room,
                                       void* target, std::size_t* size) {
  return call({"clGetDeviceInfo"}, [&] {
    if (!is_device(device)) return not_there("clGetDeviceInfo", kInvalidDevice);
    return device_info(*device, what, room, target, size);
  });
}

STANDIN_EXPORT cl::Int clCreateSubDevices(cl::Device device, const cl::Property* way, cl::Uint room,
                                          cl::Device* parts, cl::Uint* count) {
  return call({"clCreateSubDevices"}, [&]() -> cl::Int {
    if (!is_device(device)) return not_there("clCreateSubDevices", kInvalidDevice);
    if (way[0] != cl::kPartitionEqually || way[1] <= 0) return kInvalidValue;
    const auto made = device->compute_units / way[1];
    if (made == 0 || made > option("largest_partition")) return kPartitionFailed;
    if (count != nullptr) *count = static_cast<cl::Uint>(made);
    if (parts == nullptr) return cl::kSuccess;
    if (room < made) return kInvalidValue;
    for (std::int64_t i = 0; i < made; ++i) {
      parts[i] = state().parts.make();
      *parts[i] = {way[1], true};
    }
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clReleaseDevice(cl::Device device) {
  return release("clReleaseDevice", state().parts, device, kInvalidDevice);
}

STANDIN_EXPORT cl::Context clCreateContext(const cl::Property* /*properties*/, cl::Uint count,
                                           const cl::Device* devices, cl::ContextNotify* /*notify*/,
                                           void* /*data*/, cl::Int* code) {
  return make<cl::ContextObject>("clCreateContext", code, [&](cl::ContextObject*& made) -> cl::Int {
    if (!std::all_of(devices, devices + count, is_device)) {
      return not_there("clCreateContext", kInvalidDevice);
    }
    made = state().contexts.make();
    made->devices.assign(devices, devices + count);
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clReleaseContext(cl::Context context) {
  return release("clReleaseContext", state().contexts, context, kInvalidContext);
}

STANDIN_EXPORT cl::Memory clCreateBuffer(cl::Context context, cl::Bitfield /*flags*/,
                                         std::size_t bytes, void* /*host*/, cl::Int* code) {
  return make<cl::MemoryObject>("clCreateBuffer", code, [&](cl::MemoryObject*& made) -> cl::Int {
    if (!state().contexts.has(context)) return not_there("clCreateBuffer", kInvalidContext);
    if (bytes == 0) return cl::kInvalidBufferSize;
    const auto limit = static_cast<std::uint64_t>(option("memory_bytes"));
    if (bytes > limit - std::min(limit, state().memory_in_use())) {
      return cl::kMemoryObjectAllocationFailure;
    }
    made = state().buffers.make();
    made->data = std::make_shared<BufferData>(bytes);
    Engine::instance().note_bytes(bytes);
    return cl::kSuccess;
  });
}

// Commands that use the buffer keep what it holds.
STANDIN_EXPORT cl::Int clReleaseMemObject(cl::Memory buffer) {
  return call({"clReleaseMemObject", true}, [&]() -> cl::Int {
    if (!state().buffers.has(buffer)) return not_there("clReleaseMemObject", kInvalidMemObject);
    Engine::instance().note_bytes(buffer->data->size);
    // What is still to be done to it, a wipe for one, counts.
    state().queues.for_each(
        [](cl::QueueObject& queue) { Engine::instance().run_all(queue.stream); });
    Engine::instance().note_nonzero(buffer->data->bytes.get(), buffer->data->size);
    state().buffers.release(buffer);
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Program clCreateProgramWithSource(cl::Context context, cl::Uint count,
                                                     const char* const* texts,
                                                     const std::size_t* sizes, cl::Int* code) {
  return make<cl::ProgramObject>("clCreateProgramWithSource", code,
                                 [&](cl::ProgramObject*& made) -> cl::Int {
                                   if (!state().contexts.has(context)) {
                                     return not_there("clCreateProgramWithSource", kInvalidContext);
                                   }
                                   made = state().programs.make();
                                   made->device_count = context->devices.size();
                                   for (cl::Uint i = 0; i < count; ++i)
                                     made->text.append(texts[i], sizes[i]);
                                   return cl::kSuccess;
                                 });
}

STANDIN_EXPORT cl::Program clCreateProgramWithBinary(cl::Context context, cl::Uint count,
                                                     const cl::Device* /*devices*/,
                                                     const std::size_t* sizes,
                                                     const unsigned char* const* binaries,
                                                     cl::Int* status, cl::Int* code) {
  return make<cl::ProgramObject>(
      "clCreateProgramWithBinary", code, [&](cl::ProgramObject*& made) -> cl::Int {
        if (!state().contexts.has(context)) {
          return not_there("clCreateProgramWithBinary", kInvalidContext);
        }
        const std::string_view binary(reinterpret_cast<const char*>(binaries[0]), sizes[0]);
        const bool is_ours = binary.starts_with(kBinaryMark);
        std::fill(status, status + count, is_ours ? cl::kSuccess : kInvalidBinary);
        if (!is_ours) return kInvalidBinary;
        made = state().programs.make();
        made->device_count = count;
        made->text = binary.substr(kBinaryMark.size());
        return cl::kSuccess;
      });
}

STANDIN_EXPORT cl::Int clBuildProgram(cl::Program program, cl::Uint /*count*/,
                                      const cl::Device* /*devices*/, const char* options,
                                      cl::ProgramNotify* /*notify*/, void* /*data*/) {
  return call({"clBuildProgram"}, [&]() -> cl::Int {
    if (!state().programs.has(program)) return not_there("clBuildProgram", kInvalidProgram);
    program->log = std::string(options) + '\n';
    if (program->text.find("STANDIN_REFUSE") != std::string::npos) {
      program->log += "error: STANDIN_REFUSE\n";
      return cl::kBuildProgramFailure;
    }
    program->text = definitions_of(options) + program->text;
    program->kernels = find_kernels(program->text);
    program->is_built = true;
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clGetProgramInfo(cl::Program program, cl::Uint what, std::size_t room,
                                        void* target, std::size_t* size) {
  return call({"clGetProgramInfo"}, [&]() -> cl::Int {
    if (!state().programs.has(program)) return not_there("clGetProgramInfo", kInvalidProgram);
    const std::string binary = std::string(kBinaryMark) + program->text;
    const std::size_t count = program->device_count;
    if (what == cl::kProgramNumDevices) {
      return answer_value(static_cast<cl::Uint>(count), room, target, size);
    }
    if (what == cl::kProgramBinarySizes) {
      const std::vector<std::size_t> sizes(count, binary.size());
      return answer(sizes.data(), count * sizeof(std::size_t), room, target, size);
    }
    if (what != cl::kProgramBinaries || room < count * sizeof(char*)) return kInvalidValue;
    char** targets = static_cast<char**>(target);
    for (std::size_t i = 0; i < count; ++i) {
      if (targets[i] != nullptr) std::memcpy(targets[i], binary.data(), binary.size());
    }
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clGetProgramBuildInfo(cl::Program program, cl::Device /*device*/,
                                             cl::Uint what, std::size_t room, void* target,
                                             std::size_t* size) {
  return call({"clGetProgramBuildInfo"}, [&]() -> cl::Int {
    if (!state().programs.has(program)) return not_there("clGetProgramBuildInfo", kInvalidProgram);
    if (what != cl::kProgramBuildLog) return kInvalidValue;
    return answer(program->log.c_str(), program->log.size() + 1, room, target, size);
  });
}

STANDIN_EXPORT cl::Int clReleaseProgram(cl::Program program) {
  return release("clReleaseProgram", state().programs, program, kInvalidProgram);
}

STANDIN_EXPORT cl::Kernel clCreateKernel(cl::Program program, const char* name, cl::Int* code) {
  return make<cl::KernelObject>("clCreateKernel", code, [&](cl::KernelObject*& made) -> cl::Int {
    if (!state().programs.has(program)) return not_there("clCreateKernel", kInvalidProgram);
    if (!program->is_built) return kInvalidExecutable;
    const auto kernel = program->kernels.find(name);
    if (kernel == program->kernels.end()) return kInvalidKernelName;
    made = state().kernels.make();
    made->name = kernel->first;
    made->parameters = kernel->second;
    made->values.resize(kernel->second.size());
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clSetKernelArg(cl::Kernel kernel, cl::Uint index, std::size_t size,
                                      const void* value) {
  return call({"clSetKernelArg"}, [&]() -> cl::Int {
    if (!state().kernels.has(kernel)) return not_there("clSetKernelArg", kInvalidKernel);
    if (index >= kernel->parameters.size()) return kInvalidArgIndex;
    if (size != sizeof(std::uint64_t)) return kInvalidArgSize;
    cl::KernelObject::Value& target = kernel->values[index];
    target = {true, 0, nullptr};
    if (kernel->parameters[index] == Parameter::word) {
      std::memcpy(&target.word, value, size);
      return cl::kSuccess;
    }
    cl::Memory buffer = nullptr;
    std::memcpy(&buffer, value, size);
    if (!state().buffers.has(buffer)) return not_there("clSetKernelArg", kInvalidMemObject);
    target.buffer = buffer->data;
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clGetKernelInfo(cl::Kernel kernel, cl::Uint what, std::size_t room,
                                       void* target, std::size_t* size) {
  return call({"clGetKernelInfo"}, [&]() -> cl::Int {
    if (!state().kernels.has(kernel)) return not_there("clGetKernelInfo", kInvalidKernel);
    if (what != cl::kKernelNumArgs) return kInvalidValue;
    return answer_value(static_cast<cl::Uint>(kernel->parameters.size()), room, target, size);
  });
}

STANDIN_EXPORT cl::Int clGetKernelWorkGroupInfo(cl::Kernel kernel, cl::Device device, cl::Uint what,
                                                std::size_t room, void* target, std::size_t* size) {
  return call({"clGetKernelWorkGroupInfo"}, [&]() -> cl::Int {
    if (!state().kernels.has(kernel)) return not_there("clGetKernelWorkGroupInfo", kInvalidKernel);
    if (!is_device(device)) return not_there("clGetKernelWorkGroupInfo", kInvalidDevice);
    if (what != cl::kKernelWorkGroupSize) return kInvalidValue;
    return answer_value(static_cast<std::size_t>(option("largest_group")), room, target, size);
  });
}

STANDIN_EXPORT cl::Int clReleaseKernel(cl::Kernel kernel) {
  return release("clReleaseKernel", state().kernels, kernel, kInvalidKernel);
}
