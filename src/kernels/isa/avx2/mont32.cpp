// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/ntt/signed/signed.hpp"
#include "kernels/policy/signed/avx2_mont32.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx2";
constexpr CpuFeatureMask kNeeds = feature_mask(CpuFeature::avx2, CpuFeature::fma);

constexpr NttKernel kNtt[] = {
    Signed<SignedMont32<Avx2HalfWordLanes, kSignedVectorsAtOnce>>::descriptor(kName, "mont32",
                                                                              kNeeds)};

}  // namespace

constinit const KernelTable kAvx2Mont32Table{.name = kName, .needs = kNeeds, .ntt = kNtt};

}  // namespace ringlet::kernels
