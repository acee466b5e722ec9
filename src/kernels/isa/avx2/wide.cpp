// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/policy/wide/avx2.hpp"
#include "kernels/wide/float_wide.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx2";
constexpr CpuFeatureMask kNeeds = feature_mask(CpuFeature::avx2, CpuFeature::fma);

constexpr WideKernel kWide[] = {
    float_wide_kernel<WideFloat<WideAvx2Lanes>>(kName, "float46", kNeeds)};

}  // namespace

constinit const KernelTable kAvx2WideTable{.name = kName, .needs = kNeeds, .wide = kWide};

}  // namespace ringlet::kernels
