// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "kernels/embedding/digits.hpp"
#include "kernels/embedding/integers.hpp"
#include "kernels/embedding/slots.hpp"
#include "kernels/embedding/transform.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/embedding_scalar64.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "scalar64";
constexpr CpuFeatureMask kNeeds = 0;

constexpr EmbeddingKernel kEmbedding[] = {
    {.table = kName,
     .algorithm = "special-fft",
     .needs = kNeeds,
     .min_log_degree = 1,
     .lanes = EmbeddingScalar64::kLanes,
     .forward = &EmbeddingTransform<EmbeddingScalar64>::forward,
     .inverse = &EmbeddingTransform<EmbeddingScalar64>::inverse,
     .scatter = &EmbeddingSlots<EmbeddingScalar64>::scatter,
     .gather = &EmbeddingSlots<EmbeddingScalar64>::gather,
     .largest = &EmbeddingIntegers<EmbeddingScalar64>::largest,
     .round = &EmbeddingIntegers<EmbeddingScalar64>::round,
     .reduce = &EmbeddingIntegers<EmbeddingScalar64>::reduce,
     .combine = &EmbeddingDigits<EmbeddingScalar64>::combine_words}};

}  // namespace

constinit const KernelTable kScalar64EmbeddingTable{.name = kName,
                                                    .needs = kNeeds,
                                                    .embedding = kEmbedding,
                                                    .embedding_count = std::size(kEmbedding)};

}  // namespace ringlet::kernels
