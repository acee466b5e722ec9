// SPDX-License-Identifier: Apache-2.0
// Compares gpu/cuda/api.hpp with CUDA's own headers, where these are at hand. It only has to
// compile, with the folders src and CUDA's include on the path; see docs/gpu.md.
#include <cstddef>
#include <cuda.h>
#include <nvrtc.h>
#include <type_traits>

#include "gpu/cuda/api.hpp"

namespace {

using namespace ringlet::gpu;  // NOLINT(google-build-using-namespace): one file, one subject

// Two types are passed the same way if both are pointers, to things of the same size, or both
// integers of the same size. The types that handles point to do not matter.
template <typename T>
constexpr std::size_t size_behind() {
  if constexpr (std::is_void_v<T> || std::is_function_v<T> || std::is_class_v<T>) {
    return 0;
  } else {
    return sizeof(T);
  }
}

template <typename T, typename U>
constexpr bool same_way() {
  if constexpr (std::is_pointer_v<T> && std::is_pointer_v<U>) {
    using A = std::remove_pointer_t<T>;
    using B = std::remove_pointer_t<U>;
    constexpr bool opaque = std::is_class_v<A> && std::is_class_v<B>;
    return opaque || size_behind<A>() == size_behind<B>();
  } else {
    return !std::is_pointer_v<T> && !std::is_pointer_v<U> && sizeof(T) == sizeof(U) &&
           std::is_floating_point_v<T> == std::is_floating_point_v<U>;
  }
}

template <typename F, typename G>
struct SameCall : std::false_type {};
template <typename R, typename S, typename... A, typename... B>
struct SameCall<R (*)(A...), S (*)(B...)> {
  static constexpr bool compare() {
    if constexpr (sizeof...(A) != sizeof...(B)) {
      return false;
    } else {
      return same_way<R, S>() && (same_way<A, B>() && ...);
    }
  }
  static constexpr bool value = compare();
};

// The header's macros choose the same version of each function as our binding does by name.
#define RINGLET_SAME(member, function) \
  static_assert(SameCall<decltype(cuda::DriverApi::member), decltype(&function)>::value)
#define RINGLET_SAME_NVRTC(member, function) \
  static_assert(SameCall<decltype(cuda::NvrtcApi::member), decltype(&function)>::value)

RINGLET_SAME(init, cuInit);
RINGLET_SAME(driver_get_version, cuDriverGetVersion);
RINGLET_SAME(get_error_name, cuGetErrorName);
RINGLET_SAME(get_error_string, cuGetErrorString);
RINGLET_SAME(device_get_count, cuDeviceGetCount);
RINGLET_SAME(device_get, cuDeviceGet);
RINGLET_SAME(device_get_name, cuDeviceGetName);
RINGLET_SAME(device_total_mem, cuDeviceTotalMem_v2);
RINGLET_SAME(device_get_attribute, cuDeviceGetAttribute);
RINGLET_SAME(device_primary_ctx_retain, cuDevicePrimaryCtxRetain);
RINGLET_SAME(device_primary_ctx_release, cuDevicePrimaryCtxRelease_v2);
RINGLET_SAME(ctx_push_current, cuCtxPushCurrent_v2);
RINGLET_SAME(ctx_pop_current, cuCtxPopCurrent_v2);
RINGLET_SAME(ctx_synchronize, cuCtxSynchronize);
RINGLET_SAME(mem_alloc, cuMemAlloc_v2);
RINGLET_SAME(mem_free, cuMemFree_v2);
RINGLET_SAME(mem_host_alloc, cuMemHostAlloc);
RINGLET_SAME(mem_free_host, cuMemFreeHost);
RINGLET_SAME(memcpy_htod_async, cuMemcpyHtoDAsync_v2);
RINGLET_SAME(memcpy_dtoh_async, cuMemcpyDtoHAsync_v2);
RINGLET_SAME(memcpy_dtod_async, cuMemcpyDtoDAsync_v2);
RINGLET_SAME(memset_d32_async, cuMemsetD32Async);
RINGLET_SAME(stream_create, cuStreamCreate);
RINGLET_SAME(stream_destroy, cuStreamDestroy_v2);
RINGLET_SAME(stream_synchronize, cuStreamSynchronize);
RINGLET_SAME(stream_wait_event, cuStreamWaitEvent);
RINGLET_SAME(event_create, cuEventCreate);
RINGLET_SAME(event_destroy, cuEventDestroy_v2);
RINGLET_SAME(event_record, cuEventRecord);
RINGLET_SAME(event_query, cuEventQuery);
RINGLET_SAME(event_synchronize, cuEventSynchronize);
RINGLET_SAME(event_elapsed_time, cuEventElapsedTime);
RINGLET_SAME(module_load_data, cuModuleLoadData);
RINGLET_SAME(module_unload, cuModuleUnload);
RINGLET_SAME(module_get_function, cuModuleGetFunction);
RINGLET_SAME(func_get_attribute, cuFuncGetAttribute);
RINGLET_SAME(launch_kernel, cuLaunchKernel);

RINGLET_SAME_NVRTC(version, nvrtcVersion);
RINGLET_SAME_NVRTC(get_error_string, nvrtcGetErrorString);
RINGLET_SAME_NVRTC(get_num_supported_archs, nvrtcGetNumSupportedArchs);
RINGLET_SAME_NVRTC(get_supported_archs, nvrtcGetSupportedArchs);
RINGLET_SAME_NVRTC(create_program, nvrtcCreateProgram);
RINGLET_SAME_NVRTC(destroy_program, nvrtcDestroyProgram);
RINGLET_SAME_NVRTC(compile_program, nvrtcCompileProgram);
RINGLET_SAME_NVRTC(get_program_log_size, nvrtcGetProgramLogSize);
RINGLET_SAME_NVRTC(get_program_log, nvrtcGetProgramLog);
RINGLET_SAME_NVRTC(get_cubin_size, nvrtcGetCUBINSize);
RINGLET_SAME_NVRTC(get_cubin, nvrtcGetCUBIN);
RINGLET_SAME_NVRTC(get_ptx_size, nvrtcGetPTXSize);
RINGLET_SAME_NVRTC(get_ptx, nvrtcGetPTX);

#define RINGLET_VALUE(ours, theirs) static_assert(static_cast<int>(cuda::ours) == (theirs))

RINGLET_VALUE(kSuccess, CUDA_SUCCESS);
RINGLET_VALUE(kInvalidValue, CUDA_ERROR_INVALID_VALUE);
RINGLET_VALUE(kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
RINGLET_VALUE(kNotInitialized, CUDA_ERROR_NOT_INITIALIZED);
RINGLET_VALUE(kDeinitialized, CUDA_ERROR_DEINITIALIZED);
RINGLET_VALUE(kDeviceUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE);
RINGLET_VALUE(kNoDevice, CUDA_ERROR_NO_DEVICE);
RINGLET_VALUE(kInvalidDevice, CUDA_ERROR_INVALID_DEVICE);
RINGLET_VALUE(kDeviceNotLicensed, CUDA_ERROR_DEVICE_NOT_LICENSED);
RINGLET_VALUE(kInvalidImage, CUDA_ERROR_INVALID_IMAGE);
RINGLET_VALUE(kInvalidContext, CUDA_ERROR_INVALID_CONTEXT);
RINGLET_VALUE(kNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
RINGLET_VALUE(kEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE);
RINGLET_VALUE(kInvalidPtx, CUDA_ERROR_INVALID_PTX);
RINGLET_VALUE(kNvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE);
RINGLET_VALUE(kJitCompilationDisabled, CUDA_ERROR_JIT_COMPILATION_DISABLED);
RINGLET_VALUE(kUnsupportedDevsideSync, CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC);
#if CUDA_VERSION >= 13000
RINGLET_VALUE(kContained, CUDA_ERROR_CONTAINED);
RINGLET_VALUE(kTensorMemoryLeak, CUDA_ERROR_TENSOR_MEMORY_LEAK);
#endif
RINGLET_VALUE(kInvalidSource, CUDA_ERROR_INVALID_SOURCE);
RINGLET_VALUE(kInvalidHandle, CUDA_ERROR_INVALID_HANDLE);
RINGLET_VALUE(kNotFound, CUDA_ERROR_NOT_FOUND);
RINGLET_VALUE(kNotReady, CUDA_ERROR_NOT_READY);
RINGLET_VALUE(kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
RINGLET_VALUE(kLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
RINGLET_VALUE(kLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT);
RINGLET_VALUE(kContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED);
RINGLET_VALUE(kAssert, CUDA_ERROR_ASSERT);
RINGLET_VALUE(kHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR);
RINGLET_VALUE(kLaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
RINGLET_VALUE(kNotPermitted, CUDA_ERROR_NOT_PERMITTED);
RINGLET_VALUE(kNotSupported, CUDA_ERROR_NOT_SUPPORTED);
RINGLET_VALUE(kSystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY);
RINGLET_VALUE(kMpsClientTerminated, CUDA_ERROR_MPS_CLIENT_TERMINATED);
RINGLET_VALUE(kUnknown, CUDA_ERROR_UNKNOWN);
RINGLET_VALUE(kMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
RINGLET_VALUE(kMaxSharedMemoryPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
RINGLET_VALUE(kWarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
RINGLET_VALUE(kMultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
RINGLET_VALUE(kComputeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
RINGLET_VALUE(kComputeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
RINGLET_VALUE(kFunctionMaxThreadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
RINGLET_VALUE(kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
RINGLET_VALUE(kEventDefault, CU_EVENT_DEFAULT);
RINGLET_VALUE(kEventDisableTiming, CU_EVENT_DISABLE_TIMING);
RINGLET_VALUE(kNvrtcSuccess, NVRTC_SUCCESS);
RINGLET_VALUE(kNvrtcOutOfMemory, NVRTC_ERROR_OUT_OF_MEMORY);
RINGLET_VALUE(kNvrtcCompilation, NVRTC_ERROR_COMPILATION);

}  // namespace
