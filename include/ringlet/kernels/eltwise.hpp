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

/// Largest bit count of a modulus of products and reductions.
inline constexpr int kMaxProductModulusBits = 62;

struct EltwiseKernels;

/// Element-wise arithmetic on vectors of residues modulo one q: sums for any q in [2, 2^63),
/// products and reductions for any q in [2, 2^62), prime or not.
///
/// The kernels are chosen once, at construction; a plan is immutable, cheap to copy and may be
/// used by many threads at once. Vectors may have any length (0 included) and any alignment of
/// whole words; all vectors of a call have the same length. `result` may be the same as an
/// operand but must not overlap one partly. Operands are in [0, q) unless a comment says otherwise
/// (a precondition that is not checked); results always are, unless a comment says otherwise.
/// A range factor f says that the vectors among the operands are in [0, f*q), with f*q < 2^64.
/// Constant time in the data; scalars, bounds, factors and the modulus are public.
/// Every call throws InvalidArgument on different lengths, null or misaligned buffers, partial
/// overlap, a scalar or factor out of range, or a modulus too large for the operation, and then
/// leaves all buffers unchanged.
class RINGLET_API Eltwise {
 public:
  explicit Eltwise(const Modulus& q,
                   const KernelSelection& selection = KernelSelection::from_environment());

  using Result = std::span<std::uint64_t>;
  using Operand = std::span<const std::uint64_t>;

  /// result[i] = a[i] + b[i] mod q. q < 2^63.
  void add(Result result, Operand a, Operand b) const;
  /// result[i] = a[i] + scalar mod q, scalar in [0, q). q < 2^63.
  void add_scalar(Result result, Operand a, std::uint64_t scalar) const;
  /// result[i] = a[i] - b[i] mod q. q < 2^63.
  void subtract(Result result, Operand a, Operand b) const;
  /// result[i] = a[i] - scalar mod q, scalar in [0, q). q < 2^63.
  void subtract_scalar(Result result, Operand a, std::uint64_t scalar) const;
  /// result[i] = -a[i] mod q. q < 2^63.
  void negate(Result result, Operand a) const;

  /// result[i] = a[i] * b[i] mod q, input factor 1, 2 or 4. Boemer et al., "Intel HEXL",
  /// Algorithm 8 (Barrett) or 9 (floating point), corrected: docs/notes/barrett.md.
  void multiply(Result result, Operand a, Operand b, int input_mod_factor = 1) const;
  /// result[i] = a[i] * b[i] + c[i] mod q.
  void multiply_add(Result result, Operand a, Operand b, Operand c) const;
  /// The product of two pairs as polynomials of degree one, as ciphertexts are multiplied, in one
  /// pass, mod q:
  ///   results[0][i] = a[0][i] * b[0][i]
  ///   results[1][i] = a[0][i] * b[1][i] + a[1][i] * b[0][i]
  ///   results[2][i] = a[1][i] * b[1][i]
  /// By the kernel of `multiply`. Operands may overlap each other.
  /// @throws InvalidArgument also if two results have a word in common.
  void multiply_pairs(std::span<const Result, 3> results, std::span<const Operand, 2> a,
                      std::span<const Operand, 2> b) const;
  /// result[i] = a[i] * scalar mod q, scalar in [0, q), input factor 1, 2, 4 or 8.
  void multiply_scalar(Result result, Operand a, std::uint64_t scalar,
                       int input_mod_factor = 1) const;
  /// result[i] = a[i] * scalar + c[i] mod q, scalar in [0, q), input factor (of a and of c) 1, 2, 4
  /// or 8. Boemer et al., "Intel HEXL", Algorithm 10.
  void multiply_scalar_add(Result result, Operand a, std::uint64_t scalar, Operand c,
                           int input_mod_factor = 1) const;

  /// result[i] = sum over k of a[k][i] * b[k][i] mod q, for any number of terms. The
  /// accumulator is reduced at the end, and once in so many terms that it would overflow. No terms
  /// give zeros.
  /// @throws InvalidArgument also if a and b have different numbers of terms.
  void multiply_accumulate(Result result, std::span<const Operand> a,
                           std::span<const Operand> b) const;
  /// The sum over i of a[i] * b[i] mod q.
  std::uint64_t dot(Operand a, Operand b) const;

  /// result[i] = a[i] mod q for any 64-bit a[i].
  void reduce(Result result, Operand a) const;
  /// result[i] congruent to a[i]: from [0, input*q) to [0, output*q), for (input, output) = (2, 1),
  /// (4, 1) or (4, 2). Of the values that fit, the one that subtracting 2q and then q at most once
  /// each gives.
  void reduce_range(Result result, Operand a, int input_mod_factor, int output_mod_factor) const;

  /// result[i] = a[i] + summand, modulo 2^64, where the comparison of a[i] with bound holds, else
  /// a[i]. Any words; the modulus plays no part.
  void compare_add(Result result, Operand a, Comparison comparison, std::uint64_t bound,
                   std::uint64_t summand) const;
  /// result[i] = a[i] - difference mod q where the comparison of a[i] (not reduced) with bound
  /// holds, else a[i] mod q; for any 64-bit a[i] and bound, difference in [0, q).
  void compare_subtract(Result result, Operand a, Comparison comparison, std::uint64_t bound,
                        std::uint64_t difference) const;

  const Modulus& modulus() const noexcept { return modulus_; }
  /// "table/algorithm" of the kernel that runs the operation with the name of that member function;
  /// empty if the modulus is too large for the operation.
  /// @throws InvalidArgument if there is no such operation.
  std::string kernel_name(std::string_view operation) const;

 private:
  Modulus modulus_;
  std::shared_ptr<const EltwiseKernels> kernels_;
};

}  // namespace ringlet
