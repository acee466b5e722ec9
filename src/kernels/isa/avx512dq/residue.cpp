// SPDX-License-Identifier: Apache-2.0
#include "kernels/crt/half_limb_digits.hpp"
#include "kernels/crt/half_limb_finish.hpp"
#include "kernels/crt/residues.hpp"
#include "kernels/crt/shifted_sums.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/residue/avx512.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds = kAvx512DqFeatures;

constexpr ResidueKernel kResidue[] = {{.table = kName,
                                       .algorithm = "half-limbs",
                                       .needs = kNeeds,
                                       .spread = &Residues<ResidueAvx512>::spread,
                                       .join = &Residues<ResidueAvx512>::join,
                                       .reconstruct = &HalfLimbDigits<HalfLimbsAvx512>::reconstruct,
                                       .finish = &HalfLimbFinish<HalfLimbsAvx512>::finish,
                                       .add_shifts = &ShiftedSums<ResidueAvx512>::add}};

}  // namespace

constinit const KernelTable kAvx512DqResidueTable{
    .name = kName, .needs = kNeeds, .residue = kResidue};

}  // namespace ringlet::kernels
