// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "gpu/memory/device_memory.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/rns_basis.hpp"

namespace ringlet::gpu {

/// The primitives of Backend in the memory of a device, bit for bit those of the CPU backend. No
/// primitive waits for the device; each is one or a few launches over all limbs. Where an argument
/// does not fit or memory runs out, nothing was changed.
/// @throws as make_backend.
std::shared_ptr<const Backend> make_device_backend(RnsBasis basis,
                                                   std::shared_ptr<DeviceMemory> memory);

}  // namespace ringlet::gpu
