// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/radix2/forward.hpp"
#include "kernels/ntt/radix2/inverse.hpp"

// The radix-2 negacyclic transform over any policy, as a kernel.

namespace ringlet::kernels {

/// kMaxFar is the most row stages of a pass before the last row pass.
template <ArithmeticPolicy A, int kMaxFar = kMaxFarStages>
struct Radix2 {
  static constexpr Radix2Shape kShape{.layout = A::kLaneLayout,
                                      .quotient_bits = A::kQuotientBits,
                                      .max_row_stages = A::kMaxRowStages,
                                      .max_far_stages = kMaxFar};

  static_assert(has_long_passes(A::kLogLanes, A::kMaxRowStages, kMaxFar));

  static std::size_t table_bytes(int log_degree) { return radix2_table_bytes(log_degree, kShape); }
  static void build_table(void* table, const NttRequest& request) {
    build_radix2_table(table, request, kShape);
  }

  template <bool kOrdered>
  static void forward(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                      RangeFactors factors) {
    const auto& t = *static_cast<const Radix2Table*>(table);
    ForwardRadix2<A, kOrdered> visitor{
        {t, result, operand, t.forward_stream(), broadcast_modulus<A>(t.q), factors}};
    walk_forward(t.schedule, visitor);
  }

  template <bool kOrdered>
  static void inverse(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                      RangeFactors factors) {
    const auto& t = *static_cast<const Radix2Table*>(table);
    InverseRadix2<A, kOrdered> visitor{
        {t, result, operand, t.inverse_stream(), broadcast_modulus<A>(t.q), factors}};
    walk_inverse(t.schedule, visitor);
  }

  static constexpr NttKernel descriptor(const char* table_name, CpuFeatureMask needs) {
    NttKernel kernel{.table = table_name,
                     .algorithm = "radix2",
                     .needs = needs,
                     .modulus_limit = A::kNttModulusLimit,
                     .min_log_degree = A::kLogLanes + 1,
                     .max_log_degree = 20,
                     .table_bytes = &table_bytes,
                     .build_table = &build_table,
                     .forward = &forward<true>,
                     .inverse = &inverse<true>};
    if constexpr (A::kLogLanes > 0) {
      kernel.forward_unordered = &forward<false>;
      kernel.inverse_unordered = &inverse<false>;
      kernel.reorder = &reorder_lanes<A>;
    }
    return kernel;
  }
};

}  // namespace ringlet::kernels
