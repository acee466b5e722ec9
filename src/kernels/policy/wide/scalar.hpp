// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arith/double_word.hpp"
#include "kernels/policy/harvey64/scalar64.hpp"
#include "kernels/policy/wide/policy.hpp"

namespace ringlet::kernels {

/// One double word at a time by the 64x64 -> 128-bit multiplication: Harvey's butterflies with
/// Shoup's quotients of 128 bits, and Barrett. The 4 bits above q hold values below 8q.
struct WideScalar {
  using Vec = std::uint64_t;
  using Element = WideElement<WideScalar>;
  using Factor = WideTwiddle<WideScalar>;

  static constexpr int kLogLanes = 0;
  static constexpr int kMaxWideRowStages = 2;
  static constexpr LaneLayout kLaneLayout{};
  static constexpr LimbFormat kLimbFormat{};

  struct WideModulus {
    uint128_t q;
    DoubleBarrett barrett;
  };

  RINGLET_INLINE static Vec load(const std::uint64_t* p) { return *p; }
  RINGLET_INLINE static void store(std::uint64_t* p, Vec x) { *p = x; }
  RINGLET_INLINE static Vec broadcast(std::uint64_t x) { return x; }
  template <int v>
  RINGLET_INLINE static Vec lane_words(const std::uint64_t* words) {
    return *words;
  }
  template <int v>
  RINGLET_INLINE static void to_lane_stage(Vec&, Vec&) {}
  template <int v>
  RINGLET_INLINE static void from_lane_stage(Vec&, Vec&) {}

  RINGLET_INLINE static WideModulus make_wide_modulus(const WideConstants& c) {
    return {join_words(c.words[0], c.words[1]),
            {join_words(c.shifted[0], c.shifted[1]), join_words(c.quotient[0], c.quotient[1]),
             c.shift}};
  }
  RINGLET_INLINE static Element from_words(Vec low, Vec high) { return {{low, high}}; }
  RINGLET_INLINE static void to_words(const Element& x, Vec& low, Vec& high) {
    low = x.limb[0];
    high = x.limb[1];
  }

  RINGLET_INLINE static Element start_forward(const Element& x, const Element&) { return x; }
  RINGLET_INLINE static Element start_inverse(const Element& x) { return x; }

  /// u, v in [0, 8q) -> [0, 8q).
  RINGLET_INLINE static void forward_butterfly(Element& u, Element& v, const Factor& w,
                                               const WideModulus& m) {
    expect_below(join(u), 8 * m.q);
    expect_below(join(v), 8 * m.q);
    const uint128_t a = subtract_double_if_at_least(join(u), 4 * m.q);  // [0, 4q)
    const uint128_t b = mul_lazy(join(v), w, m);                        // [0, 3q)
    u = split(a + b);
    v = split(a + 4 * m.q - b);
  }
  /// u, v in [0, 4q) -> [0, 4q).
  RINGLET_INLINE static void inverse_butterfly(Element& u, Element& v, const Factor& w,
                                               const Element&, const WideModulus& m) {
    expect_below(join(u), 4 * m.q);
    expect_below(join(v), 4 * m.q);
    const uint128_t difference = join(u) + 4 * m.q - join(v);
    u = split(subtract_double_if_at_least(join(u) + join(v), 4 * m.q));
    v = split(mul_lazy(difference, w, m));
  }
  RINGLET_INLINE static Element scale(const Element& x, const Factor& w, const WideModulus& m) {
    return split(mul_lazy(join(x), w, m));
  }
  RINGLET_INLINE static Element settle(const Element& x, const WideModulus&) { return x; }
  RINGLET_INLINE static Element finish_forward(const Element& x, const WideModulus& m) {
    return finish_inverse(split(subtract_double_if_at_least(join(x), 4 * m.q)), m);
  }
  RINGLET_INLINE static Element finish_inverse(const Element& x, const WideModulus& m) {
    return split(subtract_double_if_at_least(subtract_double_if_at_least(join(x), 2 * m.q), m.q));
  }

  RINGLET_INLINE static WordPair<WideScalar> add_words(const WordPair<WideScalar>& a,
                                                       const WordPair<WideScalar>& b,
                                                       const WideModulus& m) {
    const uint128_t sum = add_mod_double(join_words(a.low, a.high), join_words(b.low, b.high), m.q);
    return {low_word(sum), high_word(sum)};
  }
  RINGLET_INLINE static WordPair<WideScalar> subtract_words(const WordPair<WideScalar>& a,
                                                            const WordPair<WideScalar>& b,
                                                            const WideModulus& m) {
    const uint128_t difference =
        sub_mod_double(join_words(a.low, a.high), join_words(b.low, b.high), m.q);
    return {low_word(difference), high_word(difference)};
  }
  RINGLET_INLINE static Element multiply(const Element& x, const Element& y, const WideModulus& m) {
    return split(mul_mod_double(join(x), join(y), m.barrett));
  }
  RINGLET_INLINE static Element multiply_factor(const Element& x, const Factor& w,
                                                const WideModulus& m) {
    return finish_inverse(split(mul_lazy(join(x), w, m)), m);
  }
  RINGLET_INLINE static Element reduce(const Element& x, const WideModulus& m) {
    return split(reduce_double(join(x), m.barrett));
  }

 private:
  RINGLET_INLINE static uint128_t join(const Element& x) {
    return join_words(x.limb[0], x.limb[1]);
  }
  RINGLET_INLINE static Element split(uint128_t x) { return {{low_word(x), high_word(x)}}; }
  /// Any y -> y*w mod q in [0, 3q).
  RINGLET_INLINE static uint128_t mul_lazy(uint128_t y, const Factor& w, const WideModulus& m) {
    const uint128_t quotient = mul_double_high_lazy(y, join_words(w.word[2], w.word[3]));
    const uint128_t product =
        mul_double_low(y, join_words(w.word[0], w.word[1])) - mul_double_low(quotient, m.q);
    expect_below(product, 3 * m.q);
    return product;
  }
  /// In builds with RINGLET_CHECK_RANGES: stops the process unless x is below the bound.
  RINGLET_INLINE static void expect_below([[maybe_unused]] uint128_t x,
                                          [[maybe_unused]] uint128_t bound) {
#ifdef RINGLET_CHECK_RANGES
    if (x >= bound) __builtin_trap();
#endif
  }
};

}  // namespace ringlet::kernels
