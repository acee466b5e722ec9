// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/ntt/signed/mont64.hpp"
#include "kernels/policy/float/avx2_float.hpp"
#include "kernels/policy/float/float_rounding.hpp"
#include "kernels/policy/signed/avx2_signed.hpp"
#include "kernels/policy/signed/signed_float.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx2";
constexpr CpuFeatureMask kNeeds = feature_mask(CpuFeature::avx2, CpuFeature::fma);

constexpr NttKernel kNtt[] = {
    float_ntt_kernel<Signed<SignedFloat<Avx2FloatLanes, kSignedVectorsAtOnce>>>(kName, "float",
                                                                                kNeeds),
    Mont64Ntt<Avx2SignedLanes, kSignedVectorsAtOnce>::descriptor(kName, kNeeds),
};

}  // namespace

constinit const KernelTable kAvx2SignedTable{.name = kName, .needs = kNeeds, .ntt = kNtt};

}  // namespace ringlet::kernels
