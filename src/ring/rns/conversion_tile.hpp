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

/// Chooses the kernels of basis conversions: one for primes and moduli below 2^50, one for any.
class ConversionKernels {
 public:
  using Chosen = kernels::Chosen<kernels::ConversionKernel>;

  explicit ConversionKernels(const KernelSelection& selection);

  /// Returns the kernel for moduli up to `largest`.
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

/// Holds the rows of a basis conversion for one tile of neighbouring coefficients at a time: y_i of
/// all primes, and u. load() makes them from residues; a caller with other y_i writes them to row()
/// and calls count() for u. Results are sums of rows. Constant time in the data.
class ConversionTile {
 public:
  /// The most coefficients of a tile. The rows of 20 primes fit the first-level cache. Tiles of 128
  /// read and write shorter runs of each limb and are 8 % slower.
  static constexpr std::size_t kMaxWords = 256;

  /// Returns the words of memory for the rows of a conversion from `size` primes.
  static constexpr std::size_t memory_words(std::size_t size) { return (size + 1) * kMaxWords; }

  /// Keeps references to its arguments. `memory` is 64-byte aligned.
  ConversionTile(const ConversionKernels::Chosen& kernel, const RnsBasis& basis,
                 const BasisConversion& conversion, std::span<std::uint64_t> memory);

  /// Makes the rows for `words` coefficients of `a` from index `first` on, 1 to kMaxWords of them.
  void load(ConstCoeffView a, std::size_t first, std::size_t words);
  /// Returns y_i, with memory for a whole tile.
  std::span<std::uint64_t> row(std::size_t i) const {
    return memory_.subspan(i * kMaxWords, kMaxWords);
  }
  /// Makes u from rows of `words` coefficients.
  void count(std::size_t words);

  /// result = sum of factors[i] * row i, the last factor that of u, plus extra, modulo p. With
  /// `is_row` the result is a row of another tile, with its padding.
  void sum(std::span<std::uint64_t> result, const Modulus& p,
           std::span<const std::uint64_t> factors, const ConversionTerm& extra = {},
           bool is_row = false) const;
  /// Writes the residues modulo the prime conversion.to()[j].
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
