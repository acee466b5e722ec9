// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/wide/wide_kernel.hpp"

// Kernels of double words with wrong results, which are timed and never chosen: projections of
// instructions that do not exist (PISA), and stand-ins for instructions that do. Nothing may read
// what they write.

namespace ringlet::kernels {

/// A projection of MQX with one of the two products of words.
struct ProjectedWideKernel {
  const char* name = nullptr;  ///< The product: "schoolbook" or "karatsuba".
  WideKernel kernel;
};

/// The same forward transform with an instruction and with its stand-in.
struct StandInWideKernel {
  const char* instruction = nullptr;
  const char* stand_in = nullptr;
  WideKernel real;
  WideKernel projected;
};

struct WideProjections {
  CpuFeatureMask needs = 0;
  std::span<const ProjectedWideKernel> projected;
  std::span<const StandInWideKernel> stand_ins;
};
/// Defined by the unit of the projections.
extern const WideProjections kMqxProjections;
/// The projections that this processor runs: all or none.
const WideProjections& available_projections();

}  // namespace ringlet::kernels
