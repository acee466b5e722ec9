// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include "kernels/policy/unroll.hpp"

namespace ringlet::kernels {

/// N registers of eight words that go through the same steps side by side. A chain of products
/// waits for each of its steps, and a processor looks for other work among the next hundred
/// instructions or so only: there it finds the other registers of the bundle.
template <int N>
struct Bundle512 {
  __m512i v[N];

  template <typename Body>
  RINGLET_INLINE static Bundle512 each(Body&& body) {
    Bundle512 result;
    unroll<N>([&](auto i) __attribute__((always_inline)) { result.v[i] = body(i); });
    return result;
  }
  RINGLET_INLINE static Bundle512 all(__m512i x) {
    return each([&](int) __attribute__((always_inline)) { return x; });
  }
  RINGLET_INLINE static Bundle512 zero() { return all(_mm512_setzero_si512()); }
  RINGLET_INLINE __m512i operator[](int i) const { return v[i]; }

  RINGLET_INLINE friend Bundle512 operator+(const Bundle512& x, const Bundle512& y) {
    return each([&](int i) __attribute__((always_inline)) { return _mm512_add_epi64(x[i], y[i]); });
  }
  RINGLET_INLINE friend Bundle512 operator-(const Bundle512& x, const Bundle512& y) {
    return each([&](int i) __attribute__((always_inline)) { return _mm512_sub_epi64(x[i], y[i]); });
  }
  RINGLET_INLINE friend Bundle512 operator&(const Bundle512& x, __m512i y) {
    return each([&](int i) __attribute__((always_inline)) { return _mm512_and_si512(x[i], y); });
  }
  RINGLET_INLINE friend Bundle512 operator|(const Bundle512& x, const Bundle512& y) {
    return each([&](int i) __attribute__((always_inline)) { return _mm512_or_si512(x[i], y[i]); });
  }
  /// Shifts by one count, or by a count for each lane, where 64 and more give 0.
  RINGLET_INLINE friend Bundle512 operator<<(const Bundle512& x, unsigned count) {
    return each([&](int i)
                    __attribute__((always_inline)) { return _mm512_slli_epi64(x[i], count); });
  }
  RINGLET_INLINE friend Bundle512 operator>>(const Bundle512& x, unsigned count) {
    return each([&](int i)
                    __attribute__((always_inline)) { return _mm512_srli_epi64(x[i], count); });
  }
  RINGLET_INLINE friend Bundle512 operator<<(const Bundle512& x, __m512i count) {
    return each([&](int i)
                    __attribute__((always_inline)) { return _mm512_sllv_epi64(x[i], count); });
  }
  RINGLET_INLINE friend Bundle512 operator>>(const Bundle512& x, __m512i count) {
    return each([&](int i)
                    __attribute__((always_inline)) { return _mm512_srlv_epi64(x[i], count); });
  }
};

/// The arithmetic shift x >> count.
template <int N>
RINGLET_INLINE Bundle512<N> shift_signed(const Bundle512<N>& x, unsigned count) {
  return Bundle512<N>::each(
      [&](int i) __attribute__((always_inline)) { return _mm512_srai_epi64(x[i], count); });
}

}  // namespace ringlet::kernels
