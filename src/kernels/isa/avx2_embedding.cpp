// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "kernels/embedding/digits.hpp"
#include "kernels/embedding/integers.hpp"
#include "kernels/embedding/slots.hpp"
#include "kernels/embedding/transform.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/embedding_avx2.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx2";
constexpr CpuFeatureMask kNeeds = feature_mask(CpuFeature::avx2, CpuFeature::fma);

constexpr EmbeddingKernel kEmbedding[] = {
    {.table = kName,
     .algorithm = "special-fft",
     .needs = kNeeds,
     .min_log_degree = 5,
     .lanes = EmbeddingAvx2::kLanes,
     .forward = &EmbeddingTransform<EmbeddingAvx2>::forward,
     .inverse = &EmbeddingTransform<EmbeddingAvx2>::inverse,
     .scatter = &EmbeddingSlots<EmbeddingAvx2>::scatter,
     .gather = &EmbeddingSlots<EmbeddingAvx2>::gather,
     .largest = &EmbeddingIntegers<EmbeddingAvx2>::largest,
     .round = &EmbeddingIntegers<EmbeddingAvx2>::round,
     .reduce = &EmbeddingIntegers<EmbeddingAvx2>::reduce,
     .combine = &EmbeddingDigits<EmbeddingAvx2>::combine_words}};

}  // namespace

constinit const KernelTable kAvx2EmbeddingTable{.name = kName,
                                                .needs = kNeeds,
                                                .embedding = kEmbedding,
                                                .embedding_count = std::size(kEmbedding)};

}  // namespace ringlet::kernels
