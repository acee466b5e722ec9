// SPDX-License-Identifier: Apache-2.0
#include "lab/kernels/projection.hpp"

namespace ringlet::kernels {

const WideProjections& available_projections() {
  static constexpr WideProjections kNone;
#ifdef RINGLET_AVX512_KERNELS
  if ((kMqxProjections.needs & ~detected_cpu_features()) == 0) return kMqxProjections;
#endif
  return kNone;
}

}  // namespace ringlet::kernels
