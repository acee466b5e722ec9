// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/policy/sampling/avx2.hpp"
#include "kernels/sampling/descriptor.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx2";
constexpr CpuFeatureMask kNeeds = feature_mask(CpuFeature::avx2, CpuFeature::bmi2);

constexpr SamplingKernel kSampling[] = {sampling_kernel<SamplingAvx2>(kName, kNeeds)};

}  // namespace

constinit const KernelTable kAvx2SamplingTable{
    .name = kName, .needs = kNeeds, .sampling = kSampling};

}  // namespace ringlet::kernels
