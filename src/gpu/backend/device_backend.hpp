// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "gpu/memory/device_memory.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/rns_basis.hpp"

namespace ringlet::gpu {

/// Makes a backend in the memory of a device; its results equal those of the CPU backend bit for
/// bit. No primitive waits for the device; each is one or a few launches over all limbs. A
/// primitive that refuses an argument or finds no memory has changed nothing.
/// @throws as make_backend.
std::shared_ptr<const Backend> make_device_backend(RnsBasis basis,
                                                   std::shared_ptr<DeviceMemory> memory);

}  // namespace ringlet::gpu
