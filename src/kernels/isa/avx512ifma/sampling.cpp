// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "kernels/isa/tables.hpp"
#include "kernels/policy/sampling/ifma52.hpp"
#include "kernels/sampling/descriptor.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "ifma52";
constexpr CpuFeatureMask kNeeds = feature_mask(
    CpuFeature::avx2, CpuFeature::fma, CpuFeature::avx512f, CpuFeature::avx512dq,
    CpuFeature::avx512bw, CpuFeature::avx512ifma, CpuFeature::avx512vbmi2, CpuFeature::bmi2);

constexpr SamplingKernel kSampling[] = {
    sampling_kernel<SamplingVbmi2, ResiduesOfEither<SamplingIfma52, SamplingVbmi2>>(kName, kNeeds)};

}  // namespace

constinit const KernelTable kIfma52SamplingTable{
    .name = kName, .needs = kNeeds, .sampling = kSampling, .sampling_count = std::size(kSampling)};

}  // namespace ringlet::kernels
