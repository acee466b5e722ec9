// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// The processor that this process runs on.
struct CpuInfo {
  std::string model;                  ///< Name that the processor reports, else "unknown".
  std::vector<std::string> features;  ///< Detected instruction-set extensions that kernels use.
  /// Known properties of the processor's speed; they change which kernels the estimate prefers.
  std::vector<std::string> traits;
};

/// Returns the processor's name and the instruction-set extensions that the operating system
/// enables.
RINGLET_API CpuInfo cpu_info();

}  // namespace ringlet
