// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/lazy/forward.hpp"
#include "kernels/ntt/lazy/inverse.hpp"
#include "kernels/ntt/lazy/sum.hpp"

// The lazy negacyclic transform over any policy, as a kernel.

namespace ringlet::kernels {

template <LazyPolicy A>
struct Lazy {
  /// The form of the words that represent factors.
  static constexpr Radix2Shape kShape{{}, kLazyWordBits, 1, TwiddleForm::fraction, false};

  static std::size_t table_bytes(int log_degree) { return lazy_table_bytes(log_degree); }
  static void build_table(void* table, const NttRequest& request) {
    build_lazy_table(table, request, kShape);
  }

  static void forward(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                      RangeFactors factors) {
    const auto& t = *static_cast<const LazyTable*>(table);
    is_tight(t.constants.q) ? forward_with<true>(result, operand, t, factors)
                            : forward_with<false>(result, operand, t, factors);
  }

  /// Always reduces: the products that divide by N leave residues anyway.
  static void inverse(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                      RangeFactors factors) {
    const auto& t = *static_cast<const LazyTable*>(table);
    is_tight(t.constants.q) ? inverse_with<true>(result, operand, t, factors)
                            : inverse_with<false>(result, operand, t, factors);
  }

  /// Transforms of 32-bit words: the first pass reads them and the last one writes them.
  static void forward32(std::uint32_t* result, const std::uint32_t* operand, std::uint64_t* scratch,
                        const void* table, RangeFactors factors) {
    const auto& t = *static_cast<const LazyTable*>(table);
    if (t.forward.schedule.pass_count == 1) {
      widen(scratch, operand, t);
      forward(scratch, scratch, table, {factors.input, 1});
      return narrow(result, scratch, t);
    }
    const LazyModulus<A> modulus = A::make_modulus(t.constants);
    ForwardLazy<A, false, std::uint32_t> visitor(result, operand, scratch, t.forward_stream(),
                                                 t.forward, modulus);
    visitor.reduced_input = factors.input == 1;
    walk_forward(t.forward.schedule, visitor);
  }
  static void inverse32(std::uint32_t* result, const std::uint32_t* operand, std::uint64_t* scratch,
                        const void* table, RangeFactors factors) {
    const auto& t = *static_cast<const LazyTable*>(table);
    if (t.inverse.schedule.pass_count == 1 || factors.input != 1) {
      widen(scratch, operand, t);
      inverse(scratch, scratch, table, factors);
      return narrow(result, scratch, t);
    }
    const LazyModulus<A> modulus = A::make_modulus(t.constants);
    InverseLazy<A, false, std::uint32_t> visitor(result, operand, scratch, t.inverse_stream(),
                                                 t.inverse, modulus);
    walk_lazy_inverse(t.inverse.schedule, visitor);
  }

  static void digit_sum(const DigitSumArguments& arguments, const void* table) {
    const auto& t = *static_cast<const LazyTable*>(table);
    is_tight(t.constants.q) ? digit_sum_with<true>(arguments, t)
                            : digit_sum_with<false>(arguments, t);
  }

  /// For N = 64 the call itself costs as much as the butterflies that this kernel saves.
  static constexpr int kPreferredLogDegree = 7;

  static constexpr NttKernel descriptor(const char* table_name, CpuFeatureMask needs) {
    return {.table = table_name,
            .algorithm = "lazy",
            .needs = needs,
            .modulus_limit = kLazyModulusLimit,
            .min_log_degree = kMinLazyLogDegree,
            .max_log_degree = 20,
            .table_bytes = &table_bytes,
            .build_table = &build_table,
            .forward = &forward,
            .inverse = &inverse,
            .forward32 = &forward32,
            .inverse32 = &inverse32,
            .half_words_use_scratch = true,
            .digit_sum = &digit_sum,
            .digit_sum_min_log_degree = kMinLazySumLogDegree,
            .permute_blocks = &permute_blocks<A>,
            .estimate_min_log_degree = kPreferredLogDegree};
  }

 private:
  static std::size_t degree(const LazyTable& table) {
    return std::size_t{1} << table.forward.schedule.log_degree;
  }
  static void widen(std::uint64_t* to, const std::uint32_t* from, const LazyTable& table) {
    for (std::size_t i = 0; i < degree(table); i += kLanes<A>) {
      A::store(to + i, A::load_halves(from + i));
    }
  }
  /// Moves words: `from` is 0 afterwards.
  static void narrow(std::uint32_t* to, std::uint64_t* from, const LazyTable& table) {
    for (std::size_t i = 0; i < degree(table); i += kLanes<A>) {
      A::store_halves(to + i, A::load(from + i));
      A::store(from + i, A::broadcast(0));
    }
  }

  template <bool kTight>
  static void forward_with(std::uint64_t* result, const std::uint64_t* operand,
                           const LazyTable& table, RangeFactors factors) {
    const LazyModulus<A> modulus = A::make_modulus(table.constants);
    ForwardLazy<A, kTight> visitor(result, operand, table.forward_stream(), table.forward, modulus);
    visitor.reduced_input = factors.input == 1;
    visitor.reduced_output =
        table.forward.bound > static_cast<std::uint64_t>(factors.output) * table.constants.q;
    walk_forward(table.forward.schedule, visitor);
  }

  template <bool kTight>
  static void digit_sum_with(const DigitSumArguments& arguments, const LazyTable& table) {
    const LazyModulus<A> modulus = A::make_modulus(table.constants);
    LazyDigitSum<A, kTight> visitor(arguments, table, modulus);
    walk_forward(table.forward.schedule, visitor);
  }

  template <bool kTight>
  static void inverse_with(std::uint64_t* result, const std::uint64_t* operand,
                           const LazyTable& table, RangeFactors factors) {
    const LazyModulus<A> modulus = A::make_modulus(table.constants);
    InverseLazy<A, kTight> visitor(result, operand, result, table.inverse_stream(), table.inverse,
                                   modulus);
    visitor.reduced_input = factors.input == 1;
    walk_lazy_inverse(table.inverse.schedule, visitor);
  }
};

}  // namespace ringlet::kernels
