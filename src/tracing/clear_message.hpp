// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/aligned.hpp"

namespace ringlet::circuits {

/// All slots of a message in the clear: complex numbers, or two rows of integers modulo t. Wiped
/// when it is released. Immutable; operands are of one kind and length.
class ClearMessage {
 public:
  using Numbers = SecretVector<std::complex<double>>;
  using Residues = SecretVector<std::uint64_t>;

  explicit ClearMessage(Numbers numbers) : numbers_(std::move(numbers)) {}
  ClearMessage(Residues residues, const Modulus& t) : residues_(std::move(residues)), t_(t) {}

  std::span<const std::complex<double>> numbers() const noexcept { return numbers_; }
  std::span<const std::uint64_t> residues() const noexcept { return residues_; }
  /// Returns the largest absolute value of a number; 0 for integers.
  double magnitude() const noexcept;

  ClearMessage negated() const;
  ClearMessage plus(const ClearMessage& other) const;
  ClearMessage minus(const ClearMessage& other) const;
  ClearMessage times(const ClearMessage& other) const;
  /// Multiplies numbers by `factor`.
  ClearMessage scaled(double factor) const;
  /// Raises integers to a power modulo t; leaves numbers unchanged.
  ClearMessage power(std::uint64_t exponent) const;
  /// Rotates each row to the left by `steps`, cyclically; to the right if negative.
  ClearMessage rotated(std::ptrdiff_t steps) const;
  /// Conjugates numbers, or swaps the two rows of integers.
  ClearMessage conjugated() const;

 private:
  template <typename OnNumbers, typename OnResidues>
  ClearMessage zipped(const ClearMessage& other, const OnNumbers& on_numbers,
                      const OnResidues& on_residues) const;

  Numbers numbers_;
  Residues residues_;
  std::optional<Modulus> t_;
};

}  // namespace ringlet::circuits
