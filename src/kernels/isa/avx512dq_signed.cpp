// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "kernels/isa/tables.hpp"
#include "kernels/ntt/signed_mont64.hpp"
#include "kernels/policy/avx512_float.hpp"
#include "kernels/policy/avx512_signed.hpp"
#include "kernels/policy/avx512_signed_long_float.hpp"
#include "kernels/policy/avx512_signed_shoup64.hpp"
#include "kernels/policy/float_rounding.hpp"
#include "kernels/policy/signed_float.hpp"
#include "kernels/policy/wide_sum_half_words.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds =
    feature_mask(CpuFeature::avx2, CpuFeature::fma, CpuFeature::avx512f, CpuFeature::avx512dq);
constexpr int kVectorsAtOnce = 16;

constexpr NttKernel avoiding(CpuTrait trait, NttKernel kernel) {
  kernel.avoids = trait_bit(trait);
  return kernel;
}

using Sums = HalfWordSums<Avx512Harvey64, 2>;
template <SignedPolicy P>
consteval NttKernel with_sum(const char* algorithm) {
  return float_ntt_kernel<SignedWithSum<P, Avx512Harvey64, Sums>>(kName, algorithm, kNeeds);
}

constexpr NttKernel mont64() {
  using Kernel = Mont64Ntt<Avx512SignedLanes, kVectorsAtOnce>;
  NttKernel kernel = Kernel::descriptor(kName, kNeeds);
  kernel.sum = &Kernel::sum<Avx512Harvey64, Sums>;
  return kernel;
}

// Where a multiplication of words is one operation, it leaves less to do than halves and doubles.
constexpr auto kFast = CpuTrait::fast_multiply64;
constexpr NttKernel kNtt[] = {
    avoiding(kFast, with_sum<SignedFloat<Avx512FloatLanes, kVectorsAtOnce>>("float")),
    with_sum<SignedLongFloat<kVectorsAtOnce>>("float-long"),
    avoiding(kFast, mont64()),
    with_sum<SignedShoup64<kVectorsAtOnce>>("shoup64"),
};

}  // namespace

constinit const KernelTable kAvx512DqSignedTable{kName, kNeeds, kNtt, std::size(kNtt)};

}  // namespace ringlet::kernels
