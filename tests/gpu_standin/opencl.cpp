// SPDX-License-Identifier: Apache-2.0
// A stand-in of libOpenCL: devices, contexts, buffers, programs and kernels. Queues and events are
// in opencl_work.cpp.
#include "gpu_standin/opencl_objects.hpp"

using namespace standin;  // NOLINT(google-build-using-namespace): one library, one subject

namespace {

constexpr std::string_view kBinaryMark = "ringlet stand-in\n";

cl::PlatformObject platform;
std::map<std::int64_t, cl::DeviceObject> devices;

cl::Device whole_device(std::int64_t index) {
  devices[index].compute_units = option("compute_units");
  return &devices[index];
}

bool is_device(cl::Device device) {
  for (std::int64_t i = 0; i < option("devices"); ++i) {
    if (whole_device(i) == device) return true;
  }
  return parts.has(device);
}

template <typename Body>
cl::Int on_device(const Entry& entry, cl::Device device, const Body& body) {
  return engine().call(entry,
                       [&] { return is_device(device) ? body() : not_there(kInvalidDevice); });
}

cl::Int device_info(const cl::DeviceObject& device, cl::Uint what, const Answer& answer) {
  static const std::map<cl::Uint, const char*> options{
      {cl::kDeviceMaxWorkGroupSize, "largest_group"},
      {cl::kDeviceMaxMemAllocSize, "memory_bytes"},
      {cl::kDeviceGlobalMemSize, "memory_bytes"},
      {cl::kDeviceLocalMemSize, "local_memory_bytes"},
      {cl::kDeviceSubGroupSizesIntel, "sub_group_size"}};
  static const std::map<cl::Uint, std::string> texts{
      {cl::kDeviceName, "Stand-in"},
      {cl::kDeviceVendor, "Ringlet"},
      {cl::kDriverVersion, "1"},
      {cl::kDeviceVersion, "OpenCL 3.0 stand-in"},
      {cl::kDeviceExtensions, "cl_intel_required_subgroup_size cl_intel_device_attribute_query"}};
  if (options.contains(what)) return answer.give(option(options.at(what)));
  if (texts.contains(what)) return answer.give(texts.at(what));
  const auto half = [&](std::int64_t value) { return answer.give(static_cast<cl::Uint>(value)); };
  const bool divides = option("largest_partition") > 1 && !device.is_part;
  switch (what) {
    case cl::kDeviceType:
      return answer.give(cl::kDeviceTypeGpu);
    case cl::kDeviceMaxComputeUnits:
      return half(device.compute_units);
    case cl::kDeviceIpVersionIntel:
      return half(option("ip_version"));
    case cl::kDeviceEndianLittle:
    case cl::kDeviceAvailable:
    case cl::kDeviceCompilerAvailable:
      return half(1);
    case cl::kDevicePartitionMaxSubDevices:
      return half(divides ? option("largest_partition") : 0);
    case cl::kDevicePartitionProperties:
      return answer.give(divides ? cl::kPartitionEqually : cl::Property{0});
    default:
      return kInvalidValue;
  }
}

}  // namespace

