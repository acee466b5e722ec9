// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "gpu/backend/ntt_plan.hpp"
#include "gpu/programs/programs.hpp"

namespace ringlet::gpu {
namespace {

constexpr std::array kVariants{GpuNtt::naive,     GpuNtt::simd_8_8, GpuNtt::simd_16_8,
                               GpuNtt::simd_32_8, GpuNtt::radix4,   GpuNtt::radix8,
                               GpuNtt::radix16};

}  // namespace

std::vector<Program> ntt_programs(const DeviceProperties& device) {
  std::vector<Program> programs;
  std::optional<NttFusion> fusion;
  const auto add = [&](GpuNtt variant, int log_degree, NttPaths paths, bool assembly) {
    Program program = make_ntt_plan({.variant = variant,
                                     .log_degree = log_degree,
                                     .paths = paths,
                                     .use_assembly = assembly,
                                     .fusion = fusion},
                                    device)
                          .program;
    // Several variants are the naive one at small degrees.
    const bool is_there =
        std::ranges::find(programs, program.name, &Program::name) != programs.end();
    if (!is_there) programs.push_back(std::move(program));
  };
  // Words of 32 bits have no assembly.
  const bool has_assembly = device.has_assembly();
  for (const GpuNtt variant : kVariants) {
    for (const NttPaths paths : {kLazyPaths, kExactPaths}) {
      add(variant, 15, paths, has_assembly);
      if (has_assembly) add(variant, 15, paths, false);
    }
    add(variant, 15, kNarrowPaths, has_assembly);
    // Special cases of small and large degrees: less than one set, less than one block, more than
    // one pass through global memory.
    for (const int log_degree : {1, 4, 10, 15, 17})
      add(variant, log_degree, kAllPaths, has_assembly);
  }
  for (const NttPaths paths :
       {NttPaths{kLazyPaths | kExactPaths}, NttPaths{kLazyPaths | kNarrowPaths},
        NttPaths{kExactPaths | kNarrowPaths}}) {
    add(GpuNtt::radix8, 15, paths, has_assembly);
  }
  // Blocks of 8192 words.
  for (const int log_degree : {13, 17}) add(GpuNtt::radix8, log_degree, kNarrowPaths, has_assembly);
  for (const NttFusion each : {NttFusion::lift_digits, NttFusion::divide_by_prime,
                               NttFusion::divide, NttFusion::make_digits}) {
    fusion = each;
    for (const NttPaths paths : {kLazyPaths, kExactPaths, kNarrowPaths, kAllPaths}) {
      add(GpuNtt::radix8, 15, paths, has_assembly);
    }
    for (const int log_degree : {1, 4, 12, 17})
      add(GpuNtt::radix8, log_degree, kAllPaths, has_assembly);
    add(GpuNtt::radix8, 13, kNarrowPaths, has_assembly);
    for (const GpuNtt variant : {GpuNtt::radix4, GpuNtt::radix16}) {
      add(variant, 15, kAllPaths, has_assembly);
    }
  }
  return programs;
}

}  // namespace ringlet::gpu
