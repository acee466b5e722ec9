// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "kernels/isa/tables.hpp"
#include "kernels/ntt/lazy/lazy.hpp"
#include "kernels/policy/ifma52/avx512_lazy52.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "ifma52";
constexpr CpuFeatureMask kNeeds =
    feature_mask(CpuFeature::avx2, CpuFeature::fma, CpuFeature::avx512f, CpuFeature::avx512dq,
                 CpuFeature::avx512ifma);

constexpr NttKernel kNtt[] = {Lazy<Avx512Lazy52>::descriptor(kName, kNeeds)};

}  // namespace

constinit const KernelTable kIfma52LazyTable{kName, kNeeds, kNtt, std::size(kNtt), nullptr, 0};

}  // namespace ringlet::kernels
