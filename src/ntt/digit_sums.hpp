// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/digit_sum.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/ntt/ntt.hpp"

namespace ringlet {

/// Inner products of key switching, and the automorphisms of their values, by the kernel of a plan
/// that has them; kernels/ntt/digit_sum.hpp defines both. Arguments are not checked.
class RINGLET_API DigitSums {
 public:
  static bool has_kernel(const Ntt& plan) noexcept;
  static void run(const Ntt& plan, const kernels::DigitSumArguments& arguments);
  static void permute(const Ntt& plan, const kernels::BlockPermutation& permutation);
};

}  // namespace ringlet
