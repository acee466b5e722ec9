// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/ntt/ntt_order.hpp"

namespace ringlet {

/// Limits of the degree N and of the number of bits of the modulus of an Ntt.
inline constexpr std::size_t kMinNttDegree = 2;
inline constexpr std::size_t kMaxNttDegree = std::size_t{1} << 20;
inline constexpr int kMaxNttModulusBits = 62;

/// A plan for the negacyclic number-theoretic transform over Z_q[X]/(X^N + 1).
///
/// forward: coefficients a_0..a_{N-1} in natural order -> values at odd powers of the root w,
///   result[i] = sum_j a_j * w^{(2*bit_reverse(i) + 1) * j} mod q, bit_reverse over log2(N) bits.
/// inverse: values -> coefficients, including the factor 1/N.
///
/// The constructor chooses the kernel. Plans are immutable, cheap to copy (copies share the tables)
/// and may be used by many threads at once. Constant time in the data. The transforms are radix 2,
/// Cooley-Tukey and Gentleman-Sande, with Harvey's butterflies: Boemer et al., "Intel HEXL",
/// Algorithms 2 to 7.
class RINGLET_API Ntt {
 public:
  /// Makes a plan of length N = degree modulo the prime q, with the smallest primitive root of
  /// order 2N.
  /// @throws InvalidArgument if degree is not a power of two in [2, 2^20]; if q is even, not prime,
  ///         above 62 bits or not 1 mod 2N; or if `selection` names one exact kernel and degree or
  ///         q are outside the range of this kernel.
  Ntt(std::size_t degree, const Modulus& q,
      const KernelSelection& selection = KernelSelection::from_environment());

  /// Makes a plan with a root that the caller gives.
  /// @throws InvalidArgument as the first constructor, or if `root_of_unity` is not of order 2N
  ///         modulo q.
  Ntt(std::size_t degree, const Modulus& q, std::uint64_t root_of_unity,
      const KernelSelection& selection = KernelSelection::from_environment());

  /// Makes a plan whose tables are in `memory`. `memory` must outlive the plan and its copies; the
  /// last of these releases the tables, in any thread.
  /// @throws InvalidArgument as the second constructor; any exception of `memory`.
  Ntt(std::size_t degree, const Modulus& q, std::uint64_t root_of_unity,
      const KernelSelection& selection, std::pmr::memory_resource& memory);

  /// Computes result = NTT(operand), N words each. `result` may be the same memory as `operand`;
  /// otherwise they must not overlap. Any word alignment is accepted; 64 bytes is the fastest.
  /// Operand values are in [0, input_mod_factor*q), with factor 1, 2 or 4. Result values are in
  /// [0, output_mod_factor*q), with factor 1, 4, 8 or 16: kernels that compute in ranges wider than
  /// 4q then leave out their last reduction. Ranges are a precondition and are not checked.
  /// @throws InvalidArgument on a wrong length, a null or misaligned buffer, partial overlap, or
  ///         another factor.
  void forward(std::span<std::uint64_t> result, std::span<const std::uint64_t> operand,
               int input_mod_factor = 1, int output_mod_factor = 1) const;

  /// Computes result = inverse NTT(operand). As forward, with input factor 1 or 2 and output factor
  /// 1 or 2.
  void inverse(std::span<std::uint64_t> result, std::span<const std::uint64_t> operand,
               int input_mod_factor = 1, int output_mod_factor = 1) const;

  /// Transform 32-bit words, for q < 2^32, with the same results as the calls on 64-bit words.
  /// Values must fit: f*q <= 2^32 for both range factors f. The kernel `mont32` (q < 2^30) works on
  /// 32-bit words; other kernels copy the values to 64-bit words, which are wiped afterwards.
  /// @throws InvalidArgument as the calls on 64-bit words, or if the values do not fit; nothing has
  ///         been written then.
  void forward(std::span<std::uint32_t> result, std::span<const std::uint32_t> operand,
               int input_mod_factor = 1, int output_mod_factor = 1) const;
  void inverse(std::span<std::uint32_t> result, std::span<const std::uint32_t> operand,
               int input_mod_factor = 1, int output_mod_factor = 1) const;

  /// Transform `values` in place, with factors 1.
  void forward(std::span<std::uint64_t> values) const { forward(values, values); }
  void inverse(std::span<std::uint64_t> values) const { inverse(values, values); }
  void forward(std::span<std::uint32_t> values) const { forward(values, values); }
  void inverse(std::span<std::uint32_t> values) const { inverse(values, values); }

  /// Computes results[i] = NTT(operands[i]) for i = 0 and 1, bit for bit as two calls of forward.
  /// If the kernel can, it transforms both at once and reads the twiddles once; else it runs one
  /// transform after the other. A result may be the same memory as its own operand; otherwise no
  /// result overlaps any other vector of the call. The operands may overlap each other.
  /// @throws InvalidArgument as forward, or on any other overlap; nothing has been written then.
  void forward_two(std::array<std::span<std::uint64_t>, 2> results,
                   std::array<std::span<const std::uint64_t>, 2> operands, int input_mod_factor = 1,
                   int output_mod_factor = 1) const;

  /// Computes results[i] = inverse NTT(operands[i]) for i = 0 and 1. As forward_two, with the
  /// factors of inverse.
  void inverse_two(std::array<std::span<std::uint64_t>, 2> results,
                   std::array<std::span<const std::uint64_t>, 2> operands, int input_mod_factor = 1,
                   int output_mod_factor = 1) const;

