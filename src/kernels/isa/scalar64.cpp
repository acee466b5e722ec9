// SPDX-License-Identifier: Apache-2.0
#include "kernels/policy/scalar64.hpp"

#include "kernels/isa/tables.hpp"
#include "kernels/ntt/radix2.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "scalar64";
constexpr CpuFeatureMask kNeeds = CpuFeatureMask{0};

constexpr NttKernel kNtt[] = {Radix2<Scalar64>::descriptor(kName, kNeeds)};

}  // namespace

constinit const KernelTable kScalar64Table{kName, kNeeds, kNtt, 1, nullptr, 0};

}  // namespace ringlet::kernels
