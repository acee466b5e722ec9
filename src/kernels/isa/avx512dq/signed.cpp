// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/ntt/signed/sum.hpp"
#include "kernels/policy/accumulator/half_words.hpp"
#include "kernels/policy/float/avx512_float.hpp"
#include "kernels/policy/float/float_rounding.hpp"
#include "kernels/policy/signed/avx512_signed.hpp"
#include "kernels/policy/signed/avx512_signed_long_float.hpp"
#include "kernels/policy/signed/signed_float.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds = kAvx512DqFeatures;

using Sums = HalfWordSums<Avx512Harvey64, 2>;
template <SignedPolicy P>
consteval NttKernel with_sum(const char* algorithm) {
  return float_ntt_kernel<SignedWithSum<P, Avx512Harvey64, Sums>>(kName, algorithm, kNeeds);
}

/// Avoids processors that multiply words in one operation: there float-long has less to do.
constexpr NttKernel real() {
  NttKernel kernel = with_sum<SignedFloat<Avx512FloatLanes, kSignedVectorsAtOnce>>("float");
  kernel.avoids = trait_bit(CpuTrait::fast_multiply64);
  return kernel;
}

constexpr NttKernel kNtt[] = {real(),
                              with_sum<SignedLongFloat<kSignedVectorsAtOnce>>("float-long")};

}  // namespace

constinit const KernelTable kAvx512DqSignedTable{.name = kName, .needs = kNeeds, .ntt = kNtt};

}  // namespace ringlet::kernels
