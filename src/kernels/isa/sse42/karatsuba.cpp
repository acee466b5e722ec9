// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/karatsuba/chunk_base.hpp"
#include "kernels/karatsuba/limb_base.hpp"
#include "kernels/policy/karatsuba/sse42.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "sse42";
constexpr CpuFeatureMask kNeeds = feature_mask(CpuFeature::sse42);

constexpr KaratsubaKernel kKaratsuba[] = {
    Karatsuba<LimbBase<KaratsubaSse42>>::descriptor(kName, kNeeds),
    Karatsuba<ChunkBase<KaratsubaSse42>>::descriptor(kName, kNeeds),
};

}  // namespace

constinit const KernelTable kSse42KaratsubaTable{
    .name = kName, .needs = kNeeds, .karatsuba = kKaratsuba};

}  // namespace ringlet::kernels
