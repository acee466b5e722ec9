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

}  // namespace ringlet::gpu::cuda
