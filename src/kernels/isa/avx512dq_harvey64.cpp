// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/ntt/radix2.hpp"
#include "kernels/policy/avx512_harvey64.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds =
    feature_mask(CpuFeature::avx2, CpuFeature::fma, CpuFeature::avx512f, CpuFeature::avx512dq);

constexpr NttKernel kNtt[] = {Radix2<Avx512Harvey64>::descriptor(kName, kNeeds)};

}  // namespace

constinit const KernelTable kAvx512DqTable{kName, kNeeds, kNtt, 1, nullptr, 0};

}  // namespace ringlet::kernels
