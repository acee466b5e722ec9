// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/wide/policy.hpp"

// Vectors of double words in memory, in the two layouts that callers have.

namespace ringlet::kernels {

template <WidePolicy A>
RINGLET_INLINE WordPair<A> load_words(const ConstWideWords& from, std::size_t i) {
  if (from.step == 1) return {A::load(from.low + i), A::load(from.high + i)};
  WordPair<A> x{A::load(from.low + 2 * i), A::load(from.low + 2 * i + kWideLanes<A>)};
  if constexpr (A::kLogLanes > 0) A::separate(x.low, x.high);
  return x;
}

template <WidePolicy A>
RINGLET_INLINE void store_words(const WideWords& to, std::size_t i, WordPair<A> x) {
  if (to.step == 1) {
    A::store(to.low + i, x.low);
    A::store(to.high + i, x.high);
    return;
  }
  if constexpr (A::kLogLanes > 0) A::interleave(x.low, x.high);
  A::store(to.low + 2 * i, x.low);
  A::store(to.low + 2 * i + kWideLanes<A>, x.high);
}

/// Loads n < 2^kLogLanes elements from i on, and 0 in the other lanes.
template <WidePolicy A>
RINGLET_INLINE WordPair<A> load_partial_words(const ConstWideWords& from, std::size_t i,
                                              std::size_t n) {
  std::uint64_t low[kWideLanes<A>] = {};
  std::uint64_t high[kWideLanes<A>] = {};
  for (std::size_t k = 0; k < n; ++k) {
    low[k] = from.low[(i + k) * from.step];
    high[k] = from.high[(i + k) * from.step];
  }
  return {A::load(low), A::load(high)};
}

template <WidePolicy A>
RINGLET_INLINE void store_partial_words(const WideWords& to, std::size_t i, std::size_t n,
                                        const WordPair<A>& x) {
  std::uint64_t low[kWideLanes<A>];
  std::uint64_t high[kWideLanes<A>];
  A::store(low, x.low);
  A::store(high, x.high);
  for (std::size_t k = 0; k < n; ++k) {
    to.low[(i + k) * to.step] = low[k];
    to.high[(i + k) * to.step] = high[k];
  }
}

template <WidePolicy A>
RINGLET_INLINE WideElement<A> to_element(const WordPair<A>& x) {
  return A::from_words(x.low, x.high);
}

template <WidePolicy A>
RINGLET_INLINE WordPair<A> to_pair(const WideElement<A>& x) {
  WordPair<A> pair;
  A::to_words(x, pair.low, pair.high);
  return pair;
}

// N vectors side by side. A policy may offer these itself, on words or on bundles, where that takes
// fewer steps or hides latency.

template <WidePolicy A, std::size_t N>
RINGLET_INLINE void multiply_words(WordPair<A> (&result)[N], const WordPair<A> (&a)[N],
                                   const WordPair<A> (&b)[N], const typename A::WideModulus& m) {
  if constexpr (requires { A::multiply_words(result, a, b, m); }) {
    A::multiply_words(result, a, b, m);
  } else {
    for (std::size_t i = 0; i < N; ++i) {
      result[i] = to_pair<A>(A::multiply(to_element<A>(a[i]), to_element<A>(b[i]), m));
    }
  }
}

template <WidePolicy A, std::size_t N>
RINGLET_INLINE void multiply_factor_words(WordPair<A> (&result)[N], const WordPair<A> (&a)[N],
                                          const WideTwiddle<A>& w,
                                          const typename A::WideModulus& m) {
  if constexpr (requires { A::multiply_factor_words(result, a, w, m); }) {
    A::multiply_factor_words(result, a, w, m);
  } else {
    for (std::size_t i = 0; i < N; ++i) {
      result[i] = to_pair<A>(A::multiply_factor(to_element<A>(a[i]), w, m));
    }
  }
}

/// result = a*w + b.
template <WidePolicy A, std::size_t N>
RINGLET_INLINE void multiply_factor_add_words(WordPair<A> (&result)[N], const WordPair<A> (&a)[N],
                                              const WideTwiddle<A>& w, const WordPair<A> (&b)[N],
                                              const typename A::WideModulus& m) {
  if constexpr (requires { A::multiply_factor_add_words(result, a, w, b, m); }) {
    A::multiply_factor_add_words(result, a, w, b, m);
  } else {
    multiply_factor_words<A>(result, a, w, m);
    for (std::size_t i = 0; i < N; ++i) result[i] = A::add_words(result[i], b[i], m);
  }
}

template <WidePolicy A, std::size_t N>
RINGLET_INLINE void reduce_words(WordPair<A> (&result)[N], const WordPair<A> (&a)[N],
                                 const typename A::WideModulus& m) {
  if constexpr (requires { A::reduce_words(result, a, m); }) {
    A::reduce_words(result, a, m);
  } else {
    for (std::size_t i = 0; i < N; ++i) result[i] = to_pair<A>(A::reduce(to_element<A>(a[i]), m));
  }
}

/// Converts the last values of a forward or an inverse transform to reduced words.
template <WidePolicy A, bool kForward, std::size_t N>
RINGLET_INLINE void finish_words(WordPair<A> (&result)[N], const WideElement<A>* const (&x)[N],
                                 const typename A::WideModulus& m) {
  if constexpr (requires { A::finish_words(result, x, m); }) {
    A::finish_words(result, x, m);
  } else {
    for (std::size_t i = 0; i < N; ++i) {
      result[i] = to_pair<A>(kForward ? A::finish_forward(*x[i], m) : A::finish_inverse(*x[i], m));
    }
  }
}

}  // namespace ringlet::kernels
