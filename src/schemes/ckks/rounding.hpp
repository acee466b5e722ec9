// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/select.hpp"
#include "ring/backend/scratch.hpp"
#include "ringlet/arith/modulus.hpp"

namespace ringlet::ckks {

using EmbeddingChoice = kernels::Chosen<kernels::EmbeddingKernel>;

/// Returns the kernel that takes any number of values.
EmbeddingChoice any_embedding(
    const KernelSelection& selection = KernelSelection::from_environment());

/// Returns whether all values are finite. Only the verdict becomes public.
bool all_finite(std::span<const double> values, const EmbeddingChoice& kernel = any_embedding());

/// Returns ceil(log2(max |values[i]| * 2^shift)) of finite values; INT_MIN if all are zero.
/// Constant time.
int ceil_log2_of_largest(std::span<const double> values, int shift,
                         const EmbeddingChoice& kernel = any_embedding());

/// Real numbers values[i] * 2^shift rounded to integers, halves away from zero, and their residues:
/// exact for every shift and every finite value. Constant time in the values, apart from what the
/// caller says about their size.
class RoundedIntegers {
 public:
  /// @param values finite.
  /// @param ceil_log2 as ceil_log2_of_largest gives it for these values and this shift: no
  ///        magnitude is above 2^ceil_log2. The number of words that this takes becomes public.
  /// @param pool where the memory is from; null for the system.
  RoundedIntegers(std::span<const double> values, int shift, int ceil_log2,
                  const EmbeddingChoice& kernel = any_embedding(), HostPool* pool = nullptr);
  /// Holds the one integer `value`.
  explicit RoundedIntegers(std::int64_t value, HostPool* pool = nullptr);

  /// Returns an exponent: no magnitude is above 2^ceil_log2(); INT_MIN if all are zero.
  int ceil_log2() const noexcept { return ceil_log2_; }

  /// result[i] = integer i mod q, in [0, q).
  void reduce(std::span<std::uint64_t> result, const Modulus& q) const;

 private:
  void reduce_words(std::span<std::uint64_t> result, const Modulus& q) const;

  std::size_t count_;
  int ceil_log2_;
  EmbeddingChoice kernel_;
  std::size_t word_count_;
  /// If each integer has one word, that word, signed. Else the magnitudes: word w of all integers,
  /// then word w+1, and after the last word all ones where the integer is negative, or 0.
  Scratch words_;
};

}  // namespace ringlet::ckks
