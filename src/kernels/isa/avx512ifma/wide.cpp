// SPDX-License-Identifier: Apache-2.0
#include "kernels/wide/wide.hpp"

#include "kernels/isa/tables.hpp"
#include "kernels/policy/wide/ifma52.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "ifma52";
constexpr CpuFeatureMask kNeeds = kIfma52Features | feature_mask(CpuFeature::avx512vbmi2);

template <Ifma52Reduction kReduction>
constexpr WideKernel describe(const char* algorithm) {
  using Policy = WideIfma52<kReduction>;
  WideKernel kernel = Wide<Policy>::descriptor(kName, algorithm, kNeeds);
  kernel.min_modulus_bits = Policy::kMinModulusBits;
  kernel.special_modulus = Policy::Products::kIsSpecial;
  return kernel;
}

constexpr WideKernel kWide[] = {describe<Ifma52Reduction::special>("special"),
                                describe<Ifma52Reduction::shoup>("shoup"),
                                describe<Ifma52Reduction::montgomery>("montgomery")};

}  // namespace

constinit const KernelTable kIfma52WideTable{.name = kName, .needs = kNeeds, .wide = kWide};

}  // namespace ringlet::kernels
