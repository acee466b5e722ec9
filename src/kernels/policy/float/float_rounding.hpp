// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include "kernels/kernel.hpp"

namespace ringlet::kernels {

/// Runs the kernel kRun with rounding to nearest and restores the caller's rounding mode. Compilers
/// do not know that arithmetic depends on the mode. But a kernel reads all its operands from memory
/// and writes all results there, and memory accesses do not cross the barriers.
template <auto kRun>
struct RoundingToNearest;
template <typename... Arguments, void (*kRun)(Arguments...)>
struct RoundingToNearest<kRun> {
  static void run(Arguments... arguments) {
    const unsigned control = _mm_getcsr();
    const unsigned nearest = control & ~static_cast<unsigned>(_MM_ROUND_MASK);
    if (control == nearest) return kRun(arguments...);
    _mm_setcsr(nearest);
    asm volatile("" ::: "memory");
    kRun(arguments...);
    asm volatile("" ::: "memory");
    _mm_setcsr(control);
  }
};

/// The descriptor of the transform T, whose arithmetic is in doubles.
template <typename T>
consteval NttKernel float_ntt_kernel(const char* table, const char* algorithm,
                                     CpuFeatureMask needs) {
  NttKernel kernel = T::descriptor(table, algorithm, needs);
  kernel.forward = &RoundingToNearest<T::descriptor(nullptr, nullptr, 0).forward>::run;
  kernel.inverse = &RoundingToNearest<T::descriptor(nullptr, nullptr, 0).inverse>::run;
  if constexpr (T::descriptor(nullptr, nullptr, 0).sum != nullptr) {
    kernel.sum = &RoundingToNearest<T::descriptor(nullptr, nullptr, 0).sum>::run;
  }
  return kernel;
}

}  // namespace ringlet::kernels
