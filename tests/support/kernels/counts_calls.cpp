// SPDX-License-Identifier: Apache-2.0
// Linked into programs that count calls of kernels.
#include "kernels/select.hpp"

namespace ringlet::kernels {

const bool kCountsKernelCalls = true;

}  // namespace ringlet::kernels
