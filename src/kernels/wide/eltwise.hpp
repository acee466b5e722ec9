// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arith/double_word.hpp"
#include "kernels/wide/words.hpp"

// Element-wise operations on double words over any policy.

namespace ringlet::kernels {

template <WidePolicy A>
struct WideEltwise {
  using Pair = WordPair<A>;
  using Modulus = typename A::WideModulus;

  static void add(const WideEltwiseArguments& e, const WideConstants& c) {
    map_pairs(e, c,
              [](const Pair& a, const Pair& b, const Modulus& m)
                  __attribute__((always_inline)) { return A::add_words(a, b, m); });
  }
  static void subtract(const WideEltwiseArguments& e, const WideConstants& c) {
    map_pairs(e, c,
              [](const Pair& a, const Pair& b, const Modulus& m)
                  __attribute__((always_inline)) { return A::subtract_words(a, b, m); });
  }
  static void multiply(const WideEltwiseArguments& e, const WideConstants& c) {
    map_bundles(e, c,
                [](auto& result, const auto& a, const auto& b, const Modulus& m)
                    __attribute__((always_inline)) { multiply_words<A>(result, a, b, m); });
  }
  static void multiply_scalar_add(const WideEltwiseArguments& e, const WideConstants& c) {
    const WideTwiddle<A> w = broadcast_factor<A>(e.factor);
    map_bundles(
        e, c,
        [&w](auto& result, const auto& a, const auto& b, const Modulus& m)
            __attribute__((always_inline)) { multiply_factor_add_words<A>(result, a, w, b, m); });
  }
  static void reduce(const WideEltwiseArguments& e, const WideConstants& c) {
    WideEltwiseArguments unary = e;
    unary.b = e.a;
    map_bundles(unary, c,
                [](auto& result, const auto& a, const auto&, const Modulus& m)
                    __attribute__((always_inline)) { reduce_words<A>(result, a, m); });
  }
  /// Each lane has its own sum; the lanes are added at the end. Policies with sums of products
  /// reduce once for several products.
  static void dot(const WideEltwiseArguments& e, const WideConstants& c) {
    const Modulus m = A::make_wide_modulus(c);
    Pair sum{A::broadcast(0), A::broadcast(0)};
    const std::size_t vectors = e.count / kWideLanes<A>;
    if constexpr (requires { A::kMaxProductTerms; }) {
      for (std::size_t v = 0; v < vectors; v += A::kMaxProductTerms) {
        const std::size_t end =
            vectors - v < A::kMaxProductTerms ? vectors : v + A::kMaxProductTerms;
        auto products = A::no_products();
        for (std::size_t k = v; k < end; ++k) {
          A::add_product(products, load_words<A>(e.a, k * kWideLanes<A>),
                         load_words<A>(e.b, k * kWideLanes<A>), m);
        }
        sum = A::add_words(sum, A::reduce_products(products, m), m);
      }
    } else {
      for (std::size_t v = 0; v < vectors; ++v) {
        sum = add_product(sum, load_words<A>(e.a, v * kWideLanes<A>),
                          load_words<A>(e.b, v * kWideLanes<A>), m);
      }
    }
    const std::size_t first = vectors * kWideLanes<A>;
    if (first < e.count) {
      sum = add_product(sum, load_partial_words<A>(e.a, first, e.count - first),
                        load_partial_words<A>(e.b, first, e.count - first), m);
    }
    add_lanes(e.result, sum, c);
  }

 private:
  RINGLET_INLINE static Pair add_product(const Pair& sum, const Pair& a, const Pair& b,
                                         const Modulus& m) {
    Pair product[1];
    multiply_words<A>(product, {a}, {b}, m);
    return A::add_words(sum, product[0], m);
  }
  /// result[i] = body(a[i], b[i], m).
  template <typename Body>
  RINGLET_INLINE static void map_pairs(const WideEltwiseArguments& e, const WideConstants& c,
                                       Body&& body) {
    const Modulus m = A::make_wide_modulus(c);
    std::size_t i = 0;
    for (; i + kWideLanes<A> <= e.count; i += kWideLanes<A>) {
      store_words<A>(e.result, i, body(load_words<A>(e.a, i), load_words<A>(e.b, i), m));
    }
    if (i == e.count) return;
    const std::size_t n = e.count - i;
    store_partial_words<A>(
        e.result, i, n,
        body(load_partial_words<A>(e.a, i, n), load_partial_words<A>(e.b, i, n), m));
  }

  /// Calls body(result, a, b, m) likewise for arrays of vectors side by side: two, or one at the
  /// end.
  template <typename Body>
  RINGLET_INLINE static void map_bundles(const WideEltwiseArguments& e, const WideConstants& c,
                                         Body&& body) {
    constexpr std::size_t kLanes = kWideLanes<A>;
    const Modulus m = A::make_wide_modulus(c);
    std::size_t i = 0;
    for (; i + 2 * kLanes <= e.count; i += 2 * kLanes) {
      const Pair a[2] = {load_words<A>(e.a, i), load_words<A>(e.a, i + kLanes)};
      const Pair b[2] = {load_words<A>(e.b, i), load_words<A>(e.b, i + kLanes)};
      Pair result[2];
      body(result, a, b, m);
      store_words<A>(e.result, i, result[0]);
      store_words<A>(e.result, i + kLanes, result[1]);
    }
    while (i < e.count) {
      const std::size_t n = e.count - i < kLanes ? e.count - i : kLanes;
      const Pair a[1] = {load_partial_words<A>(e.a, i, n)};
      const Pair b[1] = {load_partial_words<A>(e.b, i, n)};
      Pair result[1];
      body(result, a, b, m);
      store_partial_words<A>(e.result, i, n, result[0]);
      i += n;
    }
  }

  static void add_lanes(const WideWords& result, const Pair& sum, const WideConstants& c) {
    std::uint64_t low[kWideLanes<A>];
    std::uint64_t high[kWideLanes<A>];
    A::store(low, sum.low);
    A::store(high, sum.high);
    const uint128_t q = join_words(c.words[0], c.words[1]);
    uint128_t total = 0;
    for (std::size_t k = 0; k < kWideLanes<A>; ++k) {
      total = add_mod_double(total, join_words(low[k], high[k]), q);
    }
    result.low[0] = low_word(total);
    result.high[0] = high_word(total);
  }
};

}  // namespace ringlet::kernels
