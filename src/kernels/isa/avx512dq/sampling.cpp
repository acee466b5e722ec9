// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "kernels/isa/tables.hpp"
#include "kernels/policy/sampling/avx512.hpp"
#include "kernels/sampling/descriptor.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds =
    feature_mask(CpuFeature::avx2, CpuFeature::fma, CpuFeature::avx512f, CpuFeature::avx512dq,
                 CpuFeature::avx512bw, CpuFeature::bmi2);

constexpr SamplingKernel kSampling[] = {sampling_kernel<SamplingAvx512>(kName, kNeeds)};

}  // namespace

constinit const KernelTable kAvx512DqSamplingTable{
    .name = kName, .needs = kNeeds, .sampling = kSampling, .sampling_count = std::size(kSampling)};

}  // namespace ringlet::kernels
