// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "gpu/driver.hpp"
#include "gpu/opencl/api.hpp"

namespace ringlet::gpu {

/// Drives the devices of a library; load_opencl with one that is loaded.
std::shared_ptr<Driver> make_opencl_driver(std::shared_ptr<const cl::Api> api);

}  // namespace ringlet::gpu
