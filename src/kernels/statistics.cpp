// SPDX-License-Identifier: Apache-2.0
// In a file of its own: a program with its own definition does not take this one.
#include "kernels/select.hpp"

namespace ringlet::kernels {

const bool kCountsKernelCalls = false;

}  // namespace ringlet::kernels
