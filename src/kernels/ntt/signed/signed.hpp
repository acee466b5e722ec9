// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/signed/forward.hpp"
#include "kernels/ntt/signed/inverse.hpp"

// The negacyclic transform on signed residues over any policy, as a kernel.

namespace ringlet::kernels {

template <SignedPolicy A>
struct Signed {
  static constexpr SignedShape kShape{A::kArithmetic,
                                      {.layout = A::kLaneLayout,
                                       .max_row_stages = A::kMaxRowStages,
                                       .form = twiddle_form(A::kArithmetic),
                                       .descending = kSignedDescending<A>}};

  /// A tail has a pass before it.
  static constexpr int kMinLogDegree = A::kLogLanes + A::kMaxRowStages + 1;
  static_assert(kSignedGroups<A, A::kMaxRowStages> <= 2, "what the passes before a tail leave it");
  static_assert(kSignedGroups<A, 1> <= 1 << A::kMaxRowStages, "columns of the shortest rows");
  static_assert(has_long_passes(A::kLogLanes, A::kMaxRowStages));

  static std::size_t table_bytes(int log_degree) { return signed_table_bytes(log_degree, kShape); }
  static void build_table(void* table, const NttRequest& request) {
    build_signed_table(table, request, kShape);
  }

  template <typename Word>
  static void forward(Word* result, const Word* operand, const void* table, RangeFactors factors) {
    SignedForward<A, Word> visitor{cursor(result, operand, table)};
    visitor.stream = visitor.table.radix2.forward_stream();
    const SignedReductions& reductions = visitor.table.reductions;
    if (factors.input > reductions.larger_operand) {
      reduce_operand(visitor);
    } else if (factors.input > reductions.forward_operand) {
      visitor.forward_reductions = reductions.forward_of_larger;
    }
    walk_forward(visitor.table.radix2.schedule, visitor);
  }

  template <typename Word>
  static void inverse(Word* result, const Word* operand, const void* table, RangeFactors factors) {
    SignedInverse<A, Word> visitor{cursor(result, operand, table)};
    visitor.stream = visitor.table.radix2.inverse_stream();
    if (factors.input > visitor.table.reductions.inverse_operand) reduce_operand(visitor);
    walk_inverse(visitor.table.radix2.schedule, visitor);
  }

  static void forward32(std::uint32_t* result, const std::uint32_t* operand, std::uint64_t*,
                        const void* table, RangeFactors factors) {
    forward(result, operand, table, factors);
  }
  static void inverse32(std::uint32_t* result, const std::uint32_t* operand, std::uint64_t*,
                        const void* table, RangeFactors factors) {
    inverse(result, operand, table, factors);
  }

  static constexpr NttKernel descriptor(const char* table_name, const char* algorithm,
                                        CpuFeatureMask needs) {
    NttKernel kernel{.table = table_name,
                     .algorithm = algorithm,
                     .needs = needs,
                     .modulus_limit = A::kNttModulusLimit,
                     .min_log_degree = kMinLogDegree,
                     .max_log_degree = kMaxSignedLogDegree,
                     .table_bytes = &table_bytes,
                     .build_table = &build_table,
                     .forward = &forward<std::uint64_t>,
                     .inverse = &inverse<std::uint64_t>};
    if constexpr (sizeof(SignedWord<A>) == sizeof(std::uint32_t)) {
      kernel.forward32 = &forward32;
      kernel.inverse32 = &inverse32;
    }
    return kernel;
  }

  /// Returns the start of a transform, without its stream of factors.
  template <typename Word>
  static SignedCursor<A, Word> cursor(Word* result, const Word* operand, const void* table) {
    const auto& t = *static_cast<const SignedTable*>(table);
    return {t,
            result,
            operand,
            nullptr,
            t.reductions.forward,
            A::make_constants(t.radix2.q, t.one),
            region_bits<Word>(t)};
  }

 private:
  /// Reduces operands that are larger than the table takes them, before the first pass.
  template <typename Word>
  __attribute__((noinline)) static void reduce_operand(SignedCursor<A, Word>& cursor) {
    const std::size_t degree = std::size_t{1} << cursor.table.radix2.schedule.log_degree;
    for (std::size_t i = 0; i < degree; i += kLanes<A>) {
      A::reduce_operand(cursor.result + i, cursor.operand + i, cursor.modulus);
    }
    cursor.operand = cursor.result;
  }

  /// Bits of an index that number the regions of the first pass, where values are shorter than
  /// words.
  template <typename Word>
  static std::size_t region_bits(const SignedTable& table) {
    if constexpr (sizeof(SignedWord<A>) < sizeof(Word)) {
      const Schedule& schedule = table.radix2.schedule;
      return (std::size_t{1} << schedule.log_degree) - row_words(schedule, schedule.passes[0]);
    } else {
      return 0;
    }
  }
};

}  // namespace ringlet::kernels
