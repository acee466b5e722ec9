// SPDX-License-Identifier: Apache-2.0
#include "gpu/backend/device_backend_kernels.hpp"

#include <algorithm>
#include <bit>

#include "base/assert.hpp"
#include "gpu/programs/module_cache.hpp"

namespace ringlet::gpu {
namespace {

// GROUP_MOST in limbs.inc.
constexpr std::size_t kGroupMost = 256;
// The most groups in dimensions 1 and 2 that drivers take.
constexpr std::size_t kMostGroups = 65535;
constexpr std::size_t kLimbsPerRow = std::size_t{1} << 15;

}  // namespace

BackendKernels::BackendKernels(DriverDevice& device, const DeviceOptions& options) {
  const Program program = backend_program(options);
  const auto module = build_module(device, program_text(program), program.definitions);
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    kernels_[i] = module->kernel(kLimbKernelNames[i]);
  }
}

void BackendKernels::launch(Queue& queue, LimbKernel kernel, std::size_t degree,
                            std::size_t limb_count, std::size_t batch_count,
                            std::span<const Argument> arguments) const {
  const Kernel& found = *kernels_[static_cast<std::size_t>(kernel)];
  const std::size_t most = std::bit_floor(std::min(kGroupMost, found.largest_group()));
  Grid grid;
  grid.group_size = std::min(degree, most);
  if (takes_batches(kernel)) {
    RINGLET_ASSERT(limb_count <= kMostGroups && batch_count <= kMostGroups);
    grid.groups = {degree / grid.group_size, limb_count, batch_count};
  } else {
    RINGLET_ASSERT(batch_count == 1);
    const std::size_t rows = (limb_count + kLimbsPerRow - 1) / kLimbsPerRow;
    grid.groups = {degree / grid.group_size, (limb_count + rows - 1) / rows, rows};
  }
  queue.launch(found, grid, arguments);
}

}  // namespace ringlet::gpu
