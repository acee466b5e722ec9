// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "ring/cyclotomic/reduction/word_arithmetic.hpp"
#include "ringlet/ring/cyclotomic.hpp"

namespace ringlet {

/// Reduces modulo Phi_m in one way. Immutable; each call takes and wipes its working memory.
class Reducer {
 public:
  virtual ~Reducer() = default;

  /// Reduces a modulo Phi_m into its first n places, for n <= a.size() <= 2m.
  virtual void reduce(std::span<std::uint64_t> a, WrappingArithmetic arithmetic) const = 0;
  virtual void reduce(std::span<std::uint64_t> a, ResidueArithmetic arithmetic) const = 0;
  /// Returns the additions, subtractions and multiplications for `length` coefficients.
  virtual std::size_t operation_count(std::size_t length) const = 0;
};

std::unique_ptr<const Reducer> make_sparse_reducer(const CyclotomicPolynomial& polynomial);
/// @throws InvalidArgument as the constructor of CyclotomicReduction.
std::unique_ptr<const Reducer> make_block_reducer(const CyclotomicPolynomial& polynomial);
std::unique_ptr<const Reducer> make_barrett_reducer(const CyclotomicPolynomial& polynomial);

}  // namespace ringlet
