// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/api.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/gpu/device.hpp"

namespace ringlet::gpu::cl {
namespace {

struct ErrorName {
  Int code;
  std::string_view name;
};

// Errors of the specification that the calls in use can return.
constexpr auto kErrorNames = std::to_array<ErrorName>({
    {-1, "CL_DEVICE_NOT_FOUND"},
    {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},
    {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {-8, "CL_MEM_COPY_OVERLAP"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-18, "CL_DEVICE_PARTITION_FAILED"},
    {-30, "CL_INVALID_VALUE"},
    {-31, "CL_INVALID_DEVICE_TYPE"},
    {-32, "CL_INVALID_PLATFORM"},
    {-33, "CL_INVALID_DEVICE"},
    {-34, "CL_INVALID_CONTEXT"},
    {-35, "CL_INVALID_QUEUE_PROPERTIES"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},
    {-37, "CL_INVALID_HOST_PTR"},
    {-38, "CL_INVALID_MEM_OBJECT"},
    {-42, "CL_INVALID_BINARY"},
    {-43, "CL_INVALID_BUILD_OPTIONS"},
    {-44, "CL_INVALID_PROGRAM"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},
    {-47, "CL_INVALID_KERNEL_DEFINITION"},
    {-48, "CL_INVALID_KERNEL"},
    {-49, "CL_INVALID_ARG_INDEX"},
    {-50, "CL_INVALID_ARG_VALUE"},
    {-51, "CL_INVALID_ARG_SIZE"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-53, "CL_INVALID_WORK_DIMENSION"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE"},
    {-56, "CL_INVALID_GLOBAL_OFFSET"},
    {-57, "CL_INVALID_EVENT_WAIT_LIST"},
    {-58, "CL_INVALID_EVENT"},
    {-59, "CL_INVALID_OPERATION"},
    {-61, "CL_INVALID_BUFFER_SIZE"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {-64, "CL_INVALID_PROPERTY"},
    {-68, "CL_INVALID_DEVICE_PARTITION_COUNT"},
    {-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED"},
    {kPlatformNotFound, "CL_PLATFORM_NOT_FOUND_KHR"},
});

ErrorDetails details(Int code, std::string_view call, std::string_view subject, bool memory) {
  const std::string_view separator = subject.empty() ? "" : ", ";
  return {.offending = concat(call, ": ", error_text(code), separator, subject),
          .limit = memory ? "what the device has free" : "CL_SUCCESS",
          .remedy = memory ? "release or trim memory of the device, or use smaller batches"
                           : "see what the OpenCL driver says of this error; another device, or "
                             "another version of the driver, may do"};
}

}  // namespace

std::shared_ptr<const Api> load_api(std::string& reason, const std::string& path) {
  std::shared_ptr<const Library> library =
      path.empty() ? Library::open({"libOpenCL.so.1", "libOpenCL.so"}, reason)
                   : Library::open({path}, reason);
  if (library == nullptr) return nullptr;
  const EntryPoints entry_points(*library);
  auto api = std::make_shared<const Api>(Api{std::move(library), entry_points});
  if (const char* const missing = api->find.missing()) {
    reason = concat(api->library->name(), " has no ", missing, ": OpenCL 1.2 is needed");
    return nullptr;
  }
  return api;
}

std::string error_text(Int code) {
  const auto* const entry = std::find_if(kErrorNames.begin(), kErrorNames.end(),
                                         [&](const ErrorName& e) { return e.code == code; });
  return concat(entry != kErrorNames.end() ? entry->name : "unknown OpenCL error", " (", code, ")");
}

void throw_error(Int code, std::string_view call, std::string_view subject) {
  if (code == kMemoryObjectAllocationFailure || code == kOutOfResources ||
      code == kOutOfHostMemory) {
    throw OutOfDeviceMemory(details(code, call, subject, true));
  }
  throw_runtime_error(details(code, call, subject, false));
}

void throw_failed_work(Int code, std::string_view call, std::string_view subject) {
  if (code == kOutOfResources) throw_runtime_error(details(code, call, subject, false));
  throw_error(code, call, subject);
}

}  // namespace ringlet::gpu::cl
