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

/// Null if the library, one of its entry points or every device is missing: then `reason` says so.
std::shared_ptr<const DriverLibrary> open_driver(const std::string& path, std::string& reason);

/// "CUDA_ERROR_NOT_FOUND (500): named symbol not found", as the driver words it.
std::string describe(const DriverApi& api, Result result);

/// Returns for kSuccess alone.
/// @throws OutOfDeviceMemory for kOutOfMemory, RuntimeError for all others: they name `call`, the
///         error, and what to do about errors of its kind.
void check(const DriverApi& api, Result result, std::string_view call);

/// The primary context of one device, which this process shares with whatever else in it uses the
/// device. All objects of the device keep it alive. Thread-safe.
class Context {
 public:
  Context(std::shared_ptr<const DriverLibrary> driver, DeviceIndex device);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const DriverApi& api() const noexcept { return driver_->api; }
  ContextHandle handle() const noexcept { return handle_; }
  /// The free check() with this context's library.
  void check(Result result, std::string_view call) const { cuda::check(api(), result, call); }

 private:
  std::shared_ptr<const DriverLibrary> driver_;
  DeviceIndex device_;
  ContextHandle handle_ = nullptr;
};

/// CUDA's calls go to the context that is current on the calling thread. Every entry of this
/// driver makes its own current while it runs, and the caller's again at its end: two calls of some
/// tens of nanoseconds, so that any thread may call, and other users of CUDA in the process notice
/// nothing.
class Current {
 public:
  explicit Current(const Context& context);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  const DriverApi& api_;
};

/// Runs release(api) with the context current, for destructors. What the calls answer is not looked
/// at: an error of earlier work is also the answer of the next wait, which throws, and when CUDA
/// itself is gone there is nothing to release.
template <typename Release>
void release_in(const Context& context, const Release& release) noexcept {
  const DriverApi& api = context.api();
  if (api.ctx_push_current(context.handle()) != kSuccess) return;
  release(api);
  ContextHandle popped = nullptr;
  api.ctx_pop_current(&popped);
}

}  // namespace ringlet::gpu::cuda
