// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/policy/sampling/scalar64.hpp"
#include "kernels/sampling/descriptor.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "scalar64";
constexpr CpuFeatureMask kNeeds = CpuFeatureMask{0};

constexpr SamplingKernel kSampling[] = {sampling_kernel<SamplingScalar64>(kName, kNeeds)};

}  // namespace

constinit const KernelTable kScalar64SamplingTable{
    .name = kName, .needs = kNeeds, .sampling = kSampling};

}  // namespace ringlet::kernels
