// SPDX-License-Identifier: Apache-2.0
#include "kernels/conversion/tiled.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/conversion/half_words.hpp"
#include "kernels/policy/harvey64/avx2_harvey64.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx2";
constexpr CpuFeatureMask kNeeds = feature_mask(CpuFeature::avx2);

constexpr ConversionKernel kConversion[] = {
    tiled_conversion_kernel<ConversionHalfWords<Avx2Harvey64, 2>>(kName, kNeeds)};

}  // namespace

constinit const KernelTable kAvx2ConversionTable{
    .name = kName, .needs = kNeeds, .conversion = kConversion};

}  // namespace ringlet::kernels
