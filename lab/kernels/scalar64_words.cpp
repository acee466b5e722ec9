// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa/tables.hpp"
#include "kernels/policy/wide/scalar.hpp"
#include "lab/kernels/double_word_kernel.hpp"

namespace ringlet::kernels {
namespace {

/// The words of WideDoubleWord in the lane of WideScalar, by the processor's 128-bit products: the
/// scalar code of Zhang et al. (MICRO 2025). A mask is all ones or zero.
struct ScalarDoubleWords : WideScalar {
  using Mask = std::uint64_t;
  static constexpr bool kIsExact = true;
  static constexpr bool kEmulates = false;

  RINGLET_INLINE static void mul_words(Vec a, Vec b, Vec& high, Vec& low) {
    const uint128_t product = uint128_t{a} * b;
    high = high_word(product);
    low = low_word(product);
  }
  RINGLET_INLINE static Vec mul_low(Vec a, Vec b) { return a * b; }
  RINGLET_INLINE static Vec add(Vec a, Vec b) { return a + b; }
  RINGLET_INLINE static Vec add_carry(Vec a, Vec b, Mask in, Mask& out) {
    const uint128_t sum = uint128_t{a} + b + (in & 1);
    out = 0 - high_word(sum);
    return low_word(sum);
  }
  RINGLET_INLINE static Vec add_out(Vec a, Vec b, Mask& out) { return add_carry(a, b, 0, out); }
  RINGLET_INLINE static Vec add_in(Vec a, Vec b, Mask in) { return a + b - in; }
  RINGLET_INLINE static Vec subtract_borrow(Vec a, Vec b, Mask in, Mask& out) {
    const uint128_t difference = uint128_t{a} - b - (in & 1);
    out = high_word(difference);
    return low_word(difference);
  }
  RINGLET_INLINE static Vec subtract_out(Vec a, Vec b, Mask& out) {
    return subtract_borrow(a, b, 0, out);
  }
  RINGLET_INLINE static Vec subtract_in(Vec a, Vec b, Mask in) { return a - b + in; }

  RINGLET_INLINE static Vec select(Mask mask, Vec x, Vec y) { return x ^ ((x ^ y) & opaque(mask)); }
  RINGLET_INLINE static Vec add_where(Mask mask, Vec x, Vec y) { return x + (y & opaque(mask)); }
  RINGLET_INLINE static Vec either(Vec a, Vec b) { return a | b; }
  /// The count is that of a modulus, the same for all words.
  RINGLET_INLINE static Vec shift_left(Vec x, Vec n) { return n < 64 ? x << n : 0; }
  RINGLET_INLINE static Vec shift_right(Vec x, Vec n) { return n < 64 ? x >> n : 0; }
};

constexpr const char* kName = "scalar64";
constexpr CpuFeatureMask kNeeds = 0;

constexpr WideKernel kWide[] = {double_word_kernel<ScalarDoubleWords, WordProduct::schoolbook>(
    kName, "barrett-schoolbook", kNeeds)};

}  // namespace

constinit const KernelTable kScalar64WordsTable{.name = kName, .needs = kNeeds, .wide = kWide};

}  // namespace ringlet::kernels
