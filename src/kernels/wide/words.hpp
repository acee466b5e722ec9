// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/wide_policy.hpp"

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

/// The first n < 2^kLogLanes elements from i on; 0 in the other lanes.
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

// A policy may offer these on words, where that takes fewer steps than by limbs.

template <WidePolicy A>
RINGLET_INLINE WordPair<A> multiply_words(const WordPair<A>& a, const WordPair<A>& b,
                                          const typename A::WideModulus& m) {
  if constexpr (requires { A::multiply_words(a, b, m); }) {
    return A::multiply_words(a, b, m);
  } else {
    return to_pair<A>(A::multiply(to_element<A>(a), to_element<A>(b), m));
  }
}

template <WidePolicy A>
RINGLET_INLINE WordPair<A> multiply_factor_words(const WordPair<A>& a, const WideTwiddle<A>& w,
                                                 const typename A::WideModulus& m) {
  if constexpr (requires { A::multiply_factor_words(a, w, m); }) {
    return A::multiply_factor_words(a, w, m);
  } else {
    return to_pair<A>(A::multiply_factor(to_element<A>(a), w, m));
  }
}

template <WidePolicy A>
RINGLET_INLINE WordPair<A> reduce_words(const WordPair<A>& a, const typename A::WideModulus& m) {
  if constexpr (requires { A::reduce_words(a, m); }) {
    return A::reduce_words(a, m);
  } else {
    return to_pair<A>(A::reduce(to_element<A>(a), m));
  }
}

/// What a forward or an inverse transform ends with, as reduced words.
template <WidePolicy A>
RINGLET_INLINE WordPair<A> finish_forward_words(const WideElement<A>& x,
                                                const typename A::WideModulus& m) {
  if constexpr (requires { A::finish_words(x, m); }) {
    return A::finish_words(x, m);
  } else {
    return to_pair<A>(A::finish_forward(x, m));
  }
}
template <WidePolicy A>
RINGLET_INLINE WordPair<A> finish_inverse_words(const WideElement<A>& x,
                                                const typename A::WideModulus& m) {
  if constexpr (requires { A::finish_words(x, m); }) {
    return A::finish_words(x, m);
  } else {
    return to_pair<A>(A::finish_inverse(x, m));
  }
}

}  // namespace ringlet::kernels