  // Unordered values: values in the order that costs the kernel least, because the permutations of
  // the last stages are left out (Bradbury et al., "NTT software optimization using an extended
  // Harvey butterfly", Remark 2). Use them for computations value by value, such as products. The
  // order is private to the kernel: to store or send values, call to_bit_reversed(values) first. If
  // a kernel has only the bit-reversed order, the calls below are forward, inverse and copies.

  /// Returns the order of this plan's unordered values.
  NttOrder unordered_order() const noexcept;

  /// Returns a view of `words` as values in unordered_order(). `words` has N words that are already
  /// in this order. Use this for words that were computed value by value from unordered values,
  /// such as sums by Eltwise.
  /// @throws InvalidArgument on a wrong length, a null or misaligned buffer.
  UnorderedValues as_unordered(std::span<const std::uint64_t> words) const;

  /// Transforms as forward does, but leaves result in unordered_order(). Returns a view of
  /// `result`.
  UnorderedValues forward_unordered(std::span<std::uint64_t> result,
                                    std::span<const std::uint64_t> operand,
                                    int input_mod_factor = 1, int output_mod_factor = 1) const;

  /// Transforms as inverse does, for values in unordered_order().
  /// @throws InvalidArgument as inverse, or if the operand has another order.
  void inverse_unordered(std::span<std::uint64_t> result, const UnorderedValues& operand,
                         int input_mod_factor = 1, int output_mod_factor = 1) const;

  /// Computes result[i] = a[i] * b[i] mod q in [0, q) and returns a view of `result`. All vectors
  /// are in unordered_order(); a and b may come from other plans with the same kernel and degree.
  /// `result` may be the same memory as a, b or both, otherwise it must not overlap them. Operand
  /// values are in [0, input_mod_factor*q), with factor 1, 2 or 4. Constant time in the data.
  /// @throws InvalidArgument on a wrong length, a null or misaligned buffer, partial overlap,
  ///         another factor, or an operand in another order; nothing has been written then.
  UnorderedValues multiply_unordered(std::span<std::uint64_t> result, const UnorderedValues& a,
                                     const UnorderedValues& b, int input_mod_factor = 1) const;

  /// Copies values from unordered_order() to bit-reversed order, the order of forward. Any words
  /// are accepted. `result` may be the same memory as the operand, otherwise they must not overlap.
  /// @throws InvalidArgument on a wrong length, a null or misaligned buffer, partial overlap, or an
  ///         operand in another order.
  void to_bit_reversed(std::span<std::uint64_t> result, const UnorderedValues& operand) const;
  /// Copies values from bit-reversed order to unordered_order() and returns a view of `result`.
  /// Overlap and errors as to_bit_reversed.
  UnorderedValues from_bit_reversed(std::span<std::uint64_t> result,
                                    std::span<const std::uint64_t> operand) const;

  // Products run transforms and the operations between them block by block in the cache, instead of
  // one call after the other. docs/notes/fused.md has the gains. Each call needs scratch memory:
  // pass `scratch`, which overlaps nothing and whose contents afterwards are as secret as the
  // operands. Without `scratch` the call allocates the words and wipes them.

  using Result = std::span<std::uint64_t>;
  using Operand = std::span<const std::uint64_t>;

  /// Computes result = a*b modulo X^N + 1 and q. All three are coefficients in natural order, N
  /// words each. `result` may be the same memory as a, b or both, otherwise it must not overlap
  /// them. A square (a and b the same buffer) takes one transform less. Operand values are in
  /// [0, input_mod_factor*q), factor 1, 2 or 4; result values in [0, output_mod_factor*q), factor 1
  /// or 2. Constant time in the data. Scratch: N words.
  /// @throws InvalidArgument on a wrong length, a null or misaligned buffer, overlap, another
  ///         factor or a scratch that is too short; nothing has been written then.
  void multiply(Result result, Operand a, Operand b, int input_mod_factor = 1,
                int output_mod_factor = 1, std::span<std::uint64_t> scratch = {}) const;

  /// Computes results[t] = sum over k of forward(operands[k]) o keys[k*T + t], where
  /// T = results.size() and o is the product word by word: the inner product of key switching.
  /// Operands are coefficients, keys and results are in NTT form; each has N words in [0, q).
  /// Without operands the results are 0. No result overlaps any other vector of the call. Constant
  /// time in the data; the numbers of vectors are public. Scratch: N words or more; the call
  /// processes as many terms together as `scratch` has room for polynomials of N words.
  /// @throws InvalidArgument as multiply, or unless there are operands.size() * results.size()
  ///         keys.
  void inner_product(std::span<const Result> results, std::span<const Operand> operands,
                     std::span<const Operand> keys, std::span<std::uint64_t> scratch = {}) const;

  /// Computes result = inverse(sum over k of forward(operands[k]) o keys[k]): inner_product for one
  /// result, in coefficients.
  void multiply_accumulate(Result result, std::span<const Operand> operands,
                           std::span<const Operand> keys,
                           std::span<std::uint64_t> scratch = {}) const;

  std::size_t degree() const noexcept;
  const Modulus& modulus() const noexcept;
  std::uint64_t root_of_unity() const noexcept;
  /// Returns "table/algorithm" of the kernel that this plan runs.
  const std::string& kernel_name() const noexcept;
  /// Returns the bytes of the twiddle tables.
  std::size_t table_bytes() const noexcept;

 private:
  friend class RnsNtt;
  friend class DigitSums;
  class Plan;
  std::shared_ptr<const Plan> plan_;
};

}  // namespace ringlet
