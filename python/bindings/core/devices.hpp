// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/prelude.hpp"
#include "ringlet/gpu/device.hpp"

namespace ringlet::python {

/// A Device, or its name.
struct DeviceArgument {
  static constexpr char kStubType[] = "Device | str";
  nb::object object;

  /// Returns the open device. @throws InvalidArgument if it is neither; as Device::parse.
  Device open(const char* operation) const;
};

/// Returns "gpu:0, the vendor's name".
std::string describe(const Device& device);

}  // namespace ringlet::python
