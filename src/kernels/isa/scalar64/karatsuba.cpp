// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/karatsuba/chunk_base.hpp"
#include "kernels/karatsuba/limb_base.hpp"
#include "kernels/policy/karatsuba/scalar.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "scalar64";
constexpr CpuFeatureMask kNeeds = CpuFeatureMask{0};

constexpr KaratsubaKernel kKaratsuba[] = {
    Karatsuba<LimbBase<KaratsubaPortableLimbs>>::descriptor(kName, kNeeds),
    Karatsuba<ChunkBase<KaratsubaScalarChunks>>::descriptor(kName, kNeeds),
};

}  // namespace

constinit const KernelTable kScalarKaratsubaTable{
    .name = kName, .needs = kNeeds, .karatsuba = kKaratsuba};

}  // namespace ringlet::kernels
