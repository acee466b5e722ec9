// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "lab/kernels/all_word_operations.hpp"
#include "lab/kernels/double_word_kernel.hpp"
#include "lab/kernels/wide_mqx.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "mqx";
constexpr CpuFeatureMask kNeeds = 0;

template <WordProduct kProduct>
constexpr WideKernel descriptor(const char* algorithm) {
  WideKernel kernel = double_word_kernel<MqxEmulated, kProduct>(kName, algorithm, kNeeds);
  kernel.named_only = true;
  return kernel;
}

constexpr WideKernel kWide[] = {descriptor<WordProduct::schoolbook>("barrett-schoolbook"),
                                descriptor<WordProduct::karatsuba>("barrett-karatsuba")};

}  // namespace

constinit const KernelTable kMqxWideTable{.name = kName, .needs = kNeeds, .wide = kWide};

constinit const WordOperations kMqxWordOperations =
    WordOperationsOf<MqxEmulated>::table(kName, kNeeds);

}  // namespace ringlet::kernels
