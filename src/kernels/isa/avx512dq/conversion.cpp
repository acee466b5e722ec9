// SPDX-License-Identifier: Apache-2.0
#include "kernels/conversion/tiled.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/conversion/half_words.hpp"
#include "kernels/policy/harvey64/avx512_harvey64.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds = kAvx512DqFeatures;

constexpr ConversionKernel kConversion[] = {
    tiled_conversion_kernel<ConversionHalfWords<Avx512Harvey64, 4>>(kName, kNeeds)};

}  // namespace

constinit const KernelTable kAvx512DqConversionTable{
    .name = kName, .needs = kNeeds, .conversion = kConversion};

}  // namespace ringlet::kernels
