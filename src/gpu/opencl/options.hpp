// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "gpu/driver.hpp"

namespace ringlet::gpu {

/// Returns the options of every compilation for a device with OpenCL version opencl_version / 10:
/// the language, then the definitions ("NAME=value"). The language is OpenCL C 1.2, which all
/// devices have; with the definition SUB_GROUPS=1 a version with sub-groups, if the device has one.
///
/// GPUs of Intel get RINGLET_SUB_GROUP_SIZE=16 where they have that width and the definitions name
/// none: with 32 work-items to a thread their compiler runs out of registers. For definitions with
/// RINGLET_MANY_REGISTERS=1 an option gives a thread twice as many registers, where the GPU can;
/// then half as many threads share them.
std::string opencl_options(const DeviceProperties& device, unsigned opencl_version,
                           std::span<const std::string> definitions);

}  // namespace ringlet::gpu
