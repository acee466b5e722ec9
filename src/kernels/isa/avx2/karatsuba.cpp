// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/karatsuba/chunk_base.hpp"
#include "kernels/karatsuba/limb_base.hpp"
#include "kernels/policy/karatsuba/avx2.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx2";
constexpr CpuFeatureMask kNeeds = feature_mask(CpuFeature::avx2);

constexpr KaratsubaKernel kKaratsuba[] = {
    Karatsuba<LimbBase<KaratsubaAvx2>>::descriptor(kName, kNeeds),
    Karatsuba<ChunkBase<KaratsubaAvx2>>::descriptor(kName, kNeeds),
};

}  // namespace

constinit const KernelTable kAvx2KaratsubaTable{
    .name = kName, .needs = kNeeds, .karatsuba = kKaratsuba};

}  // namespace ringlet::kernels
