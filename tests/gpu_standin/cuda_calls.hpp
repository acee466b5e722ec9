// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_standin/cuda_objects.hpp"
#include "gpu_standin/export.hpp"

namespace standin {

/// "CUDA_ERROR_..." of every code of CUDA's interface; null for other numbers.
const char* cuda_error_name(ringlet::gpu::cuda::Result error);

/// The error of work that failed: from then on CUDA answers every call with it.
inline ringlet::gpu::cuda::Result sticky_error() {
  return static_cast<ringlet::gpu::cuda::Result>(Engine::instance().work_error());
}

template <typename Body>
ringlet::gpu::cuda::Result call_unchecked(const Engine::Entry& entry, const Body& body) {
  return static_cast<ringlet::gpu::cuda::Result>(
      Engine::instance().call(entry, [&]() -> std::int64_t { return body(); }));
}

/// A call that needs cuInit.
template <typename Body>
ringlet::gpu::cuda::Result call(const Engine::Entry& entry, const Body& body) {
  return call_unchecked(entry, [&]() -> ringlet::gpu::cuda::Result {
    if (CudaState::instance().started) return body();
    Engine::instance().violation(std::string(entry.name) + " before cuInit");
    return ringlet::gpu::cuda::kNotInitialized;
  });
}

/// One that needs a current context too, and that fails once work in it has failed.
template <typename Body>
ringlet::gpu::cuda::Result call_in_context(const Engine::Entry& entry, const Body& body) {
  return call(entry, [&]() -> ringlet::gpu::cuda::Result {
    if (CudaState::instance().current[std::this_thread::get_id()].empty()) {
      Engine::instance().violation(std::string(entry.name) + " without a current context");
      return ringlet::gpu::cuda::kInvalidContext;
    }
    if (sticky_error() != 0 && !entry.releases) return sticky_error();
    const ringlet::gpu::cuda::Result result = body();
    return result == 0 ? sticky_error() : result;
  });
}

}  // namespace standin
