// SPDX-License-Identifier: Apache-2.0
#include "ntt/digit_sums.hpp"

#include "ntt/plan.hpp"

namespace ringlet {

bool DigitSums::has_kernel(const Ntt& plan) noexcept { return plan.plan_->has_digit_sum(); }

void DigitSums::run(const Ntt& plan, const kernels::DigitSumArguments& arguments) {
  plan.plan_->digit_sum(arguments);
}

void DigitSums::permute(const Ntt& plan, const kernels::BlockPermutation& permutation) {
  plan.plan_->permute_blocks(permutation);
}

}  // namespace ringlet
