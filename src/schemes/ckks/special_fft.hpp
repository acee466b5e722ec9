// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/select.hpp"
#include "ringlet/base/aligned.hpp"

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
/// operations take the same time for all operands but subnormal ones. The same bits for every
/// kernel.
class SpecialFft {
 public:
  /// `degree` N is a power of two >= 2 (a precondition).
  explicit SpecialFft(std::size_t degree,
                      const KernelSelection& selection = KernelSelection::from_environment());

  std::size_t slot_count() const noexcept { return slot_count_; }

  /// Writes points from at most slot_count() slots, times `factor`. Missing slots become zero, and
  /// so do magnitudes below 2^-900.
  void scatter(std::span<double> buffer, std::span<const double> slots, double factor) const;
  void scatter(std::span<double> buffer, std::span<const std::complex<double>> slots,
               double factor) const;

  /// Transforms points to N/2 times their coefficients, in place: leaves out the factor 2/N.
  void points_to_coefficients(std::span<double> buffer) const;

  /// Transforms coefficients to points, in place.
  void coefficients_to_points(std::span<double> buffer) const;

  /// Reads all slots from points; the real overload drops imaginary parts.
  void gather(std::span<std::complex<double>> slots, std::span<const double> buffer) const;
  void gather(std::span<double> slots, std::span<const double> buffer) const;

 private:
  struct Root {
    double re;
    double im;
  };

  Root root(std::uint64_t exponent) const;
  void add_factors(std::span<const std::uint64_t> exponents, std::size_t lanes);
  void place_slots(std::span<const std::uint64_t> exponents);
  kernels::SlotPlaces places() const { return {places_.data(), slot_count_, columns_}; }
  void scatter(std::span<double> buffer, const double* slots, std::size_t count, bool is_complex,
               double factor) const;
  void gather(double* slots, bool is_complex, std::span<const double> buffer) const;
  kernels::EmbeddingArguments arguments(std::span<double> buffer) const;

  std::size_t degree_;
  std::size_t slot_count_;
  kernels::Chosen<kernels::EmbeddingKernel> kernel_;
  Root first_;                           ///< Factor of a radix-2 level at the tree's root.
  AlignedVector<double> factors_;        ///< In the kernel's layout.
  std::size_t columns_;                  ///< Of the tiles in which slots are placed.
  AlignedVector<std::uint32_t> places_;  ///< Of the slots among the points, tile by tile.
};

}  // namespace ringlet::ckks
