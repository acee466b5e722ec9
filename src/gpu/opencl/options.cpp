// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/options.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"

namespace ringlet::gpu {

std::string opencl_options(const DeviceProperties& device, unsigned opencl_version,
                           std::span<const std::string> definitions) {
  const auto defines = [definitions](std::string_view definition) {
    return std::find(definitions.begin(), definitions.end(), definition) != definitions.end();
  };
  std::string options = "-cl-std=CL1.2";
  if (defines("SUB_GROUPS=1") && opencl_version >= 20) {
    options = opencl_version >= 30 ? "-cl-std=CL3.0" : "-cl-std=CL2.0";
  }

  constexpr std::string_view kWidth = "RINGLET_SUB_GROUP_SIZE=";
  const bool names_width =
      std::any_of(definitions.begin(), definitions.end(),
                  [&](const std::string& text) { return text.starts_with(kWidth); });
  const auto& widths = device.sub_group_sizes;
  const bool is_of_intel = !device.is_host_processor && device.vendor.starts_with("Intel");
  // GPUs without a choice of register files ignore the option.
  if (is_of_intel && defines("RINGLET_MANY_REGISTERS=1")) {
    options += " -cl-intel-256-GRF-per-thread";
  }
  if (!names_width && is_of_intel && std::find(widths.begin(), widths.end(), 16) != widths.end()) {
    options += concat(" -D ", kWidth, 16);
  }
  // Its vISA is for 16 work-items, the least width that a program names there.
  if (device.is_xe_hpc) options += " -D RINGLET_XE_HPC=1";
  for (const std::string& definition : definitions) options += concat(" -D ", definition);
  return options;
}

}  // namespace ringlet::gpu
