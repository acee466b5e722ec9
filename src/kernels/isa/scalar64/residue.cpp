// SPDX-License-Identifier: Apache-2.0
#include "kernels/crt/residues.hpp"
#include "kernels/crt/shifted_sums.hpp"
#include "kernels/crt/word_digits.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/residue/scalar64.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "scalar64";
constexpr CpuFeatureMask kNeeds = 0;

constexpr ResidueKernel kResidue[] = {{.table = kName,
                                       .algorithm = "mixed-words",
                                       .needs = kNeeds,
                                       .spread = &Residues<ResidueScalar64>::spread,
                                       .join = &Residues<ResidueScalar64>::join,
                                       .reconstruct = &reconstruct_words,
                                       .finish = &finish_words,
                                       .add_shifts = &ShiftedSums<ResidueScalar64>::add}};

}  // namespace

constinit const KernelTable kScalar64ResidueTable{
    .name = kName, .needs = kNeeds, .residue = kResidue};

}  // namespace ringlet::kernels
