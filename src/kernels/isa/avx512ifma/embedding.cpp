// SPDX-License-Identifier: Apache-2.0
#include "kernels/embedding/descriptor.hpp"
#include "kernels/embedding/digits52.hpp"
#include "kernels/isa/tables.hpp"
#include "kernels/policy/embedding/ifma52.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "ifma52";
constexpr CpuFeatureMask kNeeds = kIfma52Features;

constexpr EmbeddingKernel kEmbedding[] = {
    embedding_kernel<EmbeddingIfma52>(kName, kNeeds, 7, &Digits104<EmbeddingIfma52>::combine)};

}  // namespace

constinit const KernelTable kIfma52EmbeddingTable{
    .name = kName, .needs = kNeeds, .embedding = kEmbedding};

}  // namespace ringlet::kernels
