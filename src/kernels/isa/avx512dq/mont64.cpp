// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/signed/mont64.hpp"

#include "kernels/isa/tables.hpp"
#include "kernels/policy/accumulator/half_words.hpp"
#include "kernels/policy/signed/avx512_signed.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds = kAvx512DqFeatures;

/// Avoids processors that multiply words in one operation: there shoup64 has less to do.
constexpr NttKernel mont64() {
  using Kernel = Mont64Ntt<Avx512SignedLanes, kSignedVectorsAtOnce>;
  NttKernel kernel = Kernel::descriptor(kName, kNeeds);
  kernel.sum = &Kernel::sum<Avx512Harvey64, HalfWordSums<Avx512Harvey64, 2>>;
  kernel.avoids = trait_bit(CpuTrait::fast_multiply64);
  return kernel;
}

constexpr NttKernel kNtt[] = {mont64()};

}  // namespace

constinit const KernelTable kAvx512DqMont64Table{.name = kName, .needs = kNeeds, .ntt = kNtt};

}  // namespace ringlet::kernels
