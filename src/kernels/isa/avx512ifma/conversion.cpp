// SPDX-License-Identifier: Apache-2.0
#include "kernels/conversion/tiled.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/conversion/ifma52.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "ifma52";
constexpr CpuFeatureMask kNeeds = kIfma52Features;

constexpr ConversionKernel kConversion[] = {
    tiled_conversion_kernel<ConversionIfma52>(kName, kNeeds)};

}  // namespace

constinit const KernelTable kIfma52ConversionTable{
    .name = kName, .needs = kNeeds, .conversion = kConversion};

}  // namespace ringlet::kernels
