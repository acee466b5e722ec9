// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/policy/sampling/ifma52.hpp"
#include "kernels/sampling/descriptor.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "ifma52";
constexpr CpuFeatureMask kNeeds =
    kIfma52Features | feature_mask(CpuFeature::avx512bw, CpuFeature::avx512vbmi2, CpuFeature::bmi2);

constexpr SamplingKernel kSampling[] = {
    sampling_kernel<SamplingVbmi2, ResiduesOfEither<SamplingIfma52, SamplingVbmi2>>(kName, kNeeds)};

}  // namespace

constinit const KernelTable kIfma52SamplingTable{
    .name = kName, .needs = kNeeds, .sampling = kSampling};

}  // namespace ringlet::kernels
