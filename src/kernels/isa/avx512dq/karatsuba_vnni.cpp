// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/karatsuba/limb_base.hpp"
#include "kernels/policy/karatsuba/vnni256.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds =
    kAvx512DqFeatures | feature_mask(CpuFeature::avx512vl, CpuFeature::avx512vnni);

constexpr KaratsubaKernel kKaratsuba[] = {
    Karatsuba<LimbBase<KaratsubaVnni256>>::descriptor(kName, kNeeds, "limb48-vnni"),
};

}  // namespace

constinit const KernelTable kAvx512DqVnniTable{
    .name = kName, .needs = kNeeds, .karatsuba = kKaratsuba};

}  // namespace ringlet::kernels
