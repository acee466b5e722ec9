// SPDX-License-Identifier: Apache-2.0
#include "kernels/wide/wide.hpp"

#include "kernels/isa/tables.hpp"
#include "kernels/policy/wide/scalar.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "scalar64";
constexpr CpuFeatureMask kNeeds = 0;

constexpr WideKernel kWide[] = {Wide<WideScalar>::descriptor(kName, "shoup128", kNeeds)};

}  // namespace

constinit const KernelTable kScalar64WideTable{.name = kName, .needs = kNeeds, .wide = kWide};

}  // namespace ringlet::kernels
