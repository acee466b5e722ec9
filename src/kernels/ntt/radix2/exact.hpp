// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/radix2/radix2.hpp"

namespace ringlet::kernels {

/// The radix-2 transform over a policy whose products are residues, as a kernel. Its values are
/// half as large as those of Radix2: q stands where Radix2 has 2q. So the range factors of Radix2
/// are twice those of the call, and larger operands are reduced first. Results are always reduced.
template <ArithmeticPolicy A>
  requires kProductsAreResidues<A>
struct ExactRadix2 {
  static constexpr Radix2Shape kShape{.layout = A::kLaneLayout,
                                      .quotient_bits = A::kQuotientBits,
                                      .max_row_stages = A::kMaxRowStages,
                                      .form = TwiddleForm::fraction};

  static_assert(has_long_passes(A::kLogLanes, A::kMaxRowStages, kMaxFarStages));

  static std::size_t table_bytes(int log_degree) { return radix2_table_bytes(log_degree, kShape); }
  static void build_table(void* table, const NttRequest& request) {
    build_radix2_table(table, request, kShape);
  }

  static void forward(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                      RangeFactors factors) {
    const auto& t = *static_cast<const Radix2Table*>(table);
    if (factors.input == 4) operand = reduced(result, operand, t, 2 * t.q);
    ForwardRadix2<A> visitor{{t,
                              result,
                              operand,
                              t.forward_stream(),
                              modulus(t.q),
                              {factors.input == 1 ? 2 : 4, factors.output}}};
    walk_forward(t.schedule, visitor);
  }

  static void inverse(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                      RangeFactors factors) {
    const auto& t = *static_cast<const Radix2Table*>(table);
    if (factors.input == 2) operand = reduced(result, operand, t, t.q);
    InverseRadix2<A> visitor{
        {t, result, operand, t.inverse_stream(), modulus(t.q), {2, factors.output}}};
    walk_inverse(t.schedule, visitor);
  }

  static constexpr NttKernel descriptor(const char* table_name, CpuFeatureMask needs) {
    return {.table = table_name,
            .algorithm = "exact",
            .needs = needs,
            .modulus_limit = A::kNttModulusLimit,
            .min_log_degree = A::kLogLanes + 1,
            .max_log_degree = 20,
            .table_bytes = &table_bytes,
            .build_table = &build_table,
            .forward = &forward,
            .inverse = &inverse};
  }

 private:
  static Mod<A> modulus(std::uint64_t q) {
    const Vec<A> words = A::broadcast(q);
    return {words, words, A::broadcast(A::negated(q))};
  }

  /// Copies words below 2 * bound to `result`, less `bound` where that is not negative. Returns
  /// `result`.
  static const std::uint64_t* reduced(std::uint64_t* result, const std::uint64_t* operand,
                                      const Radix2Table& table, std::uint64_t bound) {
    const Vec<A> bounds = A::broadcast(bound);
    const std::size_t degree = std::size_t{1} << table.schedule.log_degree;
    for (std::size_t i = 0; i < degree; i += kLanes<A>) {
      A::store(result + i, A::reduce_once(A::load(operand + i), bounds));
    }
    return result;
  }
};

}  // namespace ringlet::kernels
