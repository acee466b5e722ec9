// SPDX-License-Identifier: Apache-2.0
#include "lab/kernels/double_word_kernel.hpp"
#include "lab/kernels/projection.hpp"
#include "lab/kernels/wide_mqx_projected.hpp"

namespace ringlet::kernels {
namespace {

constexpr CpuFeatureMask kNeeds =
    feature_mask(CpuFeature::avx2, CpuFeature::fma, CpuFeature::avx512f, CpuFeature::avx512dq);

template <WordProduct kProduct>
using Projected = WideDoubleWord<MqxProjected, kProduct>;

template <WordProduct kProduct>
constexpr ProjectedWideKernel projected(const char* product) {
  return {product, double_word_kernel<MqxProjected, kProduct>("mqx-projected", product, kNeeds)};
}

constexpr ProjectedWideKernel kProjected[] = {projected<WordProduct::schoolbook>("schoolbook"),
                                              projected<WordProduct::karatsuba>("karatsuba")};

/// The arguments of a forward transform.
template <typename Words>
constexpr WideKernel forward_kernel() {
  using Policy = WideDoubleWord<Words, WordProduct::schoolbook>;
  WideKernel kernel;
  kernel.needs = kNeeds;
  kernel.min_modulus_bits = Policy::kMinModulusBits;
  kernel.min_log_degree = Policy::kLogLanes + 1;
  kernel.table_bytes = &Wide<Policy>::table_bytes;
  kernel.build_table = &Wide<Policy>::build_table;
  kernel.scratch_words = &Wide<Policy>::scratch_words;
  kernel.forward = &Wide<Policy>::forward;
  return kernel;
}

constexpr WideKernel kReal = forward_kernel<RealWords>();

constexpr StandInWideKernel kStandIns[] = {
    {"vpmuludq", "vpmuludq", kReal, forward_kernel<HiddenHalfWords>()},
    {"vpmuludq", "vpmuldq", kReal, forward_kernel<SignedHalfWords>()},
    {"vpmuludq", "vpmullq", kReal, forward_kernel<LowProductWords>()},
    {"vpaddq{k}, vpsubq{k}", "vpsubq{k}, vpaddq{k}", kReal, forward_kernel<ExchangedSumWords>()}};

/// One butterfly on words in memory: u, v, w and q's constants.
template <WordProduct kProduct>
RINGLET_INLINE void butterfly(std::uint64_t* u, std::uint64_t* v, const std::uint64_t* w,
                              const WideConstants& constants) {
  using Policy = Projected<kProduct>;
  WideElement<Policy> x = load_limbs<Policy>(u);
  WideElement<Policy> y = load_limbs<Policy>(v);
  const WideTwiddle<Policy> factor = broadcast_factor<Policy>(w);
  Policy::forward_butterfly(x, y, factor, Policy::make_wide_modulus(constants));
  store_limbs<Policy>(u, x);
  store_limbs<Policy>(v, y);
}

}  // namespace

constinit const WideProjections kMqxProjections{kNeeds, kProjected, kStandIns};

// tests/structure/check_projection.py counts the stand-ins in these functions.
extern "C" __attribute__((noinline)) void ringlet_projected_butterfly_schoolbook(
    std::uint64_t* u, std::uint64_t* v, const std::uint64_t* w, const WideConstants& constants) {
  butterfly<WordProduct::schoolbook>(u, v, w, constants);
}
extern "C" __attribute__((noinline)) void ringlet_projected_butterfly_karatsuba(
    std::uint64_t* u, std::uint64_t* v, const std::uint64_t* w, const WideConstants& constants) {
  butterfly<WordProduct::karatsuba>(u, v, w, constants);
}

}  // namespace ringlet::kernels
