// SPDX-License-Identifier: Apache-2.0
#include "kernels/conversion/tiled.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/conversion/scalar64.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "scalar64";
constexpr CpuFeatureMask kNeeds = 0;

constexpr ConversionKernel kConversion[] = {
    tiled_conversion_kernel<ConversionScalar64>(kName, kNeeds)};

}  // namespace

constinit const KernelTable kScalar64ConversionTable{
    .name = kName, .needs = kNeeds, .conversion = kConversion};

}  // namespace ringlet::kernels
