// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/conversion/conversion_kernel.hpp"
#include "kernels/kernel.hpp"
#include "kernels/policy/accumulator/policy.hpp"
#include "kernels/policy/unroll.hpp"

// Basis conversion as a product of a matrix and vectors, written once over any accumulator. A
// factor is read once for several vectors, whose sums stay in registers, and a sum is reduced at
// its end.

namespace ringlet::kernels {

/// A conversion asks for these, besides sums of products:
///   kBlockVectors:               how many sums it works on at once
///   max_terms(row_bits, p):      how many products of words below 2^row_bits and factors below p
///                                fit on top of start(x), x in [0, p); at least 2; public
///   add_high(sum, y, theta, w):  sum + floor(y * theta / 2^w), w = 52 with y < 2^50, or 64
///   shift_right(x, n):           x >> n
template <typename C>
concept ConversionPolicy = AccumulatorPolicy<typename C::Sums> &&
                           requires(Vec<typename C::Sums::Arithmetic> x, std::uint64_t p, int n) {
                             { C::kModulusLimit } -> std::convertible_to<std::uint64_t>;
                             { C::kBlockVectors } -> std::convertible_to<int>;
                             { C::max_terms(n, p) } -> std::same_as<std::size_t>;
                             {
                               C::template add_high<64>(x, x, x)
                             } -> std::same_as<Vec<typename C::Sums::Arithmetic>>;
                             {
                               C::shift_right(x, n)
                             } -> std::same_as<Vec<typename C::Sums::Arithmetic>>;
                           };

template <ConversionPolicy C>
struct TiledConversion {
  using S = typename C::Sums;
  using A = typename S::Arithmetic;
  using V = Vec<A>;

  static constexpr std::size_t kBlock = C::kBlockVectors * kLanes<A>;

  static void scale(const ConversionScale& e) {
    for (std::size_t i = 0; i < e.prime_count; ++i) {
      const ConversionPrime& prime = e.primes[i];
      const auto factor = A::make_factor(prime.factor, prime.factor_quotient);
      EltwiseArguments constants;
      constants.q = prime.q;
      // A product by a factor does not use Barrett's ratio, so it stays unset.
      const auto barrett = A::make_barrett(constants);
      const V q = A::broadcast(prime.q);
      const V two_q = A::broadcast(2 * prime.q);
      const auto product = [&](V x) __attribute__((always_inline)) {
        V y = A::mul_factor(x, factor, barrett);
        if constexpr (A::kProductRange > 2) y = A::reduce_once(y, two_q);
        return A::reduce_once(y, q);
      };
      const std::uint64_t* a = e.a + i * e.a_stride;
      std::uint64_t* row = e.rows + i * e.row_stride;
      std::size_t c = 0;
      for (; e.words - c >= kLanes<A>; c += kLanes<A>) A::store(row + c, product(A::load(a + c)));
      if (c < e.words) {
        A::store(row + c, product(A::load_partial(a + c, e.words - c)));
        c += kLanes<A>;
      }
      clear(row, c, padded(e.words));
    }
  }

  static void count(const ConversionCount& e) {
    if (e.word_bits == 52) {
      count_words<52>(e);
    } else {
      count_words<64>(e);
    }
  }

  static void sum(const ConversionSum& e) {
    EltwiseArguments constants;
    constants.q = e.p;
    constants.ratio = e.ratio;
    const auto reduction = S::make_reduction(constants);
    const std::size_t most = C::max_terms(e.row_bits, e.p);
    const auto load = [](const std::uint64_t* p)
                          __attribute__((always_inline)) { return A::load(p); };
    const auto store = [](std::uint64_t* p, V x) __attribute__((always_inline)) { A::store(p, x); };
    std::size_t c = 0;
    for (; e.words - c >= kBlock; c += kBlock) {
      sum_vectors<C::kBlockVectors>(e, c, most, reduction, load, store);
    }
    for (; e.words - c >= kLanes<A>; c += kLanes<A>) {
      sum_vectors<1>(e, c, most, reduction, load, store);
    }
    if (c < e.words) {
      const std::size_t rest = e.words - c;
      const auto load_rest = [=](const std::uint64_t* p) __attribute__((always_inline)) {
        return A::load_partial(p, rest);
      };
      if (e.is_padded) {
        sum_vectors<1>(e, c, most, reduction, load_rest, store);
      } else {
        sum_vectors<1>(e, c, most, reduction, load_rest,
                       [=](std::uint64_t* p, V x)
                           __attribute__((always_inline)) { A::store_partial(p, x, rest); });
      }
      c += kLanes<A>;
    }
    if (e.is_padded) clear(e.result, c, padded(e.words));
  }

