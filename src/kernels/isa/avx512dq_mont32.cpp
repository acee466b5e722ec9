// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "kernels/isa/tables.hpp"
#include "kernels/ntt/signed.hpp"
#include "kernels/policy/avx512_mont32.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds =
    feature_mask(CpuFeature::avx2, CpuFeature::fma, CpuFeature::avx512f, CpuFeature::avx512dq);
constexpr int kVectorsAtOnce = 16;

using Mont32 = Signed<SignedMont32<Avx512HalfWordLanes, kVectorsAtOnce>>;

constexpr NttKernel kNtt[] = {Mont32::descriptor(kName, "mont32", kNeeds)};

// Sixteen values in a vector are worth more than multiplications of 52 bits: the same kernel leads
// the table above.
constexpr const char* kIfmaName = "ifma52";
constexpr CpuFeatureMask kIfmaNeeds = kNeeds | feature_mask(CpuFeature::avx512ifma);

constexpr NttKernel kIfmaNtt[] = {Mont32::descriptor(kIfmaName, "mont32", kIfmaNeeds)};

}  // namespace

constinit const KernelTable kAvx512DqMont32Table{kName, kNeeds, kNtt, std::size(kNtt)};
constinit const KernelTable kIfma52Mont32Table{kIfmaName, kIfmaNeeds, kIfmaNtt,
                                               std::size(kIfmaNtt)};

}  // namespace ringlet::kernels
