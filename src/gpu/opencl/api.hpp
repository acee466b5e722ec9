// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "gpu/library.hpp"

// The part of OpenCL 1.2 that Ringlet uses, declared here so that building needs no SDK. Names and
// numbers are those of the OpenCL specification, version 3.0, without their prefixes.

namespace ringlet::gpu::cl {

using Int = std::int32_t;
using Uint = std::uint32_t;
using Ulong = std::uint64_t;
using Bitfield = std::uint64_t;
using Property = std::intptr_t;

using Platform = struct PlatformObject*;
using Device = struct DeviceObject*;
using Context = struct ContextObject*;
using Queue = struct QueueObject*;
using Memory = struct MemoryObject*;
using Program = struct ProgramObject*;
using Kernel = struct KernelObject*;
using Event = struct EventObject*;

inline constexpr Int kSuccess = 0;
inline constexpr Int kDeviceNotFound = -1;
inline constexpr Int kMemoryObjectAllocationFailure = -4;
inline constexpr Int kOutOfResources = -5;
inline constexpr Int kOutOfHostMemory = -6;
inline constexpr Int kBuildProgramFailure = -11;
inline constexpr Int kInvalidBufferSize = -61;
inline constexpr Int kPlatformNotFound = -1001;

inline constexpr Uint kTrue = 1;

inline constexpr Bitfield kDeviceTypeCpu = 1 << 1;
inline constexpr Bitfield kDeviceTypeGpu = 1 << 2;
inline constexpr Bitfield kDeviceTypeAll = 0xffffffff;

inline constexpr Uint kDeviceType = 0x1000;
inline constexpr Uint kDeviceMaxComputeUnits = 0x1002;
inline constexpr Uint kDeviceMaxWorkGroupSize = 0x1004;
inline constexpr Uint kDeviceMaxMemAllocSize = 0x1010;
inline constexpr Uint kDeviceGlobalMemSize = 0x101f;
inline constexpr Uint kDeviceLocalMemSize = 0x1023;
inline constexpr Uint kDeviceEndianLittle = 0x1026;
inline constexpr Uint kDeviceAvailable = 0x1027;
inline constexpr Uint kDeviceCompilerAvailable = 0x1028;
inline constexpr Uint kDeviceName = 0x102b;
inline constexpr Uint kDeviceVendor = 0x102c;
inline constexpr Uint kDriverVersion = 0x102d;
inline constexpr Uint kDeviceVersion = 0x102f;
inline constexpr Uint kDeviceExtensions = 0x1030;
inline constexpr Uint kDevicePartitionMaxSubDevices = 0x1043;
inline constexpr Uint kDevicePartitionProperties = 0x1044;
inline constexpr Uint kDevicePartitionAffinityDomain = 0x1045;
inline constexpr Uint kDeviceWarpSizeNv = 0x4003;
inline constexpr Uint kDeviceWavefrontWidthAmd = 0x4043;
inline constexpr Uint kDeviceSubGroupSizesIntel = 0x4108;
inline constexpr Uint kDeviceIpVersionIntel = 0x4250;

inline constexpr Property kPartitionEqually = 0x1086;
inline constexpr Property kPartitionByAffinityDomain = 0x1088;
inline constexpr Bitfield kAffinityDomainNextPartitionable = 1 << 5;

inline constexpr Bitfield kQueueProfiling = 1 << 1;
inline constexpr Bitfield kMemReadWrite = 1 << 0;

inline constexpr Uint kProgramNumDevices = 0x1162;
inline constexpr Uint kProgramBinarySizes = 0x1165;
inline constexpr Uint kProgramBinaries = 0x1166;
inline constexpr Uint kProgramBuildLog = 0x1183;
inline constexpr Uint kKernelNumArgs = 0x1191;
inline constexpr Uint kKernelWorkGroupSize = 0x11b0;
inline constexpr Uint kEventCommandExecutionStatus = 0x11d3;
inline constexpr Int kComplete = 0;
inline constexpr Uint kProfilingCommandEnd = 0x1283;

using ContextNotify = void(const char*, const void*, std::size_t, void*);
using ProgramNotify = void(Program, void*);

/// The library and its entry points.
struct Api {
  std::shared_ptr<const Library> library;
  EntryPoints find;

  Int (*get_platform_ids)(Uint, Platform*, Uint*) = find("clGetPlatformIDs");
  Int (*get_device_ids)(Platform, Bitfield, Uint, Device*, Uint*) = find("clGetDeviceIDs");
  Int (*get_device_info)(Device, Uint, std::size_t, void*, std::size_t*) = find("clGetDeviceInfo");
  Int (*create_sub_devices)(Device, const Property*, Uint, Device*,
                            Uint*) = find("clCreateSubDevices");
  Int (*release_device)(Device) = find("clReleaseDevice");

  Context (*create_context)(const Property*, Uint, const Device*, ContextNotify*, void*,
                            Int*) = find("clCreateContext");
  Int (*release_context)(Context) = find("clReleaseContext");
  Queue (*create_command_queue)(Context, Device, Bitfield, Int*) = find("clCreateCommandQueue");
  Int (*release_command_queue)(Queue) = find("clReleaseCommandQueue");
  Memory (*create_buffer)(Context, Bitfield, std::size_t, void*, Int*) = find("clCreateBuffer");
  Int (*release_mem_object)(Memory) = find("clReleaseMemObject");

