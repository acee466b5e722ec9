// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/ntt/signed/signed.hpp"
#include "kernels/policy/signed/avx512_mont32.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds = kAvx512DqFeatures;

constexpr NttKernel kNtt[] = {
    Signed<SignedMont32<Avx512HalfWordLanes, kSignedVectorsAtOnce>>::descriptor(kName, "mont32",
                                                                                kNeeds)};

}  // namespace

constinit const KernelTable kAvx512DqMont32Table{.name = kName, .needs = kNeeds, .ntt = kNtt};

}  // namespace ringlet::kernels
