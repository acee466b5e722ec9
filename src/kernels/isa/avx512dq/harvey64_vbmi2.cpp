// SPDX-License-Identifier: Apache-2.0
#include "kernels/eltwise/loops.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/harvey64/avx512vbmi2_harvey64.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds =
    kAvx512DqFeatures | feature_mask(CpuFeature::avx512bw, CpuFeature::avx512vbmi2);

using enum EltwiseOperation;
constexpr const char* kAlgorithm = "barrett-vbmi2";
constexpr EltwiseKernel kEltwise[] = {
    eltwise_kernel<Avx512Vbmi2Barrett64, multiply>(kName, kNeeds, kAlgorithm),
    eltwise_kernel<Avx512Vbmi2Barrett64, multiply_add>(kName, kNeeds, kAlgorithm),
};

}  // namespace

constinit const KernelTable kAvx512DqVbmi2Table{
    .name = kName, .needs = kNeeds, .eltwise = kEltwise};

}  // namespace ringlet::kernels
