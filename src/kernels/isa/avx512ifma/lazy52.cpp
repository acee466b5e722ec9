// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/ntt/lazy/lazy.hpp"
#include "kernels/policy/ifma52/avx512_lazy52.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "ifma52";
constexpr CpuFeatureMask kNeeds = kIfma52Features;

constexpr NttKernel kNtt[] = {Lazy<Avx512Lazy52>::descriptor(kName, kNeeds)};

}  // namespace

constinit const KernelTable kIfma52LazyTable{.name = kName, .needs = kNeeds, .ntt = kNtt};

}  // namespace ringlet::kernels
