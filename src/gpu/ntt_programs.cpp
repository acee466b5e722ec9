// SPDX-License-Identifier: Apache-2.0
#include "gpu/programs.hpp"

namespace ringlet::gpu {

std::vector<Program> ntt_programs(const DeviceProperties& /*device*/) { return {}; }

}  // namespace ringlet::gpu
