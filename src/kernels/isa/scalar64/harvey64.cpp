// SPDX-License-Identifier: Apache-2.0
#include "kernels/eltwise/accumulate.hpp"
#include "kernels/eltwise/loops.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/ntt/radix2/radix2.hpp"
#include "kernels/ntt/radix2/two.hpp"
#include "kernels/policy/accumulator/scalar64.hpp"
#include "kernels/policy/harvey64/scalar64.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "scalar64";
constexpr CpuFeatureMask kNeeds = CpuFeatureMask{0};

constexpr NttKernel kNtt[] = {
    TwoRadix2<Scalar64>::with_two(Radix2<Scalar64>::descriptor(kName, kNeeds))};

using enum EltwiseOperation;
constexpr EltwiseKernel kEltwise[] = {
    eltwise_kernel<Scalar64, add>(kName, kNeeds),
    eltwise_kernel<Scalar64, add_scalar>(kName, kNeeds),
    eltwise_kernel<Scalar64, subtract>(kName, kNeeds),
    eltwise_kernel<Scalar64, subtract_scalar>(kName, kNeeds),
    eltwise_kernel<Scalar64, negate>(kName, kNeeds),
    eltwise_kernel<Scalar64, multiply>(kName, kNeeds),
    eltwise_kernel<Scalar64, multiply_add>(kName, kNeeds),
    eltwise_kernel<Scalar64, multiply_scalar>(kName, kNeeds),
    eltwise_kernel<Scalar64, multiply_scalar_add>(kName, kNeeds),
    eltwise_kernel<Scalar64, reduce>(kName, kNeeds),
    eltwise_kernel<Scalar64, reduce_range>(kName, kNeeds),
    eltwise_kernel<Scalar64, compare_add>(kName, kNeeds),
    eltwise_kernel<Scalar64, compare_subtract>(kName, kNeeds),
    accumulate_kernel<Scalar64Sums, multiply_accumulate>(kName, kNeeds),
    accumulate_kernel<Scalar64Sums, dot>(kName, kNeeds),
};

}  // namespace

constinit const KernelTable kScalar64Table{
    .name = kName, .needs = kNeeds, .ntt = kNtt, .eltwise = kEltwise};

}  // namespace ringlet::kernels
