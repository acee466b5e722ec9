// SPDX-License-Identifier: Apache-2.0
#include "kernels/policy/accumulator/float.hpp"

#include "kernels/eltwise/float_kernel.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/float/avx2_float.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx2";
constexpr CpuFeatureMask kNeeds = feature_mask(CpuFeature::avx2, CpuFeature::fma);

using Policy = FloatQuotient<Avx2FloatLanes>;
using enum EltwiseOperation;
constexpr EltwiseKernel kEltwise[] = {
    float_kernel<Policy, multiply>(kName, kNeeds),
    float_kernel<Policy, multiply_add>(kName, kNeeds),
    float_kernel<Policy, multiply_scalar>(kName, kNeeds),
    float_kernel<Policy, multiply_scalar_add>(kName, kNeeds),
    float_sum_kernel<FloatSums<Avx2FloatLanes, 2>>(kName, kNeeds),
    float_kernel<Policy, reduce>(kName, kNeeds),
    float_kernel<Policy, compare_subtract>(kName, kNeeds),
};

}  // namespace

constinit const KernelTable kAvx2FloatTable{.name = kName, .needs = kNeeds, .eltwise = kEltwise};

}  // namespace ringlet::kernels
