// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "kernels/embedding/descriptor.hpp"
#include "kernels/embedding/digits.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/embedding/avx512.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds =
    feature_mask(CpuFeature::avx2, CpuFeature::fma, CpuFeature::avx512f, CpuFeature::avx512dq);

constexpr EmbeddingKernel kEmbedding[] = {embedding_kernel<EmbeddingAvx512>(
    kName, kNeeds, 7, &EmbeddingDigits<EmbeddingAvx512>::combine_words)};

}  // namespace

constinit const KernelTable kAvx512DqEmbeddingTable{.name = kName,
                                                    .needs = kNeeds,
                                                    .embedding = kEmbedding,
                                                    .embedding_count = std::size(kEmbedding)};

}  // namespace ringlet::kernels
