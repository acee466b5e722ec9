// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/policy/harvey64/scalar64.hpp"
#include "lab/kernels/extended_two.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "scalar64";
constexpr CpuFeatureMask kNeeds = CpuFeatureMask{0};

constexpr NttKernel kNtt[] = {
    TwoExtended<Scalar64, {}>::with_two(
        Extended<Scalar64, {}>::descriptor(kName, "radix4", kNeeds)),
    Extended<Scalar64, {.pass_stages = 4}>::descriptor(kName, "radix4x4", kNeeds),
    Extended<Scalar64, {.order = TwiddleOrder::extended_reverse}>::descriptor(
        kName, "radix4-reverse", kNeeds),
};

}  // namespace

constinit const KernelTable kScalar64ExtendedTable{.name = kName, .needs = kNeeds, .ntt = kNtt};

}  // namespace ringlet::kernels
