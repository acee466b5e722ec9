// SPDX-License-Identifier: Apache-2.0
#include "kernels/policy/avx2_harvey64.hpp"

#include "kernels/isa/tables.hpp"
#include "kernels/ntt/radix2.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx2";
constexpr CpuFeatureMask kNeeds = feature_mask(CpuFeature::avx2);

constexpr NttKernel kNtt[] = {Radix2<Avx2Harvey64>::descriptor(kName, kNeeds)};

}  // namespace

constinit const KernelTable kAvx2Table{kName, kNeeds, kNtt, 1, nullptr, 0};

}  // namespace ringlet::kernels
