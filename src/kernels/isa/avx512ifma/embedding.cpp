// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "kernels/embedding/descriptor.hpp"
#include "kernels/embedding/digits52.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/embedding/ifma52.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "ifma52";
constexpr CpuFeatureMask kNeeds =
    feature_mask(CpuFeature::avx2, CpuFeature::fma, CpuFeature::avx512f, CpuFeature::avx512dq,
                 CpuFeature::avx512ifma);

constexpr EmbeddingKernel kEmbedding[] = {
    embedding_kernel<EmbeddingIfma52>(kName, kNeeds, 7, &Digits104<EmbeddingIfma52>::combine)};

}  // namespace

constinit const KernelTable kIfma52EmbeddingTable{.name = kName,
                                                  .needs = kNeeds,
                                                  .embedding = kEmbedding,
                                                  .embedding_count = std::size(kEmbedding)};

}  // namespace ringlet::kernels
