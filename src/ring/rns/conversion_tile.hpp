// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/select.hpp"
#include "ringlet/ring/basis_conversion.hpp"
#include "ringlet/ring/rns_basis.hpp"
#include "ringlet/ring/storage.hpp"

namespace ringlet {

/// The kernels of basis conversions: for primes and moduli below 2^50, and for any.
class ConversionKernels {
 public:
  using Chosen = kernels::Chosen<kernels::ConversionKernel>;

  explicit ConversionKernels(const KernelSelection& selection);

  /// For moduli up to `largest`.
  const Chosen& kernel(std::uint64_t largest) const noexcept {
    return largest < kShortLimit ? short_ : any_;
  }

 private:
  static constexpr std::uint64_t kShortLimit = std::uint64_t{1} << 50;

  Chosen short_;
  Chosen any_;
};

/// One more term of a sum of rows.
struct ConversionTerm {
  const std::uint64_t* words = nullptr;
  std::uint64_t factor = 0;
  std::uint64_t bound = 0;  ///< The words are below it.
};

/// The rows of a basis conversion on neighbouring coefficients, for one tile after the other: y_i
/// of all primes, and u. load() makes them of residues; where they come from elsewhere, they are
/// written to row() and count() makes u. Then sums of rows are what is wanted. Constant time in the
/// data.
class ConversionTile {
 public:
  /// Most coefficients of a tile: the rows of 20 primes fit the cache of the first level, and
  /// longer runs of each limb are read and written at a time than by tiles of 128, which are 8 %
  /// slower.
  static constexpr std::size_t kMaxWords = 256;

  /// What the rows of a conversion from `size` primes take.
  static constexpr std::size_t memory_words(std::size_t size) { return (size + 1) * kMaxWords; }

  /// Refers to what it is given. `memory` is 64-byte aligned.
  ConversionTile(const ConversionKernels::Chosen& kernel, const RnsBasis& basis,
                 const BasisConversion& conversion, std::span<std::uint64_t> memory);

  /// Rows for `words` coefficients of `a` from index `first` on, at least 1 and at most kMaxWords.
  void load(ConstCoeffView a, std::size_t first, std::size_t words);
  /// y_i, with memory for a whole tile.
  std::span<std::uint64_t> row(std::size_t i) const {
    return memory_.subspan(i * kMaxWords, kMaxWords);
  }
  /// Makes u of rows with `words` coefficients.
  void count(std::size_t words);

  /// result = sum of factors[i] * row i, the last factor that of u, plus extra, modulo p. With
  /// `is_row` the result is a row of another tile, with its padding.
  void sum(std::span<std::uint64_t> result, const Modulus& p,
           std::span<const std::uint64_t> factors, const ConversionTerm& extra = {},
           bool is_row = false) const;
  /// The residues modulo the prime conversion.to()[j].
  void convert(std::span<std::uint64_t> result, std::size_t j) const;

 private:
  const ConversionKernels::Chosen& kernel_;
  const RnsBasis& basis_;
  const BasisConversion& conversion_;
  std::span<std::uint64_t> memory_;
  std::size_t size_;  // k, the number of primes
  int row_bits_ = 0;
  std::array<kernels::ConversionPrime, kMaxConversionSize> primes_;
};

}  // namespace ringlet
