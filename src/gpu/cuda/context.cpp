// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/context.hpp"

#include <utility>

namespace ringlet::gpu::cuda {

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
