// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/bundle512.hpp"

// Steps of bundles that need AVX512-IFMA and -VBMI2.

namespace ringlet::kernels {

/// Word 0 of (high * 2^64 + low) >> count (AVX512-VBMI2).
template <int N>
RINGLET_INLINE Bundle512<N> funnel_shift(const Bundle512<N>& low, const Bundle512<N>& high,
                                         __m512i count) {
  return Bundle512<N>::each([&](int i) __attribute__((always_inline)) {
    return _mm512_shrdv_epi64(low[i], high[i], count);
  });
}
template <int kCount, int N>
RINGLET_INLINE Bundle512<N> funnel_shift(const Bundle512<N>& low, const Bundle512<N>& high) {
  return Bundle512<N>::each([&](int i) __attribute__((always_inline)) {
    return _mm512_shrdi_epi64(low[i], high[i], kCount);
  });
}

/// sum + the low or the high 52 bits of the product of the low 52 bits of x and y (AVX512-IFMA).
template <int N>
RINGLET_INLINE Bundle512<N> low52(const Bundle512<N>& sum, const Bundle512<N>& x,
                                  const Bundle512<N>& y) {
  return Bundle512<N>::each([&](int i) __attribute__((always_inline)) {
    return _mm512_madd52lo_epu64(sum[i], x[i], y[i]);
  });
}
template <int N>
RINGLET_INLINE Bundle512<N> high52(const Bundle512<N>& sum, const Bundle512<N>& x,
                                   const Bundle512<N>& y) {
  return Bundle512<N>::each([&](int i) __attribute__((always_inline)) {
    return _mm512_madd52hi_epu64(sum[i], x[i], y[i]);
  });
}
template <int N>
RINGLET_INLINE Bundle512<N> low52(const Bundle512<N>& sum, const Bundle512<N>& x, __m512i y) {
  return low52(sum, x, Bundle512<N>::all(y));
}
template <int N>
RINGLET_INLINE Bundle512<N> high52(const Bundle512<N>& sum, const Bundle512<N>& x, __m512i y) {
  return high52(sum, x, Bundle512<N>::all(y));
}

}  // namespace ringlet::kernels
