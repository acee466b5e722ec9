// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu_features.hpp"
#include "ringlet/arith/modular.hpp"

// Plain data and function pointers, as in kernels/kernel.hpp.

namespace ringlet::kernels {

/// Rows of a tile are padded to a multiple of this many words; kernels access the padding.
inline constexpr std::size_t kConversionPadding = 8;

/// Constants of a conversion for one prime q of the basis that it starts from.
struct ConversionPrime {
  std::uint64_t q = 0;
  std::uint64_t factor = 0;           ///< Below q.
  std::uint64_t factor_quotient = 0;  ///< floor(factor * 2^64 / q)
  std::uint64_t reciprocal = 0;       ///< theta of BasisConversion
};

/// rows[i * row_stride + c] = a[i * a_stride + c] * primes[i].factor mod q_i, reduced, for c <
/// words; 0 in the padding.
struct ConversionScale {
  std::uint64_t* rows = nullptr;
  std::size_t row_stride = 0;
  const std::uint64_t* a = nullptr;
  std::size_t a_stride = 0;
  const ConversionPrime* primes = nullptr;
  std::size_t prime_count = 0;
  std::size_t words = 0;
};

/// u[c] = floor((2^(s-1) + sum over i of floor(rows[i][c] * reciprocal_i / 2^w)) / 2^s), with
/// w = word_bits, 52 if all primes are below 2^50 and 64 otherwise, and s = fraction_bits; for c <
/// words and the padding.
struct ConversionCount {
  std::uint64_t* u = nullptr;
  const std::uint64_t* rows = nullptr;
  std::size_t row_stride = 0;
  const ConversionPrime* primes = nullptr;
  std::size_t prime_count = 0;
  int word_bits = 0;
  int fraction_bits = 0;
  std::size_t words = 0;
};

/// result[c] = sum over i of rows[i][c] * factors[i] + extra[c] * extra_factor mod p, reduced, for
/// c < words; with `is_padded` in the padding too. Rows and extra are below 2^row_bits, factors
/// below p.
struct ConversionSum {
  std::uint64_t* result = nullptr;
  const std::uint64_t* rows = nullptr;
  std::size_t row_stride = 0;
  const std::uint64_t* factors = nullptr;
  std::size_t row_count = 0;
  int row_bits = 0;
  const std::uint64_t* extra = nullptr;  ///< One more term outside the rows; null for none.
  std::uint64_t extra_factor = 0;
  bool is_padded = false;
  std::uint64_t p = 0;
  BarrettRatio ratio = {};  ///< floor(2^128 / p)
  std::size_t words = 0;
};

/// A kernel of basis conversions on a tile of neighbouring coefficients. It multiplies a matrix of
/// constants by the vectors of their residues, which are the rows of the tile. Rows are 64-byte
/// aligned and a multiple of kConversionPadding words apart; a, extra and result may have any
/// alignment. Any number of words. Constant time in the data.
struct ConversionKernel {
  const char* table = nullptr;
  const char* algorithm = nullptr;
  CpuFeatureMask needs = 0;
  std::uint64_t modulus_limit = 0;  ///< Takes primes and moduli below it.
  void (*scale)(const ConversionScale& arguments) = nullptr;
  void (*count)(const ConversionCount& arguments) = nullptr;
  void (*sum)(const ConversionSum& arguments) = nullptr;
  /// Counts the words that are at least `bound`: none of residues modulo it. Any alignment.
  std::uint64_t (*count_from)(const std::uint64_t* words, std::size_t count,
                              std::uint64_t bound) = nullptr;
};

}  // namespace ringlet::kernels
