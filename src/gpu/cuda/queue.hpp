// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "gpu/cuda/context.hpp"
#include "gpu/driver.hpp"

namespace ringlet::gpu::cuda {

/// Makes a stream, whose destructor waits for its work. Its `launch` throws LogicError for more
/// groups than a grid of CUDA has: 2^31 - 1 in the first dimension, 65535 in the others.
std::unique_ptr<Queue> make_cuda_queue(std::shared_ptr<const Context> context, bool timing);

}  // namespace ringlet::gpu::cuda
