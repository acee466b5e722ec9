// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "kernels/isa/tables.hpp"
#include "kernels/ntt/signed/signed.hpp"
#include "kernels/policy/signed/avx512_mont32.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds =
    feature_mask(CpuFeature::avx2, CpuFeature::fma, CpuFeature::avx512f, CpuFeature::avx512dq);

constexpr NttKernel kNtt[] = {
    Signed<SignedMont32<Avx512HalfWordLanes, kSignedVectorsAtOnce>>::descriptor(kName, "mont32",
                                                                                kNeeds)};

}  // namespace

constinit const KernelTable kAvx512DqMont32Table{kName, kNeeds, kNtt, std::size(kNtt)};

}  // namespace ringlet::kernels
