// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/ntt/extended/extended.hpp"
#include "kernels/ntt/radix2/radix2.hpp"
#include "kernels/policy/ifma52/avx512_ifma52.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "ifma52";
constexpr CpuFeatureMask kNeeds = kIfma52Features;

/// Radix-2 butterflies four stages at a time in every pass but the first one.
constexpr NttKernel radix16() {
  NttKernel kernel = Radix2<Avx512Ifma52, 4>::descriptor(kName, kNeeds);
  kernel.algorithm = "radix16";
  kernel.named_only = true;
  return kernel;
}

constexpr NttKernel kNtt[] = {
    Extended<Avx512Ifma52, {}>::descriptor(kName, "radix4", kNeeds),
    Extended<Avx512Ifma52, {.tail = ExtendedTail::pairs}>::descriptor(kName, "r4r2", kNeeds),
    radix16(),
};

}  // namespace

constinit const KernelTable kIfma52ExtendedTable{.name = kName, .needs = kNeeds, .ntt = kNtt};

}  // namespace ringlet::kernels