  static std::uint64_t count_from(const std::uint64_t* words, std::size_t count,
                                  std::uint64_t bound) {
    const V limit = A::broadcast(bound);
    const V one = A::broadcast(1);
    const auto tally = [&](V sum, V x) __attribute__((always_inline)) {
      return A::template add_where<Comparison::not_less>(sum, x, limit, one);
    };
    V sums[kTallies];
    unroll<kTallies>([&](auto v) __attribute__((always_inline)) { sums[v] = A::broadcast(0); });
    constexpr std::size_t kStep = kTallies * kLanes<A>;
    std::size_t c = 0;
    for (; count - c >= kStep; c += kStep) {
      unroll<kTallies>([&](auto v) __attribute__((always_inline)) {
        sums[v] = tally(sums[v], A::load(words + c + v * kLanes<A>));
      });
    }
    unroll<kTallies - 1>(
        [&](auto v) __attribute__((always_inline)) { sums[0] = A::add(sums[0], sums[v + 1]); });
    std::uint64_t lanes[kLanes<A>];
    A::store(lanes, sums[0]);
    std::uint64_t total = 0;
    for (const std::uint64_t lane : lanes) total += lane;
    for (; c < count; ++c) total += static_cast<std::uint64_t>(words[c] >= bound);
    return total;
  }

 private:
  static constexpr int kTallies = 4;

  RINGLET_INLINE static std::size_t padded(std::size_t words) {
    return (words + kConversionPadding - 1) / kConversionPadding * kConversionPadding;
  }

  RINGLET_INLINE static void clear(std::uint64_t* words, std::size_t first, std::size_t end) {
    for (; first < end; first += kLanes<A>) A::store(words + first, A::broadcast(0));
  }

  template <int kWordBits>
  RINGLET_INLINE static void count_words(const ConversionCount& e) {
    const std::size_t end = padded(e.words);
    std::size_t c = 0;
    for (; end - c >= kBlock; c += kBlock) count_vectors<kWordBits, C::kBlockVectors>(e, c);
    for (; c < end; c += kLanes<A>) count_vectors<kWordBits, 1>(e, c);
  }

  template <int kWordBits, int kVectors>
  RINGLET_INLINE static void count_vectors(const ConversionCount& e, std::size_t c) {
    V sums[kVectors];
    const V half = A::broadcast(std::uint64_t{1} << (e.fraction_bits - 1));
    unroll<kVectors>([&](auto v) __attribute__((always_inline)) { sums[v] = half; });
    for (std::size_t i = 0; i < e.prime_count; ++i) {
      const V theta = A::broadcast(e.primes[i].reciprocal);
      const std::uint64_t* row = e.rows + i * e.row_stride + c;
      unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
        sums[v] = C::template add_high<kWordBits>(sums[v], A::load(row + v * kLanes<A>), theta);
      });
    }
    unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
      A::store(e.u + c + v * kLanes<A>, C::shift_right(sums[v], e.fraction_bits));
    });
  }

  /// `load` and `store` access extra and result; rows are padded and need neither.
  template <int kVectors, typename Load, typename Store>
  RINGLET_INLINE static void sum_vectors(const ConversionSum& e, std::size_t c, std::size_t most,
                                         const typename S::Reduction& r, Load load, Store store) {
    typename S::Sum sums[kVectors];
    unroll<kVectors>([&](auto v)
                         __attribute__((always_inline)) { sums[v] = S::start(A::broadcast(0)); });
    std::size_t room = most;
    if (e.extra != nullptr) {
      const V factor = A::broadcast(e.extra_factor);
      unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
        sums[v] = S::accumulate(sums[v], load(e.extra + c + v * kLanes<A>), factor);
      });
      --room;
    }
    const std::uint64_t* row = e.rows + c;
    std::size_t i = 0;
    for (;;) {
      const std::size_t left = e.row_count - i;
      const std::size_t end = i + (left < room ? left : room);
      for (; i < end; ++i) {
        const V factor = A::broadcast(e.factors[i]);
        unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
          sums[v] = S::accumulate(sums[v], A::load(row + v * kLanes<A>), factor);
        });
        row += e.row_stride;
      }
      if (i == e.row_count) break;
      unroll<kVectors>(
          [&](auto v) __attribute__((always_inline)) { sums[v] = S::start(reduce(sums[v], r)); });
      room = most;
    }
    unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
      store(e.result + c + v * kLanes<A>, reduce(sums[v], r));
    });
  }

  RINGLET_INLINE static V reduce(const typename S::Sum& sum, const typename S::Reduction& r) {
    static_assert(S::kRange == 4);
    return A::reduce_once(A::reduce_once(S::reduce(sum, r), r.two_q), r.q);
  }
};

/// The descriptor. A slower kernel that takes larger moduli is listed after the faster one.
template <ConversionPolicy C>
consteval ConversionKernel tiled_conversion_kernel(const char* table, CpuFeatureMask needs) {
  using Loops = TiledConversion<C>;
  return {.table = table,
          .algorithm = "tiled",
          .needs = needs,
          .modulus_limit = C::kModulusLimit,
          .scale = &Loops::scale,
          .count = &Loops::count,
          .sum = &Loops::sum,
          .count_from = &Loops::count_from};
}

}  // namespace ringlet::kernels
