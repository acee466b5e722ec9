// SPDX-License-Identifier: Apache-2.0
#include "lab/kernels/projection.hpp"

namespace ringlet::kernels {
namespace {

const WideProjections& available_projections() {
  static constexpr WideProjections kNone;
#ifdef RINGLET_AVX512_KERNELS
  if ((kMqxProjections.needs & ~detected_cpu_features()) == 0) return kMqxProjections;
#endif
  return kNone;
}

}  // namespace

std::span<const ProjectedWideKernel> projected_wide_kernels() {
  const WideProjections& found = available_projections();
  return {found.projected, found.projected_count};
}

std::span<const StandInWideKernel> stand_in_wide_kernels() {
  const WideProjections& found = available_projections();
  return {found.stand_ins, found.stand_in_count};
}

}  // namespace ringlet::kernels
