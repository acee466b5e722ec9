// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ringlet/aligned.hpp"

namespace ringlet::ckks {

/// The canonical embedding of CKKS: slot j of a real polynomial m of degree below N is its value
/// m(zeta^(3^j)), zeta = e^(i*pi/N), j = 0, ..., N/2 - 1.
///
/// Slots of odd j are taken at the conjugate point, with the conjugate value: then every exponent
/// is 1 mod 4. At such a point X^(N/2) = i, so m is there the complex polynomial
/// sum_t (m_t + i*m_{t+N/2}) X^t modulo X^(N/2) - i, and a tree of splits X^L - r -> X^(L/2) -+
/// sqrt(r) evaluates it without a separate twist: the shape of a negacyclic NTT, over the complex
/// numbers, with radix-4 butterflies. docs/notes/ckks_embedding.md derives it.
///
/// A buffer holds N doubles: N/2 real parts, then N/2 imaginary parts. As coefficients these are
/// m_0, ..., m_{N-1} in natural order; as points they are in the order of the tree's leaves, known
/// only to scatter() and gather().
///
/// Immutable, shared by threads. No branch and no index depends on values; floating-point
/// operations take the same time for all operands but subnormal ones.
class SpecialFft {
 public:
  /// `degree` N is a power of two >= 2 (a precondition).
  explicit SpecialFft(std::size_t degree);

  std::size_t slot_count() const noexcept { return slot_count_; }

  /// Points from slots, times `factor`; the slots that are not given become zero, and so do
  /// magnitudes below 2^-900. At most slot_count() slots.
  void scatter(std::span<double> buffer, std::span<const double> slots, double factor) const;
  void scatter(std::span<double> buffer, std::span<const std::complex<double>> slots,
               double factor) const;

  /// Points to coefficients, in place, without the factor 2/N: the result is N/2 times too large.
  void points_to_coefficients(std::span<double> buffer) const;

  /// Coefficients to points, in place.
  void coefficients_to_points(std::span<double> buffer) const;

  /// All slots from points; the real overload drops imaginary parts.
  void gather(std::span<std::complex<double>> slots, std::span<const double> buffer) const;
  void gather(std::span<double> slots, std::span<const double> buffer) const;

 private:
  struct Root {
    double re;
    double im;
  };
  /// The three factors s, s^2, s^3 of one radix-4 butterfly block.
  struct Factors {
    Root first;
    Root second;
    Root third;
  };
  struct Split {
    double* re;
    double* im;
  };

  Root root(std::uint64_t exponent) const;
  Split split(std::span<double> buffer) const {
    return {buffer.data(), buffer.data() + slot_count_};
  }

  static void forward_block(Split values, std::size_t stride, const Factors& factors);
  static void inverse_block(Split values, std::size_t stride, const Factors& factors);

  std::size_t degree_;
  std::size_t slot_count_;
  bool odd_levels_ = false;            ///< The tree starts with one radix-2 level.
  std::vector<std::size_t> position_;  ///< Leaf of slot j.
  AlignedVector<Factors> factors_;     ///< Of all blocks, level by level from the tree's root.
};

}  // namespace ringlet::ckks
