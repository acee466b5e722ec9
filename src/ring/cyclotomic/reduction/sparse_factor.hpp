// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ring/cyclotomic/reduction/word_arithmetic.hpp"

// Products and quotients of power series, cut off after `length` coefficients, by 1 - X^d: a
// difference and a running sum at distance d. A block of d coefficients depends on the previous
// block alone, so blocks are vectors; a short block stays in registers. Constant time.

namespace ringlet {

/// Blocks of up to this many words are kept in registers.
inline constexpr std::size_t kMaxRegisterBlock = 16;

namespace sparse_detail {

// p *= 1 - X^D.
template <std::size_t D, typename Arithmetic>
void multiply_short(std::uint64_t* p, std::size_t length, Arithmetic arithmetic) {
  std::array<std::uint64_t, D> last{};
  std::size_t row = 0;
  for (; row + D <= length; row += D) {
    std::array<std::uint64_t, D> block;
    for (std::size_t j = 0; j < D; ++j) block[j] = p[row + j];
    for (std::size_t j = 0; j < D; ++j) p[row + j] = arithmetic.subtract(block[j], last[j]);
    last = block;
  }
  for (std::size_t j = 0; row + j < length; ++j) {
    p[row + j] = arithmetic.subtract(p[row + j], last[j]);
  }
}

// p /= 1 - X^D.
template <std::size_t D, typename Arithmetic>
void divide_short(std::uint64_t* p, std::size_t length, Arithmetic arithmetic) {
  std::array<std::uint64_t, D> sum{};
  std::size_t row = 0;
  for (; row + D <= length; row += D) {
    for (std::size_t j = 0; j < D; ++j) {
      p[row + j] = sum[j] = arithmetic.add(sum[j], p[row + j]);
    }
  }
  for (std::size_t j = 0; row + j < length; ++j) p[row + j] = arithmetic.add(sum[j], p[row + j]);
}

template <typename Arithmetic>
using Pass = void (*)(std::uint64_t*, std::size_t, Arithmetic);

template <typename Arithmetic, std::size_t... D>
constexpr std::array<Pass<Arithmetic>, sizeof...(D)> multiply_table(std::index_sequence<D...>) {
  return {multiply_short<D + 1, Arithmetic>...};
}
template <typename Arithmetic, std::size_t... D>
constexpr std::array<Pass<Arithmetic>, sizeof...(D)> divide_table(std::index_sequence<D...>) {
  return {divide_short<D + 1, Arithmetic>...};
}

template <typename Arithmetic>
inline constexpr auto kMultiply =
    multiply_table<Arithmetic>(std::make_index_sequence<kMaxRegisterBlock>());
template <typename Arithmetic>
inline constexpr auto kDivide =
    divide_table<Arithmetic>(std::make_index_sequence<kMaxRegisterBlock>());

}  // namespace sparse_detail

/// p *= 1 - X^d, for d >= 1.
template <typename Arithmetic>
void multiply_by_factor(std::uint64_t* p, std::size_t length, std::size_t d,
                        Arithmetic arithmetic) {
  if (d >= length) return;
  if (d <= kMaxRegisterBlock) {
    sparse_detail::kMultiply<Arithmetic>[d - 1](p, length, arithmetic);
    return;
  }
  for (std::size_t end = length; end > d;) {
    const std::size_t size = std::min(d, end - d);
    std::uint64_t* __restrict const block = p + (end - size);
    const std::uint64_t* __restrict const last = p + (end - size - d);
    for (std::size_t j = 0; j < size; ++j) block[j] = arithmetic.subtract(block[j], last[j]);
    end -= size;
  }
}

/// p /= 1 - X^d, for d >= 1.
template <typename Arithmetic>
void divide_by_factor(std::uint64_t* p, std::size_t length, std::size_t d, Arithmetic arithmetic) {
  if (d >= length) return;
  if (d <= kMaxRegisterBlock) {
    sparse_detail::kDivide<Arithmetic>[d - 1](p, length, arithmetic);
    return;
  }
  for (std::size_t begin = d; begin < length;) {
    const std::size_t size = std::min(d, length - begin);
    std::uint64_t* __restrict const block = p + begin;
    const std::uint64_t* __restrict const last = p + (begin - d);
    for (std::size_t j = 0; j < size; ++j) block[j] = arithmetic.add(block[j], last[j]);
    begin += size;
  }
}

/// p /= 1 - X^d, where only the first `known` coefficients of p are given and the others are 0:
/// their places need not be initialised.
template <typename Arithmetic>
void divide_and_extend(std::uint64_t* p, std::size_t known, std::size_t length, std::size_t d,
                       Arithmetic arithmetic) {
  divide_by_factor(p, known, d, arithmetic);
  if (known < d) {
    const std::size_t end = std::min(d, length);
    std::fill(p + known, p + end, 0);
    known = end;
  }
  // The rest has period d; the part to copy from doubles each time.
  const std::size_t first = known - std::min(known, d);
  while (known < length) {
    const std::size_t size = std::min((known - first) / d * d, length - known);
    std::copy_n(p + first, size, p + known);
    known += size;
  }
}

}  // namespace ringlet
