// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/prelude.hpp"
#include "ringlet/gpu/device.hpp"

namespace ringlet::python {

/// A Device, or its name.
struct DeviceArgument {
  static constexpr char kStubType[] = "Device | str";
  nb::object object;

  /// The open device. @throws InvalidArgument if it is neither; what Device::parse throws.
  Device open(const char* operation) const;
};

/// "gpu:0, the vendor's name".
std::string describe(const Device& device);

}  // namespace ringlet::python
