// SPDX-License-Identifier: Apache-2.0
#include "kernels/crt/half_limb_finish.hpp"
#include "kernels/crt/mixed_radix.hpp"
#include "kernels/crt/residues.hpp"
#include "kernels/crt/shifted_sums.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/residue/ifma52.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "ifma52";
constexpr CpuFeatureMask kNeeds = kIfma52Features;

constexpr ResidueKernel kResidue[] = {{.table = kName,
                                       .algorithm = "mixed-limbs",
                                       .needs = kNeeds,
                                       .spread = &Residues<ResidueIfma52>::spread,
                                       .join = &Residues<ResidueIfma52>::join,
                                       .reconstruct = &MixedRadixKernel<ResidueIfma52>::reconstruct,
                                       .finish = &HalfLimbFinish<HalfLimbsIfma52>::finish,
                                       .add_shifts = &ShiftedSums<ResidueIfma52>::add}};

}  // namespace

constinit const KernelTable kIfma52ResidueTable{
    .name = kName, .needs = kNeeds, .residue = kResidue};

}  // namespace ringlet::kernels
