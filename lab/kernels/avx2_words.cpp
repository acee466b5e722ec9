// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/policy/wide/avx2.hpp"
#include "lab/kernels/double_word_kernel.hpp"

namespace ringlet::kernels {
namespace {

/// The words of WideDoubleWord four at a time: the AVX2 code of Zhang et al. (MICRO 2025). A mask
/// has all bits of a lane or none.
struct Avx2DoubleWords : WideAvx2Lanes {
  using Mask = Vec;
  static constexpr bool kIsExact = true;
  static constexpr bool kEmulates = false;

  /// AVX2 compares signed words only: flipped top bits make the comparison unsigned.
  RINGLET_INLINE static Mask less(Vec x, Vec y) {
    const Vec top_bit = _mm256_set1_epi64x(INT64_MIN);
    return _mm256_cmpgt_epi64(_mm256_xor_si256(y, top_bit), _mm256_xor_si256(x, top_bit));
  }
  RINGLET_INLINE static Mask less_or_equal_where(Mask in, Vec x, Vec y) {
    return bit_or(less(x, y), bit_and(in, _mm256_cmpeq_epi64(x, y)));
  }

  RINGLET_INLINE static void mul_words(Vec a, Vec b, Vec& high, Vec& low) {
    const Vec a1 = high_half(a);
    const Vec b1 = high_half(b);
    const Vec p00 = mul_half(a, b);
    const Vec middle = add(mul_half(a1, b), high_half(p00));
    const Vec carry = add(mul_half(a, b1), low_half(middle));
    high = add(add(mul_half(a1, b1), high_half(middle)), high_half(carry));
    low = _mm256_blend_epi32(p00, to_high_half(carry), 0xaa);
  }
  /// With a carry in, a sum s = a carries too.
  RINGLET_INLINE static Vec add_carry(Vec a, Vec b, Mask in, Mask& out) {
    const Vec s = add_in(a, b, in);
    out = less_or_equal_where(in, s, a);
    return s;
  }
  RINGLET_INLINE static Vec add_out(Vec a, Vec b, Mask& out) {
    const Vec s = add(a, b);
    out = less(s, b);
    return s;
  }
  RINGLET_INLINE static Vec add_in(Vec a, Vec b, Mask in) { return sub(add(a, b), in); }
  RINGLET_INLINE static Vec subtract_borrow(Vec a, Vec b, Mask in, Mask& out) {
    out = less_or_equal_where(in, a, b);
    return subtract_in(a, b, in);
  }
  RINGLET_INLINE static Vec subtract_out(Vec a, Vec b, Mask& out) {
    out = less(a, b);
    return sub(a, b);
  }
  RINGLET_INLINE static Vec subtract_in(Vec a, Vec b, Mask in) { return add(sub(a, b), in); }

  RINGLET_INLINE static Vec select(Mask mask, Vec x, Vec y) {
    return _mm256_blendv_epi8(x, y, mask);
  }
  RINGLET_INLINE static Vec add_where(Mask mask, Vec x, Vec y) { return add(x, bit_and(mask, y)); }
  RINGLET_INLINE static Vec either(Vec a, Vec b) { return bit_or(a, b); }
  RINGLET_INLINE static Vec shift_left(Vec x, Vec n) { return _mm256_sllv_epi64(x, n); }
  RINGLET_INLINE static Vec shift_right(Vec x, Vec n) { return _mm256_srlv_epi64(x, n); }
};

constexpr const char* kName = "avx2";
constexpr CpuFeatureMask kNeeds = feature_mask(CpuFeature::avx2, CpuFeature::fma);

constexpr WideKernel kWide[] = {double_word_kernel<Avx2DoubleWords, WordProduct::schoolbook>(
    kName, "barrett-schoolbook", kNeeds)};

}  // namespace

constinit const KernelTable kAvx2WordsTable{.name = kName, .needs = kNeeds, .wide = kWide};

}  // namespace ringlet::kernels
