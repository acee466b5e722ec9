// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/driver.hpp"
#include "gpu/programs.hpp"
#include "ringlet/device.hpp"

namespace ringlet::gpu {

/// The arithmetic that the primes of a basis need, as src/gpu/kernels/ntt_butterfly.inc has it.
enum class NttPaths : std::uint8_t { lazy = 1, exact = 2, both = 3 };

/// Primes below 2^kLazyPrimeBits go the lazy path, if the options have it.
inline constexpr int kLazyPrimeBits = 57;

/// One launch: groups of one limb, and what the kernel takes beside the limbs.
struct NttStep {
  std::string kernel;
  std::size_t groups = 1;
  std::size_t group_size = 1;
  bool has_gap = false;
  std::uint64_t log_gap = 0;  ///< Of radix-2 rounds.
};

/// How transforms of one degree are computed on a device: a pure function of what is asked for and
/// of the device's properties.
struct NttPlan {
  std::string name;  ///< "radix8", "simd(8,8)", "simd(8,8) by emulated shuffles".
  Program program;
  std::vector<NttStep> forward;
  std::vector<NttStep> inverse;
  /// Levels of the passes in the forward order, which lay out the tables of roots.
  std::vector<int> pass_levels;
};

/// What a plan is made for.
struct NttRequest {
  GpuNtt variant = GpuNtt::radix8;
  int log_degree = 0;  ///< At least 1.
  NttPaths paths = NttPaths::both;
  bool use_assembly = true;
};

/// @throws RuntimeError if a shuffle variant is asked for and the device has sub-groups, but none
///         of 8 work-items or more.
NttPlan make_ntt_plan(const NttRequest& request, const DeviceProperties& device);

}  // namespace ringlet::gpu
