// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/extended/forward.hpp"
#include "kernels/ntt/extended/inverse.hpp"

// The radix-4 transforms of Bradbury, Drucker and Hillenbrand over any policy, as kernels.

namespace ringlet::kernels {

template <ExtendedPolicy A, ExtendedVariant kVariant>
struct Extended {
  static constexpr ExtendedShape kShape{A::kLaneLayout, A::kQuotientBits, kVariant,
                                        WordQuadPolicy<A>};
  /// Whether unordered transforms have their own order. Word quads leave natural order at no cost.
  static constexpr bool kHasOrder = A::kLogLanes > 0 && !WordQuadPolicy<A>;

  static std::size_t table_bytes(int log_degree) {
    return extended_table_bytes(log_degree, kShape);
  }
  static void build_table(void* table, const NttRequest& request) {
    build_extended_table(table, request, kShape);
  }

  template <bool kOrdered>
  static void forward(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                      RangeFactors factors) {
    const auto& t = *static_cast<const ExtendedTable*>(table);
    ForwardExtended<A, kVariant, kOrdered> visitor{{t, result, operand, t.forward_rows(),
                                                    t.forward_tail(), make_extended_modulus<A>(t.q),
                                                    factors}};
    walk_forward(t.schedule, visitor);
  }

  template <bool kOrdered>
  static void inverse(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                      RangeFactors factors) {
    const auto& t = *static_cast<const ExtendedTable*>(table);
    InverseExtended<A, kVariant, kOrdered> visitor{{t, result, operand, t.inverse_rows(),
                                                    t.inverse_tail(), make_extended_modulus<A>(t.q),
                                                    factors}};
    walk_inverse(t.schedule, visitor);
  }

  /// Does the permutation that the tail of an unordered transform leaves out.
  static void reorder(std::uint64_t* result, const std::uint64_t* operand, int log_degree,
                      bool to_bit_reversed) {
    if constexpr (kVariant.tail == ExtendedTail::pairs) {
      reorder_lanes<A>(result, operand, log_degree, to_bit_reversed);
    } else {
      const Schedule schedule = make_extended_schedule(log_degree, kShape);
      const Pass& tail = schedule.passes[schedule.pass_count - 1];
      const QuadGroups groups =
          quad_groups<A>(schedule, tail, 0, std::size_t{1} << tail.first_stage);
      for (std::size_t i = groups.first; i < groups.last; i += groups.step) {
        Rows<A, 2> r;
        load_quad_group<A>(r, operand + i, groups.half);
        if (groups.half != 0) to_bit_reversed ? from_quad_lanes<A>(r) : to_quad_lanes<A>(r);
        store_quad_group<A>(r, result + i, groups.half);
      }
    }
  }

  static constexpr NttKernel descriptor(const char* table_name, const char* algorithm,
                                        CpuFeatureMask needs) {
    constexpr std::uint64_t kLimit = kExtendedModulusLimit<A>;
    NttKernel kernel{.table = table_name,
                     .algorithm = algorithm,
                     .needs = needs,
                     .modulus_limit = kLimit < A::kNttModulusLimit ? kLimit : A::kNttModulusLimit,
                     .min_log_degree = A::kLogLanes == 0 ? 2 : A::kLogLanes + 1,
                     .max_log_degree = 20,
                     .table_bytes = &table_bytes,
                     .build_table = &build_table,
                     .forward = &forward<true>,
                     .inverse = &inverse<true>,
                     .named_only = true};
    if constexpr (kHasOrder) {
      kernel.forward_unordered = &forward<false>;
      kernel.inverse_unordered = &inverse<false>;
      kernel.reorder = &reorder;
    }
    return kernel;
  }
};

}  // namespace ringlet::kernels
