// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "gpu/library.hpp"

// The part of CUDA's driver interface and of NVRTC that Ringlet calls, declared from their
// documentation, so that no SDK is needed to build. Members are named as the entry points are,
// without the leading "cu" or "nvrtc". Entry points of which CUDA exports several versions are
// found by the name with the suffix that its header would choose.

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
  EntryPoints find;

  Result (*init)(unsigned flags) = find("cuInit");
  Result (*driver_get_version)(int* version) = find("cuDriverGetVersion");
  Result (*get_error_name)(Result error, const char** name) = find("cuGetErrorName");
  Result (*get_error_string)(Result error, const char** text) = find("cuGetErrorString");

  Result (*device_get_count)(int* count) = find("cuDeviceGetCount");
  Result (*device_get)(DeviceIndex* device, int ordinal) = find("cuDeviceGet");
  Result (*device_get_name)(char* name, int length, DeviceIndex device) = find("cuDeviceGetName");
  Result (*device_total_mem)(std::size_t* bytes, DeviceIndex device) = find("cuDeviceTotalMem_v2");
  Result (*device_get_attribute)(int* value, DeviceAttribute attribute,
                                 DeviceIndex device) = find("cuDeviceGetAttribute");

  Result (*device_primary_ctx_retain)(ContextHandle* context,
                                      DeviceIndex device) = find("cuDevicePrimaryCtxRetain");
  Result (*device_primary_ctx_release)(DeviceIndex device) = find("cuDevicePrimaryCtxRelease_v2");
  Result (*ctx_push_current)(ContextHandle context) = find("cuCtxPushCurrent_v2");
  Result (*ctx_pop_current)(ContextHandle* context) = find("cuCtxPopCurrent_v2");
  Result (*ctx_synchronize)() = find("cuCtxSynchronize");

  Result (*mem_alloc)(DevicePointer* address, std::size_t bytes) = find("cuMemAlloc_v2");
  Result (*mem_free)(DevicePointer address) = find("cuMemFree_v2");
  Result (*mem_host_alloc)(void** address, std::size_t bytes,
                           unsigned flags) = find("cuMemHostAlloc");
  Result (*mem_free_host)(void* address) = find("cuMemFreeHost");
  Result (*memcpy_htod_async)(DevicePointer target, const void* source, std::size_t bytes,
                              StreamHandle stream) = find("cuMemcpyHtoDAsync_v2");
  Result (*memcpy_dtoh_async)(void* target, DevicePointer source, std::size_t bytes,
                              StreamHandle stream) = find("cuMemcpyDtoHAsync_v2");
  Result (*memcpy_dtod_async)(DevicePointer target, DevicePointer source, std::size_t bytes,
                              StreamHandle stream) = find("cuMemcpyDtoDAsync_v2");
  Result (*memset_d32_async)(DevicePointer target, unsigned value, std::size_t count,
                             StreamHandle stream) = find("cuMemsetD32Async");

  Result (*stream_create)(StreamHandle* stream, unsigned flags) = find("cuStreamCreate");
  Result (*stream_destroy)(StreamHandle stream) = find("cuStreamDestroy_v2");
  Result (*stream_synchronize)(StreamHandle stream) = find("cuStreamSynchronize");
  Result (*stream_wait_event)(StreamHandle stream, EventHandle event,
                              unsigned flags) = find("cuStreamWaitEvent");

  Result (*event_create)(EventHandle* event, unsigned flags) = find("cuEventCreate");
  Result (*event_destroy)(EventHandle event) = find("cuEventDestroy_v2");
  Result (*event_record)(EventHandle event, StreamHandle stream) = find("cuEventRecord");
  Result (*event_query)(EventHandle event) = find("cuEventQuery");
  Result (*event_synchronize)(EventHandle event) = find("cuEventSynchronize");
  Result (*event_elapsed_time)(float* milliseconds, EventHandle start,
                               EventHandle end) = find("cuEventElapsedTime");

  Result (*module_load_data)(ModuleHandle* module, const void* image) = find("cuModuleLoadData");
  Result (*module_unload)(ModuleHandle module) = find("cuModuleUnload");
  Result (*module_get_function)(FunctionHandle* function, ModuleHandle module,
                                const char* name) = find("cuModuleGetFunction");
  Result (*func_get_attribute)(int* value, FunctionAttribute attribute,
                               FunctionHandle function) = find("cuFuncGetAttribute");
  Result (*launch_kernel)(FunctionHandle function, unsigned grid_x, unsigned grid_y,
                          unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned shared_bytes, StreamHandle stream, void** parameters,
                          void** extra) = find("cuLaunchKernel");
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
  EntryPoints find;

  NvrtcResult (*version)(int* major, int* minor) = find("nvrtcVersion");
  const char* (*get_error_string)(NvrtcResult result) = find("nvrtcGetErrorString");
  NvrtcResult (*get_num_supported_archs)(int* count) = find("nvrtcGetNumSupportedArchs");
  NvrtcResult (*get_supported_archs)(int* archs) = find("nvrtcGetSupportedArchs");
  NvrtcResult (*create_program)(NvrtcProgram* program, const char* source, const char* name,
                                int header_count, const char* const* headers,
                                const char* const* include_names) = find("nvrtcCreateProgram");
  NvrtcResult (*destroy_program)(NvrtcProgram* program) = find("nvrtcDestroyProgram");
  NvrtcResult (*compile_program)(NvrtcProgram program, int option_count,
                                 const char* const* options) = find("nvrtcCompileProgram");
  NvrtcResult (*get_program_log_size)(NvrtcProgram program,
                                      std::size_t* bytes) = find("nvrtcGetProgramLogSize");
  NvrtcResult (*get_program_log)(NvrtcProgram program, char* log) = find("nvrtcGetProgramLog");
  NvrtcResult (*get_cubin_size)(NvrtcProgram program,
                                std::size_t* bytes) = find("nvrtcGetCUBINSize");
  NvrtcResult (*get_cubin)(NvrtcProgram program, char* cubin) = find("nvrtcGetCUBIN");
  NvrtcResult (*get_ptx_size)(NvrtcProgram program, std::size_t* bytes) = find("nvrtcGetPTXSize");
  NvrtcResult (*get_ptx)(NvrtcProgram program, char* ptx) = find("nvrtcGetPTX");
};

}  // namespace ringlet::gpu::cuda
