// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/wide/wide_kernel.hpp"

// Kernels of double words with wrong results, which are timed and never chosen: projections of
// instructions that do not exist (PISA), and stand-ins for instructions that do. Nothing may read
// what they write.

namespace ringlet::kernels {

/// MQX with one of the products of words.
struct ProjectedWideKernel {
  const char* product = nullptr;  ///< "schoolbook" or "karatsuba".
  WideKernel kernel;
};

/// The same transform with an instruction and with another one in its place; forward alone.
struct StandInWideKernel {
  const char* instruction = nullptr;
  const char* stand_in = nullptr;
  WideKernel real;
  WideKernel projected;
};

/// Those that this processor runs: all or none.
std::span<const ProjectedWideKernel> projected_wide_kernels();
std::span<const StandInWideKernel> stand_in_wide_kernels();

// Of the unit that has them.
struct WideProjections {
  CpuFeatureMask needs = 0;
  const ProjectedWideKernel* projected = nullptr;
  std::size_t projected_count = 0;
  const StandInWideKernel* stand_ins = nullptr;
  std::size_t stand_in_count = 0;
};
extern const WideProjections kMqxProjections;

}  // namespace ringlet::kernels
