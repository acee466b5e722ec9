// SPDX-License-Identifier: Apache-2.0
#include "kernels/policy/limbs56/vmsl56.hpp"

#include "kernels/isa/tables.hpp"
#include "kernels/ntt/extended/extended.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "vmsl56";
constexpr CpuFeatureMask kNeeds = feature_mask(CpuFeature::vxe);

/// The best kernel on this processor, so it is chosen without being named.
constexpr NttKernel radix4() {
  NttKernel kernel = Extended<Vmsl56, {}>::descriptor(kName, "radix4", kNeeds);
  kernel.named_only = false;
  return kernel;
}

constexpr NttKernel kNtt[] = {radix4()};

}  // namespace

constinit const KernelTable kVmsl56Table{.name = kName, .needs = kNeeds, .ntt = kNtt};

}  // namespace ringlet::kernels
