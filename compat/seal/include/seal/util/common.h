// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <type_traits>

#include "seal/util/defines.h"

// Functions on the bits of single words, and arithmetic that detects overflow.

namespace ringlet::seal4_util {

constexpr int bits_per_nibble = 4;
constexpr int bits_per_byte = 8;
constexpr int bytes_per_uint64 = 8;
constexpr int bits_per_uint64 = 64;
constexpr int nibbles_per_byte = 2;
constexpr int nibbles_per_uint64 = 16;

/// Calls func(*it) for `size` iterators from `first` on. Returns the iterator after the last one.
template <class ForwardIt, class Size, class Func>
ForwardIt seal_for_each_n(ForwardIt first, Size size, Func&& func) {
  for (; size > 0; --size, ++first) func(*first);
  return first;
}

template <class T, class... Rest>
constexpr bool is_uint64_v =
    (std::is_integral<T>::value && std::is_unsigned<T>::value && sizeof(T) == 8) &&
    (is_uint64_v<Rest> && ...);
template <class T, class... Rest>
constexpr bool is_uint32_v =
    (std::is_integral<T>::value && std::is_unsigned<T>::value && sizeof(T) == 4) &&
    (is_uint32_v<Rest> && ...);

/// Returns the number of significant bits; 0 for 0.
SEAL_NODISCARD constexpr int get_significant_bit_count(std::uint64_t value) noexcept {
  return value == 0 ? 0 : 64 - __builtin_clzll(value);
}

/// Returns log2(value) for a power of two, -1 for any other value.
SEAL_NODISCARD constexpr int get_power_of_two(std::uint64_t value) noexcept {
  return value == 0 || (value & (value - 1)) != 0 ? -1 : get_significant_bit_count(value) - 1;
}

/// Returns the lowest bit_count bits of `operand` in reverse order. bit_count is from 0 to the
/// width of T.
template <class T>
SEAL_NODISCARD constexpr T reverse_bits(T operand, int bit_count = 8 * sizeof(T)) noexcept {
  T result = 0;
  for (int i = 0; i < bit_count; ++i) {
    result = static_cast<T>(result << 1 | (operand & 1));
    operand = static_cast<T>(operand >> 1);
  }
  return result;
}

/// Returns the number of ones among the bits.
SEAL_NODISCARD constexpr int hamming_weight(unsigned char value) noexcept {
  return __builtin_popcount(value);
}

template <class T, class = std::enable_if_t<std::is_integral<T>::value>>
SEAL_NODISCARD constexpr bool is_zero(T value) noexcept {
  return value == 0;
}

// Comparisons of integers of any types after their conversion to 64 bits without sign.
#define RINGLET_SEAL_COMPARISON(name, op)                                                      \
  template <class T, class S>                                                                  \
  SEAL_NODISCARD constexpr bool name(T a, S b) noexcept {                                      \
    static_assert(std::is_integral<T>::value && std::is_integral<S>::value, "needs integers"); \
    return static_cast<std::uint64_t>(a) op static_cast<std::uint64_t>(b);                     \
  }
RINGLET_SEAL_COMPARISON(unsigned_lt, <)
RINGLET_SEAL_COMPARISON(unsigned_leq, <=)
RINGLET_SEAL_COMPARISON(unsigned_gt, >)
RINGLET_SEAL_COMPARISON(unsigned_geq, >=)
RINGLET_SEAL_COMPARISON(unsigned_eq, ==)
RINGLET_SEAL_COMPARISON(unsigned_neq, !=)
#undef RINGLET_SEAL_COMPARISON

namespace detail {

/// Throws std::logic_error that the result of `operation` does not fit.
[[noreturn]] RINGLET_SEAL_API void throw_does_not_fit(const char* operation);
/// Throws std::invalid_argument that an argument of `operation` is outside its range.
[[noreturn]] RINGLET_SEAL_API void throw_bad_argument(const char* operation);

inline void check_argument(bool is_right, const char* operation) {
  if (!is_right) throw_bad_argument(operation);
}
/// Throws std::invalid_argument if there are words and a pointer to them is null.
inline void check_words(const char* operation, std::size_t count,
                        std::initializer_list<const std::uint64_t*> pointers) {
  for (const std::uint64_t* pointer : pointers) {
    check_argument(count == 0 || pointer != nullptr, operation);
  }
}
/// Throws std::invalid_argument unless 0 <= bits < 64*uint64_count.
inline void check_bits(const char* operation, int bits, std::size_t uint64_count) {
  check_argument(bits >= 0 && static_cast<std::size_t>(bits) < 64 * uint64_count, operation);
}

/// Computes total = total op value for the type of `total`. Returns false if it does not fit.
template <class T, class S>
constexpr bool try_add(T& total, S value) noexcept {
  if constexpr (std::is_integral<T>::value && std::is_integral<S>::value) {
    return !__builtin_add_overflow(total, value, &total);
  } else {
    total = static_cast<T>(total + value);
    return total >= std::numeric_limits<T>::lowest() && total <= std::numeric_limits<T>::max();
  }
}
template <class T, class S>
constexpr bool try_multiply(T& total, S value) noexcept {
  static_assert(std::is_integral<T>::value && std::is_integral<S>::value, "needs integers");
  return !__builtin_mul_overflow(total, value, &total);
}

/// T, or U if T is void.
template <class T, class U>
using TypeOr = std::conditional_t<std::is_void<T>::value, U, T>;

}  // namespace detail

/// Returns the product of integers, in the type of the first one.
/// @throws std::logic_error if it does not fit.
template <class T, class... Rest>
SEAL_NODISCARD constexpr T mul_safe(T first, Rest... rest) {
  static_assert(std::is_integral<T>::value, "needs integers");
  if (!(detail::try_multiply(first, rest) && ...)) detail::throw_does_not_fit("mul_safe");
  return first;
}

/// Returns the sum of numbers, in the type of the first one.
/// @throws std::logic_error if it does not fit.
template <class T, class... Rest>
SEAL_NODISCARD constexpr T add_safe(T first, Rest... rest) {
  if (!(detail::try_add(first, rest) && ...)) detail::throw_does_not_fit("add_safe");
  return first;
}

/// Returns a - b.
/// @throws std::logic_error if it does not fit.
template <class T>
SEAL_NODISCARD constexpr T sub_safe(T a, T b) {
  if constexpr (std::is_integral<T>::value) {
    T result = 0;
    if (__builtin_sub_overflow(a, b, &result)) detail::throw_does_not_fit("sub_safe");
    return result;
  } else {
    return add_safe(a, -b);
  }
}

/// Returns true if a number is in the range of T. Fractions may get lost.
template <class T, class S>
SEAL_NODISCARD constexpr bool fits_in(S value) noexcept {
  static_assert(std::is_arithmetic<T>::value && std::is_arithmetic<S>::value, "needs numbers");
  if constexpr (std::is_integral<T>::value && std::is_integral<S>::value) {
    T result = 0;
    return !__builtin_add_overflow(value, S{0}, &result);
  } else {
    return static_cast<double>(value) >= static_cast<double>(std::numeric_limits<T>::lowest()) &&
           static_cast<double>(value) <= static_cast<double>(std::numeric_limits<T>::max());
  }
}

/// Returns the value as a T.
/// @throws std::logic_error if !fits_in<T>(value).
template <class T, class S>
SEAL_NODISCARD constexpr T safe_cast(S value) {
  if (!fits_in<T>(value)) detail::throw_does_not_fit("safe_cast");
  return static_cast<T>(value);
}

/// Returns true if the sum fits in T, or in the type of the first number.
template <class T = void, class First, class... Rest>
SEAL_NODISCARD constexpr bool sum_fits_in(First first, Rest... rest) noexcept {
  detail::TypeOr<T, First> total = 0;
  return detail::try_add(total, first) && (detail::try_add(total, rest) && ...);
}

/// Returns true if the product of integers fits in T, or in the type of the first one.
template <class T = void, class First, class... Rest>
SEAL_NODISCARD constexpr bool product_fits_in(First first, Rest... rest) noexcept {
  detail::TypeOr<T, First> total = 1;
  return detail::try_multiply(total, first) && (detail::try_multiply(total, rest) && ...);
}

/// Returns value / divisor, rounded up, for value >= 0 and divisor > 0.
/// @throws std::logic_error if value + divisor - 1 does not fit.
template <class T>
SEAL_NODISCARD constexpr T divide_round_up(T value, T divisor) {
  return static_cast<T>(add_safe(value, static_cast<T>(divisor - 1)) / divisor);
}

template <class T>
constexpr double epsilon = std::numeric_limits<T>::epsilon();

/// Returns true if two numbers differ by less than epsilon<T> times the largest of their absolute
/// values and 1.
template <class T>
SEAL_NODISCARD bool are_close(T a, T b) noexcept {
  static_assert(std::is_floating_point<T>::value, "needs floating-point numbers");
  return std::fabs(a - b) < epsilon<T> * std::max({std::fabs(a), std::fabs(b), T{1}});
}

/// Overwrites memory with zeros; the compiler cannot remove the writes.
RINGLET_SEAL_API void seal_memzero(void* data, std::size_t size);

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
