// SPDX-License-Identifier: Apache-2.0
#include "lab/kernels/all_word_operations.hpp"

namespace ringlet::kernels {

std::span<const WordOperations* const> available_word_operations() {
  static constexpr const WordOperations* kAll[] = {
      &kMqxWordOperations,
#ifdef RINGLET_AVX512_KERNELS
      &kAvx512WordOperations,
#endif
  };
  std::span<const WordOperations* const> found = kAll;
  while ((found.back()->needs & ~detected_cpu_features()) != 0)
    found = found.first(found.size() - 1);
  return found;
}

}  // namespace ringlet::kernels
