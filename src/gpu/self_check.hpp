// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ring/backend.hpp"

namespace ringlet::gpu {

/// Transforms and multiplies one polynomial over all primes of the basis on the backend's device
/// and on the processor, and compares the words. Waits for the device. For arithmetic that a
/// driver's compiler may read otherwise than the compilers of Ringlet's tests.
/// @throws RuntimeError if the words differ.
void check_against_processor(const Backend& backend);

}  // namespace ringlet::gpu
