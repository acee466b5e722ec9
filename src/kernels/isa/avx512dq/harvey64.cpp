// SPDX-License-Identifier: Apache-2.0
#include "kernels/eltwise/accumulate.hpp"
#include "kernels/eltwise/loops.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/ntt/radix2/radix2.hpp"
#include "kernels/policy/accumulator/half_words.hpp"
#include "kernels/policy/harvey64/avx512_harvey64.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds = kAvx512DqFeatures;

constexpr NttKernel kNtt[] = {Radix2<Avx512Harvey64>::descriptor(kName, kNeeds)};

using enum EltwiseOperation;
// Kernels with little arithmetic wait for their stores on these processors.
constexpr auto kSlowStores = CpuTrait::half_rate_store512;
constexpr EltwiseKernel kEltwise[] = {
    avoiding(kSlowStores, eltwise_kernel<Avx512Harvey64, add>(kName, kNeeds)),
    eltwise_kernel<Avx512Harvey64, add_scalar>(kName, kNeeds),
    avoiding(kSlowStores, eltwise_kernel<Avx512Harvey64, subtract>(kName, kNeeds)),
    eltwise_kernel<Avx512Harvey64, subtract_scalar>(kName, kNeeds),
    eltwise_kernel<Avx512Harvey64, negate>(kName, kNeeds),
    eltwise_kernel<Avx512Harvey64, multiply>(kName, kNeeds),
    eltwise_kernel<Avx512Harvey64, multiply_add>(kName, kNeeds),
    eltwise_kernel<Avx512Harvey64, multiply_scalar>(kName, kNeeds),
    eltwise_kernel<Avx512Harvey64, multiply_scalar_add>(kName, kNeeds),
    eltwise_kernel<Avx512Harvey64, reduce>(kName, kNeeds),
    eltwise_kernel<Avx512Harvey64, reduce_range>(kName, kNeeds),
    avoiding(kSlowStores, eltwise_kernel<Avx512Harvey64, compare_add>(kName, kNeeds)),
    eltwise_kernel<Avx512Harvey64, compare_subtract>(kName, kNeeds),
    accumulate_kernel<HalfWordSums<Avx512Harvey64, 4>, multiply_accumulate>(kName, kNeeds),
    accumulate_kernel<HalfWordSums<Avx512Harvey64, 4>, dot>(kName, kNeeds),
};

}  // namespace

constinit const KernelTable kAvx512DqTable{
    .name = kName, .needs = kNeeds, .ntt = kNtt, .eltwise = kEltwise};

}  // namespace ringlet::kernels