STANDIN_EXPORT cl::Int clGetPlatformIDs(cl::Uint room, cl::Platform* platforms, cl::Uint* count) {
  return engine().call({__func__}, [&] {
    if (count != nullptr) *count = 1;
    if (platforms != nullptr && room != 0) *platforms = &platform;
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clGetDeviceIDs(cl::Platform which, cl::Bitfield /*type*/, cl::Uint room,
                                      cl::Device* found, cl::Uint* count) {
  return engine().call({__func__}, [&] {
    if (which != &platform) return not_there(kInvalidPlatform);
    const std::int64_t all = option("devices");
    if (count != nullptr) *count = static_cast<cl::Uint>(all);
    if (all == 0) return cl::kDeviceNotFound;
    for (std::int64_t i = 0; found != nullptr && i < std::min<std::int64_t>(all, room); ++i) {
      found[i] = whole_device(i);
    }
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clGetDeviceInfo(cl::Device device, cl::Uint what, std::size_t room,
                                       void* target, std::size_t* size) {
  return on_device({__func__}, device,
                   [&] { return device_info(*device, what, {room, target, size}); });
}

STANDIN_EXPORT cl::Int clCreateSubDevices(cl::Device device, const cl::Property* way, cl::Uint room,
                                          cl::Device* made, cl::Uint* count) {
  return on_device({__func__}, device, [&] {
    if (way[0] != cl::kPartitionEqually || way[1] <= 0) return kInvalidValue;
    const auto part_count = device->compute_units / way[1];
    if (part_count == 0 || part_count > option("largest_partition")) return kPartitionFailed;
    if (count != nullptr) *count = static_cast<cl::Uint>(part_count);
    if (made == nullptr) return cl::kSuccess;
    if (room < part_count) return kInvalidValue;
    for (std::int64_t i = 0; i < part_count; ++i) made[i] = parts.make({way[1], true});
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clReleaseDevice(cl::Device device) {
  return release({__func__}, parts, device, kInvalidDevice);
}

STANDIN_EXPORT cl::Context clCreateContext(const cl::Property* /*properties*/, cl::Uint count,
                                           const cl::Device* all, cl::ContextNotify* /*notify*/,
                                           void* /*data*/, cl::Int* code) {
  cl::Context made = nullptr;
  *code = engine().call({__func__}, [&] {
    if (!std::all_of(all, all + count, is_device)) return not_there(kInvalidDevice);
    made = contexts.make({{all, all + count}});
    return cl::kSuccess;
  });
  return made;
}

STANDIN_EXPORT cl::Int clReleaseContext(cl::Context context) {
  return release({__func__}, contexts, context, kInvalidContext);
}

STANDIN_EXPORT cl::Memory clCreateBuffer(cl::Context context, cl::Bitfield /*flags*/,
                                         std::size_t bytes, void* /*host*/, cl::Int* code) {
  return make<cl::MemoryObject>(
      {__func__}, contexts, context, kInvalidContext, code, [&](cl::Memory& made) {
        if (bytes == 0) return cl::kInvalidBufferSize;
        std::size_t free = static_cast<std::size_t>(option("memory_bytes"));
        buffers.for_each([&](const cl::MemoryObject& buffer) { free -= buffer.bytes->size(); });
        if (bytes > free) return cl::kMemoryObjectAllocationFailure;
        made = buffers.make({std::make_shared<cl::Bytes>(bytes, std::byte{0xa5})});
        return cl::kSuccess;
      });
}

STANDIN_EXPORT cl::Int clReleaseMemObject(cl::Memory buffer) {
  return release({__func__}, buffers, buffer, kInvalidMemObject);
}

STANDIN_EXPORT cl::Program clCreateProgramWithSource(cl::Context context, cl::Uint count,
                                                     const char* const* texts,
                                                     const std::size_t* sizes, cl::Int* code) {
  return make<cl::ProgramObject>({__func__}, contexts, context, kInvalidContext, code,
                                 [&](cl::Program& made) {
                                   made = programs.make();
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
      {__func__}, contexts, context, kInvalidContext, code, [&](cl::Program& made) {
        const std::string binary(reinterpret_cast<const char*>(binaries[0]), sizes[0]);
        const bool is_ours = binary.starts_with(kBinaryMark);
        std::fill_n(status, count, is_ours ? cl::kSuccess : kInvalidBinary);
        if (!is_ours) return kInvalidBinary;
        made = programs.make();
        made->device_count = count;
        made->text = binary.substr(kBinaryMark.size());
        return cl::kSuccess;
      });
}

STANDIN_EXPORT cl::Int clBuildProgram(cl::Program program, cl::Uint /*count*/,
                                      const cl::Device* /*devices*/, const char* options,
                                      cl::ProgramNotify* /*notify*/, void* /*data*/) {
  return on({__func__}, programs, program, kInvalidProgram, [&] {
    program->log = std::string(options) + '\n';
    if (program->text.find("STANDIN_REFUSE") != std::string::npos) {
      program->log += "program:2:1: error: STANDIN_REFUSE\n";
      return cl::kBuildProgramFailure;
    }
    constexpr std::string_view kDefine = "-D ";
    const std::string_view all(options);
    for (std::size_t at = 0; (at = all.find(kDefine, at)) != std::string_view::npos;) {
      at += kDefine.size();
      program->text.insert(0, define(std::string(all.substr(at, all.find(' ', at) - at))));
    }
    program->kernels = find_kernels(program->text);
    program->is_built = true;
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clGetProgramInfo(cl::Program program, cl::Uint what, std::size_t room,
                                        void* target, std::size_t* size) {
  return on({__func__}, programs, program, kInvalidProgram, [&] {
    const Answer answer{room, target, size};
    const std::string binary = std::string(kBinaryMark) + program->text;
    const std::size_t count = program->device_count;
    if (what == cl::kProgramNumDevices) return answer.give(static_cast<cl::Uint>(count));
    if (what == cl::kProgramBinarySizes) {
      const std::vector<std::size_t> sizes(count, binary.size());
      return answer.give(sizes.data(), count * sizeof(std::size_t));
    }
    if (what != cl::kProgramBinaries || room < count * sizeof(char*)) return kInvalidValue;
    for (char* const binary_target : std::span(static_cast<char**>(target), count)) {
      if (binary_target != nullptr) std::ranges::copy(binary, binary_target);
    }
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clGetProgramBuildInfo(cl::Program program, cl::Device /*device*/,
                                             cl::Uint what, std::size_t room, void* target,
                                             std::size_t* size) {
  return on({__func__}, programs, program, kInvalidProgram, [&] {
    if (what != cl::kProgramBuildLog) return kInvalidValue;
    return Answer{room, target, size}.give(program->log);
  });
}

STANDIN_EXPORT cl::Int clReleaseProgram(cl::Program program) {
  return release({__func__}, programs, program, kInvalidProgram);
}

STANDIN_EXPORT cl::Kernel clCreateKernel(cl::Program program, const char* name, cl::Int* code) {
  return make<cl::KernelObject>({__func__}, programs, program, kInvalidProgram, code,
                                [&](cl::Kernel& made) {
                                  if (!program->is_built) return kInvalidExecutable;
                                  const auto kernel = program->kernels.find(name);
                                  if (kernel == program->kernels.end()) return kInvalidKernelName;
                                  made = kernels.make({name, kernel->second, {}});
                                  made->values.resize(kernel->second.size());
                                  return cl::kSuccess;
                                });
}

STANDIN_EXPORT cl::Int clSetKernelArg(cl::Kernel kernel, cl::Uint index, std::size_t size,
                                      const void* value) {
  return on({__func__}, kernels, kernel, kInvalidKernel, [&] {
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
    if (!buffers.has(buffer)) return not_there(kInvalidMemObject);
    target.buffer = buffer->bytes;
    return cl::kSuccess;
  });
}

STANDIN_EXPORT cl::Int clGetKernelInfo(cl::Kernel kernel, cl::Uint what, std::size_t room,
                                       void* target, std::size_t* size) {
  return on({__func__}, kernels, kernel, kInvalidKernel, [&] {
    if (what != cl::kKernelNumArgs) return kInvalidValue;
    return Answer{room, target, size}.give(static_cast<cl::Uint>(kernel->parameters.size()));
  });
}

STANDIN_EXPORT cl::Int clGetKernelWorkGroupInfo(cl::Kernel kernel, cl::Device device, cl::Uint what,
                                                std::size_t room, void* target, std::size_t* size) {
  return on({__func__}, kernels, kernel, kInvalidKernel, [&] {
    if (!is_device(device)) return not_there(kInvalidDevice);
    if (what != cl::kKernelWorkGroupSize) return kInvalidValue;
    return Answer{room, target, size}.give(option("largest_group"));
  });
}

STANDIN_EXPORT cl::Int clReleaseKernel(cl::Kernel kernel) {
  return release({__func__}, kernels, kernel, kInvalidKernel);
}
