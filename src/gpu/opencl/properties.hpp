// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "gpu/driver.hpp"
#include "gpu/opencl/api.hpp"

namespace ringlet::gpu {

/// What is known of an OpenCL device.
DeviceProperties query_properties(const cl::Api& api, cl::Device device);
bool is_gpu(const cl::Api& api, cl::Device device);
/// Whether it can run Ringlet's kernels: there, OpenCL 1.2, little-endian, with a compiler.
bool is_usable(const cl::Api& api, cl::Device device);
/// 10 * major + minor of the OpenCL version of a device.
unsigned opencl_version(const cl::Api& api, cl::Device device);
/// Number of compute units.
std::size_t compute_unit_count(const cl::Api& api, cl::Device device);

}  // namespace ringlet::gpu
