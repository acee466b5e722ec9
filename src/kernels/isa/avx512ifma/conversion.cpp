// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "kernels/conversion/tiled.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/conversion/ifma52.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "ifma52";
constexpr CpuFeatureMask kNeeds =
    feature_mask(CpuFeature::avx2, CpuFeature::fma, CpuFeature::avx512f, CpuFeature::avx512dq,
                 CpuFeature::avx512ifma);

constexpr ConversionKernel kConversion[] = {
    tiled_conversion_kernel<ConversionIfma52>(kName, kNeeds)};

}  // namespace

constinit const KernelTable kIfma52ConversionTable{.name = kName,
                                                   .needs = kNeeds,
                                                   .conversion = kConversion,
                                                   .conversion_count = std::size(kConversion)};

}  // namespace ringlet::kernels
