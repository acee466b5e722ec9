// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gpu/cuda/api.hpp"
#include "gpu/library.hpp"

namespace ringlet::gpu::cuda {

/// The driver's library, with every entry point bound and cuInit done.
struct DriverLibrary {
  std::unique_ptr<Library> library;
  DriverApi api;
  int version = 0;  ///< 1000 * major + 10 * minor of the newest CUDA that the driver serves.
};

/// Loads the driver. Null if the library, an entry point or every device is missing; see `reason`.
std::shared_ptr<const DriverLibrary> open_driver(const std::string& path, std::string& reason);

/// Returns the driver's words, such as "CUDA_ERROR_NOT_FOUND (500): named symbol not found".
std::string describe(const DriverApi& api, Result result);

/// Returns only for kSuccess.
/// @throws OutOfDeviceMemory for kOutOfMemory, RuntimeError for all others: they name `call`, the
///         error, and what to do about errors of its kind.
void check(const DriverApi& api, Result result, std::string_view call);

/// The primary context of one device, which Ringlet shares with other users of the device in this
/// process. All objects of the device keep it alive. Thread-safe.
class Context {
 public:
  Context(std::shared_ptr<const DriverLibrary> driver, DeviceIndex device);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const DriverApi& api() const noexcept { return driver_->api; }
  ContextHandle handle() const noexcept { return handle_; }
  void check(Result result, std::string_view call) const { cuda::check(api(), result, call); }

 private:
  std::shared_ptr<const DriverLibrary> driver_;
  DeviceIndex device_;
  ContextHandle handle_ = nullptr;
};

/// Makes a context current on the calling thread, and at its end the caller's again: CUDA's calls
/// go to the current context. Every entry of this driver has one, so any thread may call it, and
/// other users of CUDA in the process notice nothing. The cost is two calls of some tens of
/// nanoseconds.
class Current {
 public:
  explicit Current(const Context& context);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  const DriverApi& api_;
};

/// Runs release(api) with the context current, for destructors. It ignores the results of the
/// calls: the next wait also returns an error of earlier work, and throws; and when CUDA itself is
/// gone there is nothing to release.
template <typename Release>
void release_in(const Context& context, const Release& release) noexcept {
  const DriverApi& api = context.api();
  if (api.ctx_push_current(context.handle()) != kSuccess) return;
  release(api);
  ContextHandle popped = nullptr;
  api.ctx_pop_current(&popped);
}

}  // namespace ringlet::gpu::cuda
