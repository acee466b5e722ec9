// SPDX-License-Identifier: Apache-2.0
#include "kernels/embedding/descriptor.hpp"
#include "kernels/embedding/digits.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/embedding/scalar64.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "scalar64";
constexpr CpuFeatureMask kNeeds = 0;

constexpr EmbeddingKernel kEmbedding[] = {embedding_kernel<EmbeddingScalar64>(
    kName, kNeeds, 1, &EmbeddingDigits<EmbeddingScalar64>::combine_words)};

}  // namespace

constinit const KernelTable kScalar64EmbeddingTable{
    .name = kName, .needs = kNeeds, .embedding = kEmbedding};

}  // namespace ringlet::kernels
