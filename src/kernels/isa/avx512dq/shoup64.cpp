// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/ntt/signed/sum.hpp"
#include "kernels/policy/accumulator/half_words.hpp"
#include "kernels/policy/float/float_rounding.hpp"
#include "kernels/policy/signed/avx512_signed_shoup64.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kName = "avx512dq";
constexpr CpuFeatureMask kNeeds = kAvx512DqFeatures;

using Kernel = SignedWithSum<SignedShoup64<kSignedVectorsAtOnce>, Avx512Harvey64,
                             HalfWordSums<Avx512Harvey64, 2>>;
constexpr NttKernel kNtt[] = {float_ntt_kernel<Kernel>(kName, "shoup64", kNeeds)};

}  // namespace

constinit const KernelTable kAvx512DqShoup64Table{.name = kName, .needs = kNeeds, .ntt = kNtt};

}  // namespace ringlet::kernels
