// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/kernels/comparison.hpp"
#include "ringlet/kernels/kernel_selection.hpp"

namespace ringlet {

/// Largest number of bits of a modulus for products and reductions.
inline constexpr int kMaxProductModulusBits = 62;

struct EltwiseKernels;

/// Computes on vectors of residues modulo q, element by element. q may be prime or not. Sums accept
/// any q in [2, 2^63), products and reductions any q in [2, 2^62).
///
/// The constructor chooses the kernels. A plan is immutable, cheap to copy and may be used by many
/// threads at once. Vectors have any length, 0 included, and any alignment of whole words; all
/// vectors of a call have the same length. `result` may be the same memory as an operand but must
/// not overlap an operand partly. Elements of operands and results are in [0, q) unless a comment
/// states another range. Calls do not check the elements of operands. An input factor f means that
/// the elements of all vector operands are in [0, f*q), with f*q < 2^64. Constant time in the data;
/// scalars, bounds, factors and the modulus are public. Every call throws InvalidArgument on
/// different lengths, a null or misaligned buffer, partial overlap, a scalar or factor out of
/// range, or a modulus too large for the operation. A call that throws leaves all buffers
/// unchanged.
class RINGLET_API Eltwise {
 public:
  /// Makes a plan modulo q.
  /// @throws InvalidArgument if `selection` names a kernel exactly and q is outside its range.
  explicit Eltwise(const Modulus& q,
                   const KernelSelection& selection = KernelSelection::from_environment());

  using Result = std::span<std::uint64_t>;
  /// A third span of a call is passed in memory, where compilers write its halves and read it
  /// whole: a wait of 5 ns. So it comes by reference.
  using Operand = std::span<const std::uint64_t>;

  /// Computes result[i] = a[i] + b[i] mod q, for q < 2^63.
  void add(Result result, Operand a, const Operand& b) const;
  /// Computes result[i] = a[i] + scalar mod q, for a scalar in [0, q) and q < 2^63.
  void add_scalar(Result result, Operand a, std::uint64_t scalar) const;
  /// Computes result[i] = a[i] - b[i] mod q, for q < 2^63.
  void subtract(Result result, Operand a, const Operand& b) const;
  /// Computes result[i] = a[i] - scalar mod q, for a scalar in [0, q) and q < 2^63.
  void subtract_scalar(Result result, Operand a, std::uint64_t scalar) const;
  /// Computes result[i] = -a[i] mod q, for q < 2^63.
  void negate(Result result, Operand a) const;

  /// Computes result[i] = a[i] * b[i] mod q, with input factor 1, 2 or 4. Boemer et al., "Intel
  /// HEXL", Algorithm 8 (Barrett) or 9 (floating point), with the corrections in
  /// docs/notes/barrett.md.
  void multiply(Result result, Operand a, const Operand& b, int input_mod_factor = 1) const;
  /// Computes result[i] = a[i] * b[i] + c[i] mod q.
  void multiply_add(Result result, Operand a, const Operand& b, const Operand& c) const;
  /// Multiplies two pairs as polynomials of degree one, as a product of ciphertexts needs, in one
  /// pass:
  ///   results[0][i] = a[0][i] * b[0][i] mod q
  ///   results[1][i] = a[0][i] * b[1][i] + a[1][i] * b[0][i] mod q
  ///   results[2][i] = a[1][i] * b[1][i] mod q
  /// Runs the kernel of `multiply`. Operands may overlap each other.
  /// @throws InvalidArgument also if two results have a word in common.
  void multiply_pairs(std::span<const Result, 3> results, std::span<const Operand, 2> a,
                      std::span<const Operand, 2> b) const;
  /// Computes result[i] = a[i] * scalar mod q, for a scalar in [0, q) and input factor 1, 2, 4 or
  /// 8.
  void multiply_scalar(Result result, Operand a, std::uint64_t scalar,
                       int input_mod_factor = 1) const;
  /// Computes result[i] = a[i] * scalar + c[i] mod q, for a scalar in [0, q) and input factor 1, 2,
  /// 4 or 8, which applies to a and to c. Boemer et al., "Intel HEXL", Algorithm 10.
  void multiply_scalar_add(Result result, Operand a, std::uint64_t scalar, const Operand& c,
                           int input_mod_factor = 1) const;

  /// Computes result[i] = sum over k of a[k][i] * b[k][i] mod q, for any number of terms; without
  /// terms results are 0. The accumulator is reduced at the end, and earlier only where the next
  /// term could overflow it.
  /// @throws InvalidArgument also if a and b have different numbers of terms.
  void multiply_accumulate(Result result, std::span<const Operand> a,
                           std::span<const Operand> b) const;
  /// Returns the sum over i of a[i] * b[i] mod q.
  std::uint64_t dot(Operand a, Operand b) const;

  /// Computes result[i] = a[i] mod q, for any 64-bit a[i].
  void reduce(Result result, Operand a) const;
  /// Maps a[i] in [0, input_mod_factor*q) to a congruent result[i] in [0, output_mod_factor*q). The
  /// pair of factors is (2, 1), (4, 1) or (4, 2). The result is a[i] after at most one subtraction
  /// of 2q and then at most one of q.
  void reduce_range(Result result, Operand a, int input_mod_factor, int output_mod_factor) const;

  /// Computes result[i] = a[i] + summand modulo 2^64 if the comparison of a[i] with bound holds,
  /// else result[i] = a[i]. All words are 64-bit numbers; the modulus has no effect.
  void compare_add(Result result, Operand a, Comparison comparison, std::uint64_t bound,
                   std::uint64_t summand) const;
  /// Computes result[i] = a[i] - difference mod q if the comparison of the unreduced a[i] with
  /// bound holds, else result[i] = a[i] mod q. a[i] and bound are any 64-bit numbers, difference is
  /// in [0, q).
  void compare_subtract(Result result, Operand a, Comparison comparison, std::uint64_t bound,
                        std::uint64_t difference) const;

  const Modulus& modulus() const noexcept { return modulus_; }
  /// Returns "table/algorithm" of the kernel that runs the member function named `operation`, or an
  /// empty string if the modulus is too large for this operation.
  /// @throws InvalidArgument if there is no such operation.
  std::string kernel_name(std::string_view operation) const;

 private:
  Modulus modulus_;
  std::shared_ptr<const EltwiseKernels> kernels_;
};

}  // namespace ringlet
