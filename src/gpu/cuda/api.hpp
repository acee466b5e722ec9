// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

// The part of CUDA's driver interface and of NVRTC that Ringlet calls, declared from their
// documentation, so that no SDK is needed to build. Members are named as the entry points are,
// without the leading "cu" or "nvrtc". Entry points of which CUDA exports several versions are
// bound to the name with the suffix that its header would choose (cuda_library.cpp).

namespace ringlet::gpu::cuda {

/// CUresult.
using Result = int;
constexpr Result kSuccess = 0;
constexpr Result kInvalidValue = 1;
constexpr Result kOutOfMemory = 2;
constexpr Result kNotInitialized = 3;
constexpr Result kDeinitialized = 4;
constexpr Result kDeviceUnavailable = 46;
constexpr Result kNoDevice = 100;
constexpr Result kInvalidDevice = 101;
constexpr Result kDeviceNotLicensed = 102;
constexpr Result kInvalidImage = 200;
constexpr Result kInvalidContext = 201;
constexpr Result kNoBinaryForGpu = 209;
constexpr Result kEccUncorrectable = 214;
constexpr Result kInvalidPtx = 218;
constexpr Result kNvlinkUncorrectable = 220;
constexpr Result kJitCompilationDisabled = 223;
constexpr Result kUnsupportedDevsideSync = 225;
constexpr Result kContained = 226;
constexpr Result kInvalidSource = 300;
constexpr Result kInvalidHandle = 400;
constexpr Result kNotFound = 500;
constexpr Result kNotReady = 600;
constexpr Result kIllegalAddress = 700;
constexpr Result kLaunchOutOfResources = 701;
constexpr Result kLaunchTimeout = 702;
constexpr Result kContextIsDestroyed = 709;
constexpr Result kAssert = 710;
constexpr Result kHardwareStackError = 714;
constexpr Result kLaunchFailed = 719;
constexpr Result kTensorMemoryLeak = 721;
constexpr Result kNotPermitted = 800;
constexpr Result kNotSupported = 801;
constexpr Result kSystemNotReady = 802;
constexpr Result kMpsClientTerminated = 810;
constexpr Result kUnknown = 999;

/// CUdevice, and the address of device memory, CUdeviceptr.
using DeviceIndex = int;
using DevicePointer = unsigned long long;

/// CUcontext, CUstream, CUevent, CUmodule, CUfunction: opaque.
using ContextHandle = struct ContextObject*;
using StreamHandle = struct StreamObject*;
using EventHandle = struct EventObject*;
using ModuleHandle = struct ModuleObject*;
using FunctionHandle = struct FunctionObject*;

/// CUdevice_attribute.
enum DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxSharedMemoryPerBlock = 8,
  kWarpSize = 10,
  kMultiprocessorCount = 16,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
};

/// CUfunction_attribute.
enum FunctionAttribute : int { kFunctionMaxThreadsPerBlock = 0 };

constexpr unsigned kStreamNonBlocking = 1;
constexpr unsigned kEventDefault = 0;
constexpr unsigned kEventDisableTiming = 2;

/// The driver, libcuda.
struct DriverApi {
  Result (*init)(unsigned flags) = nullptr;
  Result (*driver_get_version)(int* version) = nullptr;
  Result (*get_error_name)(Result error, const char** name) = nullptr;
  Result (*get_error_string)(Result error, const char** text) = nullptr;

  Result (*device_get_count)(int* count) = nullptr;
  Result (*device_get)(DeviceIndex* device, int ordinal) = nullptr;
  Result (*device_get_name)(char* name, int length, DeviceIndex device) = nullptr;
  Result (*device_total_mem)(std::size_t* bytes, DeviceIndex device) = nullptr;
  Result (*device_get_attribute)(int* value, DeviceAttribute attribute,
                                 DeviceIndex device) = nullptr;

  Result (*device_primary_ctx_retain)(ContextHandle* context, DeviceIndex device) = nullptr;
  Result (*device_primary_ctx_release)(DeviceIndex device) = nullptr;
  Result (*ctx_push_current)(ContextHandle context) = nullptr;
  Result (*ctx_pop_current)(ContextHandle* context) = nullptr;
  Result (*ctx_synchronize)() = nullptr;

