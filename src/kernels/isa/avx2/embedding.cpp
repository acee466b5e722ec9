// SPDX-License-Identifier: Apache-2.0
#include "kernels/embedding/descriptor.hpp"
#include "kernels/embedding/digits.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/embedding/avx2.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx2";
constexpr CpuFeatureMask kNeeds = feature_mask(CpuFeature::avx2, CpuFeature::fma);

constexpr EmbeddingKernel kEmbedding[] = {embedding_kernel<EmbeddingAvx2>(
    kName, kNeeds, 5, &EmbeddingDigits<EmbeddingAvx2>::combine_words)};

}  // namespace

constinit const KernelTable kAvx2EmbeddingTable{
    .name = kName, .needs = kNeeds, .embedding = kEmbedding};

}  // namespace ringlet::kernels
