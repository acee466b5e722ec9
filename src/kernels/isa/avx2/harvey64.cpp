// SPDX-License-Identifier: Apache-2.0
#include "kernels/eltwise/accumulate.hpp"
#include "kernels/eltwise/loops.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/ntt/radix2/radix2.hpp"
#include "kernels/policy/accumulator/half_words.hpp"
#include "kernels/policy/harvey64/avx2_harvey64.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx2";
constexpr CpuFeatureMask kNeeds = feature_mask(CpuFeature::avx2);

constexpr NttKernel kNtt[] = {Radix2<Avx2Harvey64>::descriptor(kName, kNeeds)};

using enum EltwiseOperation;
constexpr EltwiseKernel kEltwise[] = {
    eltwise_kernel<Avx2Harvey64, add>(kName, kNeeds),
    eltwise_kernel<Avx2Harvey64, add_scalar>(kName, kNeeds),
    eltwise_kernel<Avx2Harvey64, subtract>(kName, kNeeds),
    eltwise_kernel<Avx2Harvey64, subtract_scalar>(kName, kNeeds),
    eltwise_kernel<Avx2Harvey64, negate>(kName, kNeeds),
    eltwise_kernel<Avx2Harvey64, multiply>(kName, kNeeds),
    eltwise_kernel<Avx2Harvey64, multiply_add>(kName, kNeeds),
    eltwise_kernel<Avx2Harvey64, multiply_scalar>(kName, kNeeds),
    eltwise_kernel<Avx2Harvey64, multiply_scalar_add>(kName, kNeeds),
    eltwise_kernel<Avx2Harvey64, reduce>(kName, kNeeds),
    eltwise_kernel<Avx2Harvey64, reduce_range>(kName, kNeeds),
    eltwise_kernel<Avx2Harvey64, compare_add>(kName, kNeeds),
    eltwise_kernel<Avx2Harvey64, compare_subtract>(kName, kNeeds),
    accumulate_kernel<HalfWordSums<Avx2Harvey64, 2>, multiply_accumulate>(kName, kNeeds),
    accumulate_kernel<HalfWordSums<Avx2Harvey64, 2>, dot>(kName, kNeeds),
};

}  // namespace

constinit const KernelTable kAvx2Table{
    .name = kName, .needs = kNeeds, .ntt = kNtt, .eltwise = kEltwise};

}  // namespace ringlet::kernels
