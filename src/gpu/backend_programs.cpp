// SPDX-License-Identifier: Apache-2.0
#include "gpu/programs.hpp"

namespace ringlet::gpu {

std::vector<Program> backend_programs(const DeviceProperties& /*device*/) { return {}; }

}  // namespace ringlet::gpu
