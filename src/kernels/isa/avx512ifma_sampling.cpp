// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "kernels/isa/tables.hpp"
#include "kernels/policy/sampling_ifma52.hpp"
#include "kernels/sampling/samples.hpp"
#include "kernels/sampling/signed_residues.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "ifma52";
constexpr CpuFeatureMask kNeeds = feature_mask(
    CpuFeature::avx2, CpuFeature::fma, CpuFeature::avx512f, CpuFeature::avx512dq,
    CpuFeature::avx512bw, CpuFeature::avx512ifma, CpuFeature::avx512vbmi2, CpuFeature::bmi2);

template <typename Integer>
void residues(const SignedResidueArguments<Integer>& arguments) {
  if (SignedResidues<SamplingIfma52>::takes(arguments.q, arguments.limit)) {
    return SignedResidues<SamplingIfma52>::residues(arguments);
  }
  SignedResidues<SamplingVbmi2>::residues(arguments);
}

template <typename Integer>
void rounding(const RoundingArguments<Integer>& arguments) {
  if (SignedResidues<SamplingIfma52>::takes(arguments.p, arguments.limit)) {
    return SignedResidues<SamplingIfma52>::rounding(arguments);
  }
  SignedResidues<SamplingVbmi2>::rounding(arguments);
}

constexpr SamplingKernel kSampling[] = {{.table = kName,
                                         .algorithm = "samples",
                                         .needs = kNeeds,
                                         .binomial = &Samples<SamplingVbmi2>::binomial,
                                         .ternary = &Samples<SamplingVbmi2>::sample_ternary,
                                         .uniform = &Samples<SamplingVbmi2>::sample_uniform,
                                         .residues8 = &residues<std::int8_t>,
                                         .residues32 = &residues<std::int32_t>,
                                         .residues64 = &residues<std::int64_t>,
                                         .rounding8 = &rounding<std::int8_t>,
                                         .rounding32 = &rounding<std::int32_t>}};

}  // namespace

constinit const KernelTable kIfma52SamplingTable{
    .name = kName, .needs = kNeeds, .sampling = kSampling, .sampling_count = std::size(kSampling)};

}  // namespace ringlet::kernels
