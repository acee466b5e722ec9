// SPDX-License-Identifier: Apache-2.0
#include "kernels/policy/accumulator/float.hpp"

#include "kernels/eltwise/float_kernel.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/float/avx512_float.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds = kAvx512DqFeatures;

using Policy = FloatQuotient<Avx512FloatLanes>;
using enum EltwiseOperation;
constexpr EltwiseKernel kEltwise[] = {
    float_kernel<Policy, multiply>(kName, kNeeds),
    float_kernel<Policy, multiply_add>(kName, kNeeds),
    float_kernel<Avx512LongFloat, multiply>(kName, kNeeds, "float-long"),
    float_kernel<Avx512LongFloat, multiply_add>(kName, kNeeds, "float-long"),
    float_kernel<Policy, multiply_scalar>(kName, kNeeds),
    float_kernel<Policy, multiply_scalar_add>(kName, kNeeds),
    float_sum_kernel<FloatSums<Avx512FloatLanes, 4>>(kName, kNeeds),
    float_kernel<Policy, reduce>(kName, kNeeds),
    float_kernel<Policy, compare_subtract>(kName, kNeeds),
};

}  // namespace

constinit const KernelTable kAvx512DqFloatTable{
    .name = kName, .needs = kNeeds, .eltwise = kEltwise};

}  // namespace ringlet::kernels
