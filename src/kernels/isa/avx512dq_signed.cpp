// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "kernels/isa/tables.hpp"
#include "kernels/ntt/signed_mont64.hpp"
#include "kernels/policy/avx512_signed_long_float.hpp"
#include "kernels/policy/avx512_signed_shoup64.hpp"
#include "kernels/policy/float_rounding.hpp"
#include "kernels/policy/signed_float.hpp"

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

// Where a multiplication of words is one operation, it leaves less to do than halves and doubles.
constexpr auto kFast = CpuTrait::fast_multiply64;
constexpr NttKernel kNtt[] = {
    avoiding(kFast, float_ntt_kernel<Signed<SignedFloat<Avx512FloatLanes, kVectorsAtOnce>>>(
                        kName, "float", kNeeds)),
    float_ntt_kernel<Signed<SignedLongFloat<kVectorsAtOnce>>>(kName, "float-long", kNeeds),
    avoiding(kFast, Mont64Ntt<Avx512SignedLanes, kVectorsAtOnce>::descriptor(kName, kNeeds)),
    float_ntt_kernel<Signed<SignedShoup64<kVectorsAtOnce>>>(kName, "shoup64", kNeeds),
};

}  // namespace

constinit const KernelTable kAvx512DqSignedTable{kName, kNeeds, kNtt, std::size(kNtt)};

}  // namespace ringlet::kernels
