// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "kernels/isa/tables.hpp"
#include "kernels/policy/sampling_scalar64.hpp"
#include "kernels/sampling/samples.hpp"
#include "kernels/sampling/signed_residues.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "scalar64";
constexpr CpuFeatureMask kNeeds = CpuFeatureMask{0};

template <typename Integer>
void residues(const SignedResidueArguments<Integer>& arguments) {
  SignedResidues<SamplingScalar64>::residues(arguments);
}

template <typename Integer>
void rounding(const RoundingArguments<Integer>& arguments) {
  SignedResidues<SamplingScalar64>::rounding(arguments);
}

constexpr SamplingKernel kSampling[] = {{.table = kName,
                                         .algorithm = "samples",
                                         .needs = kNeeds,
                                         .binomial = &Samples<SamplingScalar64>::binomial,
                                         .ternary = &Samples<SamplingScalar64>::sample_ternary,
                                         .uniform = &Samples<SamplingScalar64>::sample_uniform,
                                         .residues8 = &residues<std::int8_t>,
                                         .residues32 = &residues<std::int32_t>,
                                         .residues64 = &residues<std::int64_t>,
                                         .rounding8 = &rounding<std::int8_t>,
                                         .rounding32 = &rounding<std::int32_t>}};

}  // namespace

constinit const KernelTable kScalar64SamplingTable{
    .name = kName, .needs = kNeeds, .sampling = kSampling, .sampling_count = std::size(kSampling)};

}  // namespace ringlet::kernels
