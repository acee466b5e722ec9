// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// The processor that this process runs on.
struct CpuInfo {
  std::string model;                  ///< Name as the processor gives it; "unknown" if it does not.
  std::vector<std::string> features;  ///< Detected instruction-set extensions that kernels use.
  /// What is known of its speed and changes which kernels an estimate prefers.
  std::vector<std::string> traits;
};

/// Reads the processor's name and the instruction-set extensions that the operating system enables.
RINGLET_API CpuInfo cpu_info();

}  // namespace ringlet