  Result (*mem_alloc)(DevicePointer* address, std::size_t bytes) = nullptr;
  Result (*mem_free)(DevicePointer address) = nullptr;
  Result (*mem_host_alloc)(void** address, std::size_t bytes, unsigned flags) = nullptr;
  Result (*mem_free_host)(void* address) = nullptr;
  Result (*memcpy_htod_async)(DevicePointer target, const void* source, std::size_t bytes,
                              StreamHandle stream) = nullptr;
  Result (*memcpy_dtoh_async)(void* target, DevicePointer source, std::size_t bytes,
                              StreamHandle stream) = nullptr;
  Result (*memcpy_dtod_async)(DevicePointer target, DevicePointer source, std::size_t bytes,
                              StreamHandle stream) = nullptr;
  Result (*memset_d32_async)(DevicePointer target, unsigned value, std::size_t count,
                             StreamHandle stream) = nullptr;

  Result (*stream_create)(StreamHandle* stream, unsigned flags) = nullptr;
  Result (*stream_destroy)(StreamHandle stream) = nullptr;
  Result (*stream_synchronize)(StreamHandle stream) = nullptr;
  Result (*stream_wait_event)(StreamHandle stream, EventHandle event, unsigned flags) = nullptr;

  Result (*event_create)(EventHandle* event, unsigned flags) = nullptr;
  Result (*event_destroy)(EventHandle event) = nullptr;
  Result (*event_record)(EventHandle event, StreamHandle stream) = nullptr;
  Result (*event_query)(EventHandle event) = nullptr;
  Result (*event_synchronize)(EventHandle event) = nullptr;
  Result (*event_elapsed_time)(float* milliseconds, EventHandle start, EventHandle end) = nullptr;

  Result (*module_load_data)(ModuleHandle* module, const void* image) = nullptr;
  Result (*module_unload)(ModuleHandle module) = nullptr;
  Result (*module_get_function)(FunctionHandle* function, ModuleHandle module,
                                const char* name) = nullptr;
  Result (*func_get_attribute)(int* value, FunctionAttribute attribute,
                               FunctionHandle function) = nullptr;
  Result (*launch_kernel)(FunctionHandle function, unsigned grid_x, unsigned grid_y,
                          unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned shared_bytes, StreamHandle stream, void** parameters,
                          void** extra) = nullptr;
};

/// nvrtcResult.
using NvrtcResult = int;
constexpr NvrtcResult kNvrtcSuccess = 0;
constexpr NvrtcResult kNvrtcOutOfMemory = 1;
constexpr NvrtcResult kNvrtcCompilation = 6;

/// nvrtcProgram: opaque.
using NvrtcProgram = struct NvrtcProgramObject*;

/// The compiler, libnvrtc.
struct NvrtcApi {
  NvrtcResult (*version)(int* major, int* minor) = nullptr;
  const char* (*get_error_string)(NvrtcResult result) = nullptr;
  NvrtcResult (*get_num_supported_archs)(int* count) = nullptr;
  NvrtcResult (*get_supported_archs)(int* archs) = nullptr;
  NvrtcResult (*create_program)(NvrtcProgram* program, const char* source, const char* name,
                                int header_count, const char* const* headers,
                                const char* const* include_names) = nullptr;
  NvrtcResult (*destroy_program)(NvrtcProgram* program) = nullptr;
  NvrtcResult (*compile_program)(NvrtcProgram program, int option_count,
                                 const char* const* options) = nullptr;
  NvrtcResult (*get_program_log_size)(NvrtcProgram program, std::size_t* bytes) = nullptr;
  NvrtcResult (*get_program_log)(NvrtcProgram program, char* log) = nullptr;
  NvrtcResult (*get_cubin_size)(NvrtcProgram program, std::size_t* bytes) = nullptr;
  NvrtcResult (*get_cubin)(NvrtcProgram program, char* cubin) = nullptr;
  NvrtcResult (*get_ptx_size)(NvrtcProgram program, std::size_t* bytes) = nullptr;
  NvrtcResult (*get_ptx)(NvrtcProgram program, char* ptx) = nullptr;
};

}  // namespace ringlet::gpu::cuda
