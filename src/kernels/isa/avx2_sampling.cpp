// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "kernels/isa/tables.hpp"
#include "kernels/policy/sampling_avx2.hpp"
#include "kernels/sampling/samples.hpp"
#include "kernels/sampling/signed_residues.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx2";
constexpr CpuFeatureMask kNeeds = feature_mask(CpuFeature::avx2, CpuFeature::bmi2);

template <typename Integer>
void residues(const SignedResidueArguments<Integer>& arguments) {
  SignedResidues<SamplingAvx2>::residues(arguments);
}

template <typename Integer>
void rounding(const RoundingArguments<Integer>& arguments) {
  SignedResidues<SamplingAvx2>::rounding(arguments);
}

constexpr SamplingKernel kSampling[] = {{.table = kName,
                                         .algorithm = "samples",
                                         .needs = kNeeds,
                                         .binomial = &Samples<SamplingAvx2>::binomial,
                                         .ternary = &Samples<SamplingAvx2>::sample_ternary,
                                         .uniform = &Samples<SamplingAvx2>::sample_uniform,
                                         .residues8 = &residues<std::int8_t>,
                                         .residues32 = &residues<std::int32_t>,
                                         .residues64 = &residues<std::int64_t>,
                                         .rounding8 = &rounding<std::int8_t>,
                                         .rounding32 = &rounding<std::int32_t>}};

}  // namespace

constinit const KernelTable kAvx2SamplingTable{
    .name = kName, .needs = kNeeds, .sampling = kSampling, .sampling_count = std::size(kSampling)};

}  // namespace ringlet::kernels
