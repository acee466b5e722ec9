// SPDX-License-Identifier: Apache-2.0
#include "gpu_standin/cuda_calls.hpp"
#include "gpu_standin/error_codes.hpp"

namespace standin {

const char* cuda_error_name(ringlet::gpu::cuda::Result error) {
  if (error == ringlet::gpu::cuda::kSuccess) return "CUDA_SUCCESS";
  for (const ringlet::test::ErrorCode& known : ringlet::test::kCudaErrors) {
    if (known.code == error) return known.name;
  }
  return nullptr;
}

}  // namespace standin
