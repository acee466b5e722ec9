// SPDX-License-Identifier: Apache-2.0
#include "kernels/crt/half_limb_digits.hpp"
#include "kernels/crt/half_limb_finish.hpp"
#include "kernels/crt/residues.hpp"
#include "kernels/crt/shifted_sums.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/residue/avx2.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx2";
constexpr CpuFeatureMask kNeeds = feature_mask(CpuFeature::avx2);

constexpr ResidueKernel kResidue[] = {{.table = kName,
                                       .algorithm = "half-limbs",
                                       .needs = kNeeds,
                                       .spread = &Residues<ResidueAvx2>::spread,
                                       .join = &Residues<ResidueAvx2>::join,
                                       .reconstruct = &HalfLimbDigits<HalfLimbsAvx2>::reconstruct,
                                       .finish = &HalfLimbFinish<HalfLimbsAvx2>::finish,
                                       .add_shifts = &ShiftedSums<ResidueAvx2>::add}};

}  // namespace

constinit const KernelTable kAvx2ResidueTable{.name = kName, .needs = kNeeds, .residue = kResidue};

}  // namespace ringlet::kernels
