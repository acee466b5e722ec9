// SPDX-License-Identifier: Apache-2.0
// In a file of its own, which a program with its own definition does not link.
#include "kernels/select.hpp"

namespace ringlet::kernels {

const bool kCountsKernelCalls = false;

}  // namespace ringlet::kernels
