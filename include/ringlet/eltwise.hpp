// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ringlet/export.hpp"
#include "ringlet/kernel_selection.hpp"
#include "ringlet/modulus.hpp"

namespace ringlet {

struct EltwiseKernels;

/// Element-wise arithmetic on vectors of residues modulo one q, any q in [2, 2^62).
///
/// The kernels are chosen once, at construction; a plan is immutable, cheap to copy and may be
/// used by many threads at once. Vectors may have any length (0 included) and any alignment of
/// whole words; all vectors of a call have the same length. `result` may be the same as an
/// operand but must not overlap one partly. Operands are in [0, q) unless a comment says otherwise
/// (a precondition that is not checked); results always are. Constant time in the data.
/// Every call throws InvalidArgument on different lengths, null or misaligned buffers, or partial
/// overlap, and then leaves all buffers unchanged.
class RINGLET_API Eltwise {
 public:
  explicit Eltwise(const Modulus& q,
                   const KernelSelection& selection = KernelSelection::from_environment());

  using Result = std::span<std::uint64_t>;
  using Operand = std::span<const std::uint64_t>;

  /// result[i] = a[i] + b[i] mod q.
  void add(Result result, Operand a, Operand b) const;
  /// result[i] = a[i] - b[i] mod q.
  void subtract(Result result, Operand a, Operand b) const;
  /// result[i] = -a[i] mod q.
  void negate(Result result, Operand a) const;
  /// result[i] = a[i] * b[i] mod q. Barrett: Boemer et al., "Intel HEXL", Algorithm 8.
  void multiply(Result result, Operand a, Operand b) const;
  /// result[i] = a[i] * b[i] + c[i] mod q.
  void multiply_add(Result result, Operand a, Operand b, Operand c) const;
  /// result[i] = a[i] * scalar mod q.
  /// @throws InvalidArgument also if scalar >= q.
  void multiply_scalar(Result result, Operand a, std::uint64_t scalar) const;
  /// result[i] = a[i] * scalar + c[i] mod q: Boemer et al., "Intel HEXL", Algorithm 10.
  /// @throws InvalidArgument also if scalar >= q.
  void multiply_scalar_add(Result result, Operand a, std::uint64_t scalar, Operand c) const;
  /// result[i] = a[i] mod q for any 64-bit a[i].
  void reduce(Result result, Operand a) const;

  const Modulus& modulus() const noexcept { return modulus_; }
  /// "table/algorithm" of the kernel that runs the operation of that name ("add", "subtract",
  /// "negate", "multiply", "multiply_add", "multiply_scalar", "multiply_scalar_add", "reduce").
  /// @throws InvalidArgument if there is no such operation.
  std::string kernel_name(std::string_view operation) const;

 private:
  Modulus modulus_;
  std::shared_ptr<const EltwiseKernels> kernels_;
};

}  // namespace ringlet
