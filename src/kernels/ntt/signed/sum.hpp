// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/radix2/sum.hpp"
#include "kernels/ntt/signed/signed.hpp"

namespace ringlet::kernels {

/// Sums of products of signed transforms over P, whose results are residues as the accumulators S
/// of the policy A take them.
template <SignedPolicy P, ArithmeticPolicy A, AccumulatorPolicy S>
struct FusedSignedSum {
  static_assert(!kSignedDescending<P>);
  static_assert(P::kLogLanes == A::kLogLanes);

  static void run(const NttSumArguments& arguments, const void* table) {
    using Word = std::uint64_t;
    using Sum = SumOfTransforms<A, S, SignedForward<P, Word>, SignedInverse<P, Word>>;
    const auto& t = static_cast<const SignedTable*>(table)->radix2;
    const auto cursor = Signed<P>::template cursor<Word>(nullptr, nullptr, table);
    Sum visitor{arguments, t, {cursor}, {cursor}, std::size_t{1} << t.schedule.log_degree};
    visitor.transform.stream = t.forward_stream();
    visitor.back.stream = t.inverse_stream();
    walk_fused(t.schedule, visitor);
  }
};

/// Signed<P> with sums of products.
template <SignedPolicy P, ArithmeticPolicy A, AccumulatorPolicy S>
struct SignedWithSum : Signed<P> {
  static constexpr NttKernel descriptor(const char* table_name, const char* algorithm,
                                        CpuFeatureMask needs) {
    NttKernel kernel = Signed<P>::descriptor(table_name, algorithm, needs);
    kernel.sum = &FusedSignedSum<P, A, S>::run;
    return kernel;
  }
};

}  // namespace ringlet::kernels
