// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/policy/sampling/avx512.hpp"
#include "kernels/sampling/descriptor.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds =
    kAvx512DqFeatures | feature_mask(CpuFeature::avx512bw, CpuFeature::bmi2);

constexpr SamplingKernel kSampling[] = {sampling_kernel<SamplingAvx512>(kName, kNeeds)};

}  // namespace

constinit const KernelTable kAvx512DqSamplingTable{
    .name = kName, .needs = kNeeds, .sampling = kSampling};

}  // namespace ringlet::kernels
