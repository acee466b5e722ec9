// SPDX-License-Identifier: Apache-2.0
#include "ringlet/gpu/device.hpp"

namespace ringlet {

OutOfDeviceMemory::OutOfDeviceMemory(const ErrorDetails& details) : RuntimeError(details) {}
OutOfDeviceMemory::~OutOfDeviceMemory() = default;
void OutOfDeviceMemory::throw_with(const ErrorDetails& details) const {
  throw OutOfDeviceMemory(details);
}

}  // namespace ringlet
