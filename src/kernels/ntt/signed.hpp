// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/signed_forward.hpp"
#include "kernels/ntt/signed_inverse.hpp"

// The negacyclic transform on signed residues over any policy, as a kernel.

namespace ringlet::kernels {

template <SignedPolicy A>
struct Signed {
  static constexpr SignedShape kShape{A::kArithmetic,
                                      {.layout = A::kLaneLayout,
                                       .max_row_stages = A::kMaxRowStages,
                                       .form = twiddle_form(A::kArithmetic),
                                       .descending = true}};

  static std::size_t table_bytes(int log_degree) { return signed_table_bytes(log_degree, kShape); }
  static void build_table(void* table, const NttRequest& request) {
    build_signed_table(table, request, kShape);
  }

  template <typename Word>
  static void forward(Word* result, const Word* operand, const void* table, RangeFactors factors) {
    const auto& t = *static_cast<const SignedTable*>(table);
    SignedForward<A, Word> visitor{{t, result, operand, t.radix2.forward_stream(),
                                    A::make_constants(t.radix2.q, t.one), factors,
                                    region_bits<Word>(t)}};
    walk_forward(t.radix2.schedule, visitor);
  }

  template <typename Word>
  static void inverse(Word* result, const Word* operand, const void* table, RangeFactors factors) {
    const auto& t = *static_cast<const SignedTable*>(table);
    SignedInverse<A, Word> visitor{{t, result, operand, t.radix2.inverse_stream(),
                                    A::make_constants(t.radix2.q, t.one), factors,
                                    region_bits<Word>(t)}};
    walk_inverse(t.radix2.schedule, visitor);
  }

  static constexpr NttKernel descriptor(const char* table_name, const char* algorithm,
                                        CpuFeatureMask needs) {
    return {.table = table_name,
            .algorithm = algorithm,
            .needs = needs,
            .modulus_limit = A::kNttModulusLimit,
            .min_log_degree = A::kLogLanes + 1,
            .max_log_degree = kMaxSignedLogDegree,
            .table_bytes = &table_bytes,
            .build_table = &build_table,
            .forward = &forward<std::uint64_t>,
            .inverse = &inverse<std::uint64_t>};
  }

 private:
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
