// SPDX-License-Identifier: Apache-2.0
#include "kernels/embedding/descriptor.hpp"
#include "kernels/embedding/digits.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/embedding/avx512.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds = kAvx512DqFeatures;

constexpr EmbeddingKernel kEmbedding[] = {embedding_kernel<EmbeddingAvx512>(
    kName, kNeeds, 7, &EmbeddingDigits<EmbeddingAvx512>::combine_words)};

}  // namespace

constinit const KernelTable kAvx512DqEmbeddingTable{
    .name = kName, .needs = kNeeds, .embedding = kEmbedding};

}  // namespace ringlet::kernels