  Program (*create_program_with_source)(Context, Uint, const char* const*, const std::size_t*,
                                        Int*) = find("clCreateProgramWithSource");
  Program (*create_program_with_binary)(Context, Uint, const Device*, const std::size_t*,
                                        const unsigned char* const*, Int*,
                                        Int*) = find("clCreateProgramWithBinary");
  Int (*build_program)(Program, Uint, const Device*, const char*, ProgramNotify*,
                       void*) = find("clBuildProgram");
  Int (*get_program_info)(Program, Uint, std::size_t, void*,
                          std::size_t*) = find("clGetProgramInfo");
  Int (*get_program_build_info)(Program, Device, Uint, std::size_t, void*,
                                std::size_t*) = find("clGetProgramBuildInfo");
  Int (*release_program)(Program) = find("clReleaseProgram");

  Kernel (*create_kernel)(Program, const char*, Int*) = find("clCreateKernel");
  Int (*set_kernel_arg)(Kernel, Uint, std::size_t, const void*) = find("clSetKernelArg");
  Int (*get_kernel_info)(Kernel, Uint, std::size_t, void*, std::size_t*) = find("clGetKernelInfo");
  Int (*get_kernel_work_group_info)(Kernel, Device, Uint, std::size_t, void*,
                                    std::size_t*) = find("clGetKernelWorkGroupInfo");
  Int (*release_kernel)(Kernel) = find("clReleaseKernel");

  Int (*enqueue_nd_range_kernel)(Queue, Kernel, Uint, const std::size_t*, const std::size_t*,
                                 const std::size_t*, Uint, const Event*,
                                 Event*) = find("clEnqueueNDRangeKernel");
  Int (*enqueue_write_buffer)(Queue, Memory, Uint, std::size_t, std::size_t, const void*, Uint,
                              const Event*, Event*) = find("clEnqueueWriteBuffer");
  Int (*enqueue_read_buffer)(Queue, Memory, Uint, std::size_t, std::size_t, void*, Uint,
                             const Event*, Event*) = find("clEnqueueReadBuffer");
  Int (*enqueue_copy_buffer)(Queue, Memory, Memory, std::size_t, std::size_t, std::size_t, Uint,
                             const Event*, Event*) = find("clEnqueueCopyBuffer");
  Int (*enqueue_fill_buffer)(Queue, Memory, const void*, std::size_t, std::size_t, std::size_t,
                             Uint, const Event*, Event*) = find("clEnqueueFillBuffer");
  Int (*enqueue_marker_with_wait_list)(Queue, Uint, const Event*,
                                       Event*) = find("clEnqueueMarkerWithWaitList");
  Int (*enqueue_barrier_with_wait_list)(Queue, Uint, const Event*,
                                        Event*) = find("clEnqueueBarrierWithWaitList");
  Int (*flush)(Queue) = find("clFlush");
  Int (*finish)(Queue) = find("clFinish");

  Int (*wait_for_events)(Uint, const Event*) = find("clWaitForEvents");
  Int (*get_event_info)(Event, Uint, std::size_t, void*, std::size_t*) = find("clGetEventInfo");
  Int (*get_event_profiling_info)(Event, Uint, std::size_t, void*,
                                  std::size_t*) = find("clGetEventProfilingInfo");
  Int (*release_event)(Event) = find("clReleaseEvent");
};

/// Loads the library `path`, or the one that the system finds. Null if there is none or it lacks an
/// entry point: then `reason` says so.
std::shared_ptr<const Api> load_api(std::string& reason, const std::string& path);

/// "CL_OUT_OF_RESOURCES (-5)".
std::string error_text(Int code);

/// Throws for an error code of `call`: OutOfDeviceMemory if the library is out of memory, else
/// RuntimeError. `subject` is what the call was for.
[[noreturn]] void throw_error(Int code, std::string_view call, std::string_view subject);
/// Throws for an error code of a call that waits for work. CL_OUT_OF_RESOURCES is a RuntimeError
/// there, since drivers use it to report that a kernel has failed.
[[noreturn]] void throw_failed_work(Int code, std::string_view call, std::string_view subject);

inline void check(Int code, std::string_view call, std::string_view subject = {}) {
  if (code != kSuccess) throw_error(code, call, subject);
}
inline void check_work(Int code, std::string_view call, std::string_view subject = {}) {
  if (code != kSuccess) throw_failed_work(code, call, subject);
}

/// An object of the library, released with the handle by the entry point `Release`, whose result is
/// ignored: a destructor cannot act on it.
template <typename Object, Int (*Api::*Release)(Object)>
class Handle {
 public:
  Handle() = default;
  Handle(std::shared_ptr<const Api> api, Object object) noexcept
      : api_(std::move(api)), object_(object) {}
  Handle(Handle&& other) noexcept
      : api_(std::move(other.api_)), object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() {
    if (object_ != nullptr) (*api_.*Release)(object_);
  }

  Object get() const noexcept { return object_; }
  /// Gives up the object without releasing it.
  void detach() noexcept { object_ = nullptr; }

 private:
  std::shared_ptr<const Api> api_;
  Object object_ = nullptr;
};

using DeviceHandle = Handle<Device, &Api::release_device>;
using ContextHandle = Handle<Context, &Api::release_context>;
using QueueHandle = Handle<Queue, &Api::release_command_queue>;
using MemoryHandle = Handle<Memory, &Api::release_mem_object>;
using ProgramHandle = Handle<Program, &Api::release_program>;
using KernelHandle = Handle<Kernel, &Api::release_kernel>;
using EventHandle = Handle<Event, &Api::release_event>;

}  // namespace ringlet::gpu::cl
