// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "kernels/embedding/digits.hpp"
#include "kernels/embedding/integers.hpp"
#include "kernels/embedding/slots.hpp"
#include "kernels/embedding/transform.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/embedding_avx512.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds =
    feature_mask(CpuFeature::avx2, CpuFeature::fma, CpuFeature::avx512f, CpuFeature::avx512dq);

constexpr EmbeddingKernel kEmbedding[] = {
    {.table = kName,
     .algorithm = "special-fft",
     .needs = kNeeds,
     .min_log_degree = 7,
     .lanes = EmbeddingAvx512::kLanes,
     .forward = &EmbeddingTransform<EmbeddingAvx512>::forward,
     .inverse = &EmbeddingTransform<EmbeddingAvx512>::inverse,
     .scatter = &EmbeddingSlots<EmbeddingAvx512>::scatter,
     .gather = &EmbeddingSlots<EmbeddingAvx512>::gather,
     .largest = &EmbeddingIntegers<EmbeddingAvx512>::largest,
     .round = &EmbeddingIntegers<EmbeddingAvx512>::round,
     .reduce = &EmbeddingIntegers<EmbeddingAvx512>::reduce,
     .combine = &EmbeddingDigits<EmbeddingAvx512>::combine_words}};

}  // namespace

constinit const KernelTable kAvx512DqEmbeddingTable{.name = kName,
                                                    .needs = kNeeds,
                                                    .embedding = kEmbedding,
                                                    .embedding_count = std::size(kEmbedding)};

}  // namespace ringlet::kernels
