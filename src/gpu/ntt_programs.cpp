// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "gpu/ntt_plan.hpp"
#include "gpu/programs.hpp"

namespace ringlet::gpu {
namespace {

constexpr std::array kVariants{GpuNtt::naive,     GpuNtt::simd_8_8, GpuNtt::simd_16_8,
                               GpuNtt::simd_32_8, GpuNtt::radix4,   GpuNtt::radix8,
                               GpuNtt::radix16};

}  // namespace

std::vector<Program> ntt_programs(const DeviceProperties& device) {
  std::vector<Program> programs;
  const auto add = [&](const NttRequest& request) {
    programs.push_back(make_ntt_plan(request, device).program);
  };
  for (const GpuNtt variant : kVariants) {
    for (const NttPaths paths : {NttPaths::lazy, NttPaths::exact, NttPaths::both}) {
      for (const bool assembly : {true, false}) {
        // There is assembly for CUDA alone.
        if (assembly && device.api != Api::cuda) continue;
        add({.variant = variant, .log_degree = 15, .paths = paths, .use_assembly = assembly});
      }
    }
    // What is particular about small and large degrees: less than one set, less than one block,
    // more than one pass through global memory.
    for (const int log_degree : {1, 4, 10, 17}) {
      add({.variant = variant, .log_degree = log_degree, .paths = NttPaths::both});
    }
  }
  return programs;
}

}  // namespace ringlet::gpu
