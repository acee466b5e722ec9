// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "kernels/embedding/digits52.hpp"
#include "kernels/embedding/integers.hpp"
#include "kernels/embedding/slots.hpp"
#include "kernels/embedding/transform.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/embedding_ifma52.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "ifma52";
constexpr CpuFeatureMask kNeeds =
    feature_mask(CpuFeature::avx2, CpuFeature::fma, CpuFeature::avx512f, CpuFeature::avx512dq,
                 CpuFeature::avx512ifma);

constexpr EmbeddingKernel kEmbedding[] = {{.table = kName,
                                           .algorithm = "special-fft",
                                           .needs = kNeeds,
                                           .min_log_degree = 7,
                                           .lanes = EmbeddingIfma52::kLanes,
                                           .forward = &EmbeddingTransform<EmbeddingIfma52>::forward,
                                           .inverse = &EmbeddingTransform<EmbeddingIfma52>::inverse,
                                           .scatter = &EmbeddingSlots<EmbeddingIfma52>::scatter,
                                           .gather = &EmbeddingSlots<EmbeddingIfma52>::gather,
                                           .largest = &EmbeddingIntegers<EmbeddingIfma52>::largest,
                                           .round = &EmbeddingIntegers<EmbeddingIfma52>::round,
                                           .reduce = &EmbeddingIntegers<EmbeddingIfma52>::reduce,
                                           .combine = &Digits104<EmbeddingIfma52>::combine}};

}  // namespace

constinit const KernelTable kIfma52EmbeddingTable{.name = kName,
                                                  .needs = kNeeds,
                                                  .embedding = kEmbedding,
                                                  .embedding_count = std::size(kEmbedding)};

}  // namespace ringlet::kernels
