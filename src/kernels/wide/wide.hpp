// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/constants.hpp"
#include "kernels/wide/eltwise.hpp"
#include "kernels/wide/ntt_forward.hpp"
#include "kernels/wide/ntt_inverse.hpp"

namespace ringlet::kernels {

/// The kernel of double words of one policy.
template <WidePolicy A>
struct Wide {
  static void build_constants(WideConstants& constants, const std::uint64_t q[2]) {
    build_wide_constants(constants, q, A::kLimbFormat);
  }
  static void make_factor(std::uint64_t* words, const std::uint64_t w[2],
                          const WideConstants& constants) {
    write_wide_factor(words, w, constants, A::kLimbFormat);
  }
  static std::size_t table_bytes(int log_degree) {
    return wide_ntt_table_bytes(log_degree, kWideNttShape<A>);
  }
  static void build_table(void* table, const WideNttRequest& request) {
    build_wide_ntt_table(table, request, kWideNttShape<A>);
  }
  static std::size_t scratch_words(int log_degree) {
    return static_cast<std::size_t>(kWideLimbs<A>) << log_degree;
  }
  static void forward(const WideNttArguments& arguments, const void* table) {
    const auto& t = *static_cast<const WideNttTable*>(table);
    WideForward<A> visitor{{t, arguments, t.forward_stream(), A::make_wide_modulus(t.constants)}};
    walk_forward(t.schedule, visitor);
  }
  static void inverse(const WideNttArguments& arguments, const void* table) {
    const auto& t = *static_cast<const WideNttTable*>(table);
    WideInverse<A> visitor{{t, arguments, t.inverse_stream(), A::make_wide_modulus(t.constants)}};
    walk_inverse(t.schedule, visitor);
  }

  static constexpr WideKernel descriptor(const char* table_name, const char* algorithm,
                                         CpuFeatureMask needs) {
    return {.table = table_name,
            .algorithm = algorithm,
            .needs = needs,
            .factor_words = A::kLimbFormat.factor_words(),
            .build_constants = &build_constants,
            .make_factor = &make_factor,
            .run = {&WideEltwise<A>::add, &WideEltwise<A>::subtract, &WideEltwise<A>::multiply,
                    &WideEltwise<A>::multiply_scalar_add, &WideEltwise<A>::dot,
                    &WideEltwise<A>::reduce},
            .min_log_degree = A::kLogLanes + 1,
            .table_bytes = &table_bytes,
            .build_table = &build_table,
            .scratch_words = &scratch_words,
            .forward = &forward,
            .inverse = &inverse};
  }
};

}  // namespace ringlet::kernels
