// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ringlet::gpu {

/// Returns the text of src/gpu/kernels/<name>, which the build embeds. One source serves OpenCL and
/// CUDA; the prelude of each defines what they spell differently.
/// @throws OutOfRange if there is no such file (a defect).
std::string_view kernel_source(std::string_view name);

}  // namespace ringlet::gpu
