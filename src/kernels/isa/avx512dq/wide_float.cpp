// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/policy/wide/avx512_float.hpp"
#include "kernels/wide/float_wide.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds = kAvx512DqFeatures;

constexpr WideKernel kWide[] = {
    float_wide_kernel<WideFloat<WideAvx512FloatLanes>>(kName, "float46", kNeeds)};

}  // namespace

constinit const KernelTable kAvx512DqWideFloatTable{.name = kName, .needs = kNeeds, .wide = kWide};

}  // namespace ringlet::kernels
