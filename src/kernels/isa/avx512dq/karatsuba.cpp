// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/karatsuba/chunk_base.hpp"
#include "kernels/karatsuba/limb_base.hpp"
#include "kernels/policy/karatsuba/avx512.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds =
    kAvx512DqFeatures | feature_mask(CpuFeature::avx512bw, CpuFeature::avx512vl);

constexpr KaratsubaKernel kKaratsuba[] = {
    Karatsuba<LimbBase<KaratsubaAvx512Limbs>>::descriptor(kName, kNeeds),
    Karatsuba<ChunkBase<KaratsubaAvx512>>::descriptor(kName, kNeeds),
};

}  // namespace

constinit const KernelTable kAvx512DqKaratsubaTable{
    .name = kName, .needs = kNeeds, .karatsuba = kKaratsuba};

}  // namespace ringlet::kernels
