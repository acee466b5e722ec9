// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/sampling/samples.hpp"
#include "kernels/sampling/sampling_kernel.hpp"
#include "kernels/sampling/signed_residues.hpp"

// The descriptor of a kernel of samples.

namespace ringlet::kernels {

/// Residues by the first of two policies if it takes the modulus and the range, else by the second,
/// which takes all of them.
template <typename First, typename Second>
struct ResiduesOfEither {
  template <typename Integer>
  static void residues(const SignedResidueArguments<Integer>& arguments) {
    if (SignedResidues<First>::takes(arguments.q, arguments.limit)) {
      return SignedResidues<First>::residues(arguments);
    }
    SignedResidues<Second>::residues(arguments);
  }
  template <typename Integer>
  static void rounding(const RoundingArguments<Integer>& arguments) {
    if (SignedResidues<First>::takes(arguments.p, arguments.limit)) {
      return SignedResidues<First>::rounding(arguments);
    }
    SignedResidues<Second>::rounding(arguments);
  }
};

/// The descriptor of samples by the policy P and residues by R.
template <typename P, typename R = SignedResidues<P>>
constexpr SamplingKernel sampling_kernel(const char* table, CpuFeatureMask needs) {
  return {.table = table,
          .algorithm = "samples",
          .needs = needs,
          .binomial = &Samples<P>::binomial,
          .ternary = &Samples<P>::sample_ternary,
          .uniform = &Samples<P>::sample_uniform,
          .residues8 = &R::template residues<std::int8_t>,
          .residues32 = &R::template residues<std::int32_t>,
          .residues64 = &R::template residues<std::int64_t>,
          .rounding8 = &R::template rounding<std::int8_t>,
          .rounding32 = &R::template rounding<std::int32_t>};
}

}  // namespace ringlet::kernels
