// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ring/scratch.hpp"
#include "ringlet/basis_conversion.hpp"
#include "ringlet/eltwise.hpp"
#include "ringlet/storage.hpp"

namespace ringlet {

/// A basis conversion on neighbouring coefficients, with memory that is used for one tile after the
/// other: load() a tile, then convert it to as many moduli as are wanted. Constant time in the
/// data.
class ConversionTile {
 public:
  /// Most coefficients of a tile: its rows of all primes fit the cache of the second level.
  static constexpr std::size_t kMaxWords = 2048;

  /// @param eltwise one per prime of the basis of `conversion`.
  /// Refers to both. A tile has at most `max_words` <= kMaxWords coefficients.
  ConversionTile(std::span<const Eltwise> eltwise, const BasisConversion& conversion,
                 std::size_t max_words);

  /// Takes `words` coefficients from index `first` on: computes y_i and u. `words` is at least 1
  /// and at most max_words.
  void load(ConstCoeffView a, std::size_t first, std::size_t words);
  /// The residues modulo the prime conversion.to()[j].
  void convert(std::span<std::uint64_t> result, std::size_t j) const;
  /// The residues modulo conversion.modulus().
  void convert_to_modulus(std::span<std::uint64_t> result) const;

 private:
  /// Coefficients whose terms are added in one go; then the factors of all terms, as vectors, fit
  /// the cache of the first level.
  static constexpr std::size_t kMaxRowWords = 256;

  std::span<std::uint64_t> y(std::size_t i) const {
    return memory_.words().subspan(i * stride_, words_);
  }
  std::span<std::uint64_t> u() const { return y(size_); }
  std::span<std::uint64_t> row(std::size_t i, std::size_t words) const {
    return memory_.words().subspan((size_ + 1) * stride_ + i * row_words_, words);
  }
  std::span<std::uint64_t> reduced(std::size_t i, std::size_t words) const { return row(i, words); }
  std::span<std::uint64_t> factor(std::size_t i, std::size_t words) const {
    return row(size_ + 1 + i, words);
  }

  std::span<const Eltwise> eltwise_;
  const BasisConversion& conversion_;
  std::size_t size_;   // k, the number of primes
  std::size_t words_;  // of the tile that was loaded
  std::size_t row_words_;
  std::size_t stride_;  // of the rows y_i and u
  Scratch memory_;
};

}  // namespace ringlet
