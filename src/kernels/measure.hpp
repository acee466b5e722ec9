// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernels/select.hpp"

namespace ringlet::kernels {

/// Limits on the time of trials.
struct TrialLimits {
  int rounds = 0;             ///< In each round, every kernel that is left gives one sample.
  double sample_seconds = 0;  ///< A sample repeats short runs for about this long.
  double budget_seconds = 0;  ///< No further round begins after this, but there are at least three.
};

/// For a plan: a millisecond for transforms of length 4096, less for an element-wise operation.
inline constexpr TrialLimits kPlanTransformTrials{10, 20e-6, 60e-3};
inline constexpr TrialLimits kPlanEltwiseTrials{8, 4e-6, 1e-3};
/// For wisdom: longer, because the result is kept.
inline constexpr TrialLimits kTuneTransformTrials{25, 40e-6, 300e-3};
inline constexpr TrialLimits kTuneEltwiseTrials{25, 15e-6, 20e-3};

/// Time of a kernel that was given up.
inline constexpr double kNotTimed = std::numeric_limits<double>::infinity();

/// Times forward and inverse transforms in place of at least 1024 words. Returns each kernel's
/// least seconds of runs in turn, on reduced random words. Kernels twice as slow as the fastest are
/// given up after their first run, but never the first kernel. All take (log_degree, q).
/// @throws InvalidArgument if q is not a prime that is 1 mod 2N.
std::vector<double> time_transforms(int log_degree, std::uint64_t q,
                                    std::span<const Chosen<NttKernel>> kernels,
                                    const TrialLimits& limits);

/// Times an element-wise operation likewise, on vectors that are not in place. Returns the
/// geometric means of the seconds over the lengths.
std::vector<double> time_eltwise(EltwiseOperation operation, std::uint64_t q,
                                 std::span<const Chosen<EltwiseKernel>> kernels,
                                 const TrialLimits& limits);

/// The index of the fastest kernel. It is 0, which is the estimate's kernel, unless another one is
/// faster by more than trials scatter.
std::size_t fastest(std::span<const double> seconds);

}  // namespace ringlet::kernels
