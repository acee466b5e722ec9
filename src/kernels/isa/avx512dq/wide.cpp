// SPDX-License-Identifier: Apache-2.0
#include "kernels/wide/wide.hpp"

#include "kernels/isa/tables.hpp"
#include "kernels/policy/wide/avx512_shoup.hpp"
#include "kernels/policy/wide/avx512_words.hpp"
#include "kernels/wide/word_operations.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds = kAvx512DqFeatures;

template <typename Policy>
constexpr WideKernel descriptor(const char* algorithm) {
  WideKernel kernel = Wide<Policy>::descriptor(kName, algorithm, kNeeds);
  kernel.min_modulus_bits = Policy::kMinModulusBits;
  return kernel;
}

template <WordProduct kProduct>
using Barrett = WideDoubleWord<WideAvx512Words, kProduct>;

constexpr WideKernel kWide[] = {descriptor<WideAvx512Shoup>("shoup128"),
                                descriptor<Barrett<WordProduct::schoolbook>>("barrett-schoolbook"),
                                descriptor<Barrett<WordProduct::karatsuba>>("barrett-karatsuba")};

}  // namespace

constinit const KernelTable kAvx512DqWideTable{.name = kName, .needs = kNeeds, .wide = kWide};

constinit const WordOperations kAvx512WordOperations =
    WordOperationsOf<WideAvx512Words>::table(kName, kNeeds);

}  // namespace ringlet::kernels
