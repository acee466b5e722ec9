// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/ntt/ntt.hpp"
#include "ringlet/ring/cyclotomic.hpp"
#include "ringlet/ring/ring_spec.hpp"

namespace ringlet {

/// The data that all transforms of one ring share: the polynomial and the order of values.
struct CyclotomicIndices {
  explicit CyclotomicIndices(const RingSpec& ring);

  RingSpec ring;
  CyclotomicPolynomial polynomial;
  /// The numbers below m that are coprime to m, ascending: value i of NTT form is the value at
  /// w^units[i].
  std::vector<std::uint32_t> units;
};

/// The transform over Z_q[X]/Phi_m for any m: n coefficients <-> the n values at the primitive m-th
/// roots of unity.
///
/// forward: result[i] = sum over j < n of a_j * w^(j * units[i]), w the smallest primitive m-th
/// root of unity modulo q. inverse: the inverse of forward. Both are exact and canonical.
///
/// The method is Bluestein's ("A linear filtering approach to the computation of the discrete
/// Fourier transform", 1970) with binomials in place of halved squares:
/// jk = C(j+k, 2) - C(j, 2) - C(k, 2) needs m-th roots alone. The correlation with the chirp
/// w^C(y, 2) is one negacyclic convolution of length L >= n + m - 1, whose first and last terms
/// wrap around outside the terms that are read. The inverse is the transposed correlation: with
/// z_i = value_i / Phi_m'(w^units[i]) and the power sums s_l = sum of z_i * w^(l * units[i]), the
/// interpolating polynomial is
///   a_(n-1-l) = sum over i <= l of phi_(l-i) * s_i,
/// a product of power series by Phi_m = product of (1 - X^d)^mu(m/d): sums and differences.
/// Derivation: docs/notes/cyclotomic_transform.md. Immutable. Constant time in the data.
class CyclotomicNtt {
 public:
  /// @param q a prime = 1 modulo ring.modulus_step(). @throws as Ntt.
  CyclotomicNtt(std::shared_ptr<const CyclotomicIndices> indices, const Modulus& q,
                const KernelSelection& selection);

  /// Transform n words, in place or without overlap. Operands of `forward` are in
  /// [0, input_mod_factor*q), factor 1, 2 or 4; all else in [0, q).
  void forward(std::span<std::uint64_t> result, std::span<const std::uint64_t> operand,
               int input_mod_factor = 1) const;
  void inverse(std::span<std::uint64_t> result, std::span<const std::uint64_t> operand) const;

  const RingSpec& ring() const noexcept { return indices_->ring; }
  /// Returns w.
  std::uint64_t root_of_unity() const noexcept { return root_; }
  /// Returns the kernel of the convolution.
  const std::string& kernel_name() const noexcept { return convolution_.kernel_name(); }

 private:
  using Words = std::span<std::uint64_t>;

  void make_chirp();
  void make_value_factors();
  /// Correlates words[0..count) with the chirp, all other words being 0: word n + m - 2 - k becomes
  /// the sum over j of words[j] * chirp[j + k], for k below n + m - count.
  void correlate(Words words) const;
  /// Multiplies the power series whose coefficient l is words[n - 1 - l] by Phi_m.
  void multiply_by_polynomial(Words words) const;

  std::shared_ptr<const CyclotomicIndices> indices_;
  std::uint64_t root_;
  Ntt convolution_;
  Eltwise eltwise_;
  AlignedVector<std::uint64_t> chirp_;            ///< The transform of the chirp, of length L.
  AlignedVector<std::uint64_t> before_;           ///< w^-C(j, 2) for j < n.
  AlignedVector<std::uint64_t> before_reversed_;  ///< before_, from j = n - 1 down.
  AlignedVector<std::uint64_t> after_;            ///< w^-C(k, 2) for k in units.
  AlignedVector<std::uint64_t> before_inverse_;   ///< w^-C(k, 2) / Phi_m'(w^k) for k in units.
};

}  // namespace ringlet
