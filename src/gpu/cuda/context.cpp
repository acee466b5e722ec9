// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/context.hpp"

#include <utility>

#include "base/text.hpp"
#include "ringlet/gpu/device.hpp"

namespace ringlet::gpu::cuda {
namespace {

struct Advice {
  const char* limit;
  const char* remedy;
};

/// Errors of a kind have neighbouring numbers in CUDA.
Advice advice_for(Result result) {
  switch (result) {
    case kOutOfMemory:
      return {"the memory that is free on the device",
              "give cached memory back by a trim, or use smaller batches"};
    case kNotInitialized:
    case kDeinitialized:
      return {"a process in which CUDA was started, and which is not ending",
              "use devices neither after a fork nor while static objects are destroyed"};
    case kEccUncorrectable:
    case kNvlinkUncorrectable:
    case kContained:
      return {"a GPU without faults", "check the GPU with nvidia-smi; restart the program"};
    case kLaunchOutOfResources:
      return {"a group that fits the registers and the local memory of a multiprocessor",
              "use a smaller group"};
    default:
      break;
  }
  if (result >= kDeviceUnavailable && result <= kDeviceNotLicensed) {
    return {"a GPU that this process may use", "see whether nvidia-smi lists it, and who uses it"};
  }
  if ((result >= kNoBinaryForGpu && result <= kUnsupportedDevsideSync) || result == kInvalidImage ||
      result == kInvalidSource) {
    return {"a program for this GPU and this driver",
            "delete the cache of compiled kernels; update the driver if that does not help"};
  }
  if (result >= kIllegalAddress && result <= kTensorMemoryLeak) {
    return {
        "work that the device carries out to its end",
        "what this process has on the device is lost: restart the program, and report the kernel"};
  }
  if (result >= kNotPermitted && result <= kMpsClientTerminated) {
    return {"a driver that is ready and matches its libraries",
            "check the installation of the driver, and its services"};
  }
  return {"a call that the driver carries out", "report it, with the version of the driver"};
}

}  // namespace

std::string describe(const DriverApi& api, Result result) {
  const char* name = nullptr;
  if (api.get_error_name(result, &name) != kSuccess || name == nullptr) name = "unknown error";
  const char* text = nullptr;
  if (api.get_error_string(result, &text) != kSuccess || text == nullptr) text = "no description";
  return concat(name, " (", result, "): ", text);
}

void check(const DriverApi& api, Result result, std::string_view call) {
  if (result == kSuccess) return;
  const Advice advice = advice_for(result);
  const ErrorDetails details{.offending = concat(call, ": ", describe(api, result)),
                             .limit = advice.limit,
                             .remedy = advice.remedy};
  if (result == kOutOfMemory) throw OutOfDeviceMemory(details);
  throw_runtime_error(details);
}

std::shared_ptr<const DriverLibrary> open_driver(const std::string& path, std::string& reason) {
  auto driver = std::make_shared<DriverLibrary>();
  driver->library = Library::open({path.empty() ? std::string("libcuda.so.1") : path}, reason);
  if (driver->library == nullptr) return nullptr;

  driver->api = {EntryPoints(*driver->library)};
  const std::string& name = driver->library->name();
  if (const char* const missing = driver->api.find.missing()) {
    reason = concat(name, " has no ", missing, ": its driver is too old");
    return nullptr;
  }
  if (const Result result = driver->api.init(0); result != kSuccess) {
    reason = concat(name, ": cuInit: ", describe(driver->api, result));
    return nullptr;
  }
  if (const Result result = driver->api.driver_get_version(&driver->version); result != kSuccess) {
    reason = concat(name, ": cuDriverGetVersion: ", describe(driver->api, result));
    return nullptr;
  }
  reason.clear();
  return driver;
}

Context::Context(std::shared_ptr<const DriverLibrary> driver, DeviceIndex device)
    : driver_(std::move(driver)), device_(device) {
  check(api().device_primary_ctx_retain(&handle_, device_), "cuDevicePrimaryCtxRetain");
}

Context::~Context() { api().device_primary_ctx_release(device_); }

Current::Current(const Context& context) : api_(context.api()) {
  context.check(api_.ctx_push_current(context.handle()), "cuCtxPushCurrent");
}

Current::~Current() {
  ContextHandle popped = nullptr;
  api_.ctx_pop_current(&popped);
}

}  // namespace ringlet::gpu::cuda
