// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ringlet/aligned.hpp"
#include "ringlet/modulus.hpp"

namespace ringlet::ckks {

/// True if all values are finite. The verdict becomes public, nothing else does.
bool all_finite(std::span<const double> values);

/// ceil(log2(max |values[i]| * 2^shift)) of finite values; INT_MIN if all are zero. Constant time.
int ceil_log2_of_largest(std::span<const double> values, int shift);

/// Real numbers values[i] * 2^shift rounded to integers, halves away from zero, and their residues:
/// exact for every shift and every finite value. Constant time in the values, apart from what the
/// caller says about their size.
class RoundedIntegers {
 public:
  /// @param values finite.
  /// @param ceil_log2 as ceil_log2_of_largest gives it for these values and this shift: no
  ///        magnitude is above 2^ceil_log2. The number of words that this takes becomes public.
  RoundedIntegers(std::span<const double> values, int shift, int ceil_log2);
  /// The one integer `value`.
  explicit RoundedIntegers(std::int64_t value);

  /// No magnitude is above 2^ceil_log2(); INT_MIN if all are zero.
  int ceil_log2() const noexcept { return ceil_log2_; }

  /// result[i] = integer i mod q, in [0, q).
  void reduce(std::span<std::uint64_t> result, const Modulus& q) const;

 private:
  std::size_t count_;
  int ceil_log2_;
  std::size_t word_count_;
  SecretVector<std::uint64_t> words_;     ///< Magnitudes: word w of all integers, then word w+1.
  SecretVector<std::uint64_t> negative_;  ///< All ones where the integer is negative, else 0.
};

}  // namespace ringlet::ckks
