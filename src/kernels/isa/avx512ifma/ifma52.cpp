// SPDX-License-Identifier: Apache-2.0
#include "kernels/policy/accumulator/ifma52.hpp"

#include "kernels/eltwise/accumulate.hpp"
#include "kernels/eltwise/loops.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/ntt/radix2/exact.hpp"
#include "kernels/ntt/radix2/radix2.hpp"
#include "kernels/policy/ifma52/avx512_exact52.hpp"
#include "kernels/policy/ifma52/avx512_ifma52.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "ifma52";
constexpr CpuFeatureMask kNeeds = kIfma52Features;

/// Avoids processors that multiply words in one operation: float-long has less to do there.
constexpr NttKernel exact() {
  NttKernel kernel = ExactRadix2<Avx512Exact52>::descriptor(kName, kNeeds);
  kernel.avoids = trait_bit(CpuTrait::fast_multiply64);
  return kernel;
}

constexpr NttKernel kNtt[] = {Radix2<Avx512Ifma52>::descriptor(kName, kNeeds), exact()};

using enum EltwiseOperation;
constexpr const char* kWordAlgorithm = "barrett-word";
constexpr EltwiseKernel kEltwise[] = {
    eltwise_kernel<Avx512Ifma52, multiply>(kName, kNeeds),
    eltwise_kernel<Avx512Ifma52, multiply_add>(kName, kNeeds),
    eltwise_kernel<Avx512Ifma52, multiply_scalar>(kName, kNeeds),
    eltwise_kernel<Avx512Ifma52, multiply_scalar_add>(kName, kNeeds),
    eltwise_kernel<Avx512Ifma52, reduce>(kName, kNeeds, kWordAlgorithm),
    eltwise_kernel<Avx512Ifma52, compare_subtract>(kName, kNeeds, kWordAlgorithm),
    accumulate_kernel<Ifma52Sums, multiply_accumulate>(kName, kNeeds),
    accumulate_kernel<Ifma52Sums, dot>(kName, kNeeds),
};

}  // namespace

constinit const KernelTable kIfma52Table{
    .name = kName, .needs = kNeeds, .ntt = kNtt, .eltwise = kEltwise};

}  // namespace ringlet::kernels
