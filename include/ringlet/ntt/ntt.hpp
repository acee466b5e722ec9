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

/// Limits of a transform plan.
inline constexpr std::size_t kMinNttDegree = 2;
inline constexpr std::size_t kMaxNttDegree = std::size_t{1} << 20;
inline constexpr int kMaxNttModulusBits = 62;

/// A plan for the negacyclic number-theoretic transform over Z_q[X]/(X^N + 1).
///
/// forward: coefficients a_0..a_{N-1} in natural order -> values at odd powers of the root w,
///   result[i] = sum_j a_j * w^{(2*bit_reverse(i) + 1) * j} mod q, bit_reverse over log2(N) bits.
/// inverse: the way back, including the factor 1/N.
///
/// The kernel is chosen once, at construction. Plans are immutable, cheap to copy (copies share
/// the tables) and may be used by many threads at once. Constant time in the data.
/// Cooley-Tukey and Gentleman-Sande radix-2 with Harvey's butterflies: Boemer et al., "Intel HEXL",
/// Algorithms 2 to 7.
class RINGLET_API Ntt {
 public:
  /// Plan of length `degree` modulo the prime q with the smallest primitive root of order 2N.
  /// @throws InvalidArgument if degree is not a power of two in [2, 2^20]; if q is even, not prime,
  ///         above 62 bits or not 1 mod 2N; or if `selection` names a kernel exactly and degree or
  ///         q are outside its range.
  Ntt(std::size_t degree, const Modulus& q,
      const KernelSelection& selection = KernelSelection::from_environment());

  /// The same with a root of the caller's choice.
  /// @throws InvalidArgument as above, or if `root_of_unity` is not of order 2N modulo q.
  Ntt(std::size_t degree, const Modulus& q, std::uint64_t root_of_unity,
      const KernelSelection& selection = KernelSelection::from_environment());

  /// The same with the tables of the plan in `memory`, which must outlive the plan and its copies.
  /// The last of them returns the memory, in whichever thread it is destroyed.
  Ntt(std::size_t degree, const Modulus& q, std::uint64_t root_of_unity,
      const KernelSelection& selection, std::pmr::memory_resource& memory);

  /// result = NTT(operand), N words each; in place if they are the same, otherwise they must not
  /// overlap. Any word alignment is taken; 64 bytes is fastest.
  /// Inputs in [0, input_mod_factor*q), factor 1, 2 or 4; outputs in [0, output_mod_factor*q),
  /// factor 1, 4, 8 or 16: a kernel that works with wider ranges than 4q saves its last reduction
  /// where it may leave them. Ranges of values are a precondition and are not checked.
  /// @throws InvalidArgument on a wrong length, a null or misaligned buffer, partial overlap, or
  ///         another factor.
  void forward(std::span<std::uint64_t> result, std::span<const std::uint64_t> operand,
               int input_mod_factor = 1, int output_mod_factor = 1) const;

  /// result = inverse NTT(operand); as forward, with input factor 1 or 2 and output factor 1 or 2.
  void inverse(std::span<std::uint64_t> result, std::span<const std::uint64_t> operand,
               int input_mod_factor = 1, int output_mod_factor = 1) const;

  /// The same on 32-bit words, for q < 2^32: values must fit, that is, no range factor f has
  /// f*q > 2^32. The bits are those of the calls above. A kernel for such moduli works on 32-bit
  /// words (`mont32`, q < 2^30); another one takes copies in 64-bit words, which are wiped.
  /// @throws InvalidArgument as above, or if the values do not fit; nothing has been written then.
  void forward(std::span<std::uint32_t> result, std::span<const std::uint32_t> operand,
               int input_mod_factor = 1, int output_mod_factor = 1) const;
  void inverse(std::span<std::uint32_t> result, std::span<const std::uint32_t> operand,
               int input_mod_factor = 1, int output_mod_factor = 1) const;

  /// In-place forms with factors 1.
  void forward(std::span<std::uint64_t> values) const { forward(values, values); }
  void inverse(std::span<std::uint64_t> values) const { inverse(values, values); }
  void forward(std::span<std::uint32_t> values) const { forward(values, values); }
  void inverse(std::span<std::uint32_t> values) const { inverse(values, values); }

  /// results[i] = NTT(operands[i]) for both i, the bits of two calls of forward: two transforms at
  /// once, which read the twiddles once where the kernel has a way to do so and are one after the
  /// other where it has none. A result may be the same as its own operand; otherwise no result
  /// overlaps any other vector of the call. The operands may overlap each other.
  /// @throws InvalidArgument as forward, or on any other overlap; nothing has been written then.
  void forward_two(std::array<std::span<std::uint64_t>, 2> results,
                   std::array<std::span<const std::uint64_t>, 2> operands, int input_mod_factor = 1,
                   int output_mod_factor = 1) const;

  /// results[i] = inverse NTT(operands[i]) for both i; as forward_two, with the factors of inverse.
  void inverse_two(std::array<std::span<std::uint64_t>, 2> results,
                   std::array<std::span<const std::uint64_t>, 2> operands, int input_mod_factor = 1,
                   int output_mod_factor = 1) const;

  // Values in the order that costs the kernel least (Bradbury et al., "NTT software optimization
  // using an extended Harvey butterfly", Remark 2): the permutations of the last stages are left
  // out. For what is done value by value, such as products. The order is private to the kernel:
  // store and send to_bit_reversed(values). Where a kernel has no other order than the bit-reversed
  // one, the calls are forward, inverse and copies.

  /// The order of this plan's unordered values.
  NttOrder unordered_order() const noexcept;

  /// `words`, N of them that are known to stand in unordered_order(), as values in that order: for
  /// words that were computed value by value from unordered values, such as sums by Eltwise.
  /// @throws InvalidArgument on a wrong length, a null or misaligned buffer.
  UnorderedValues as_unordered(std::span<const std::uint64_t> words) const;

  /// As forward, but result[i] stands where unordered_order() has it; returns `result` as values in
  /// that order.
  UnorderedValues forward_unordered(std::span<std::uint64_t> result,
                                    std::span<const std::uint64_t> operand,
                                    int input_mod_factor = 1, int output_mod_factor = 1) const;

  /// As inverse, of values in unordered_order().
  /// @throws InvalidArgument as inverse, or if the operand stands in another order.
  void inverse_unordered(std::span<std::uint64_t> result, const UnorderedValues& operand,
                         int input_mod_factor = 1, int output_mod_factor = 1) const;

  /// result[i] = a[i] * b[i] mod q in [0, q), all in unordered_order(), which may be the work of
  /// other plans with the same kernel and degree; returns `result` as values in that order.
  /// `result` may be the same as a, b or both, otherwise it must not overlap them. Inputs in [0,
  /// input_mod_factor*q), factor 1, 2 or 4. Constant time in the data.
  /// @throws InvalidArgument on a wrong length, a null or misaligned buffer, partial overlap,
  ///         another factor, or an operand in another order; nothing has been written then.
  UnorderedValues multiply_unordered(std::span<std::uint64_t> result, const UnorderedValues& a,
                                     const UnorderedValues& b, int input_mod_factor = 1) const;

  /// Copies values from unordered_order() to bit-reversed order, that of forward; any words. In
  /// place if they are the same, otherwise they must not overlap.
  /// @throws InvalidArgument on a wrong length, a null or misaligned buffer, partial overlap, or an
  ///         operand in another order.
  void to_bit_reversed(std::span<std::uint64_t> result, const UnorderedValues& operand) const;
  /// The way back; returns `result` as values in unordered_order().
  UnorderedValues from_bit_reversed(std::span<std::uint64_t> result,
                                    std::span<const std::uint64_t> operand) const;

  // Products: transforms and what is between them, block by block in the cache instead of one call
  // after the other. docs/notes/fused.md says what that is worth. Each call needs memory for
  // transforms: `scratch`, which overlaps nothing and whose contents afterwards are as secret as
  // the operands; without it the call allocates the words and wipes them.

  using Result = std::span<std::uint64_t>;
  using Operand = std::span<const std::uint64_t>;

  /// result = a*b modulo X^N + 1 and q, all as coefficients in natural order; N words each.
  /// `result` may be the same as a, b or both, otherwise it must not overlap them. A square (a and
  /// b the same buffer) takes one transform less. Inputs and outputs in [0, factor*q):
  /// input_mod_factor 1, 2 or 4, output_mod_factor 1 or 2. Constant time in the data. Scratch: N
  /// words.
  /// @throws InvalidArgument on a wrong length, a null or misaligned buffer, overlap, another
  ///         factor or a scratch that is too short; nothing has been written then.
  void multiply(Result result, Operand a, Operand b, int input_mod_factor = 1,
                int output_mod_factor = 1, std::span<std::uint64_t> scratch = {}) const;

  /// results[t] = sum over k of forward(operands[k]) o keys[k*T + t] for T = results.size(), where
  /// o is the product word by word: the inner product of key switching. Operands are coefficients,
  /// keys and results are in NTT form; all in [0, q), N words each. No terms give zeros. No result
  /// overlaps any other vector of the call. Constant time in the data; the numbers of vectors are
  /// public. Scratch: N words or more; as many terms are worked on together as it has polynomials.
  /// @throws InvalidArgument as multiply, or if there are not as many keys as operands times
  /// results.
  void inner_product(std::span<const Result> results, std::span<const Operand> operands,
                     std::span<const Operand> keys, std::span<std::uint64_t> scratch = {}) const;

  /// result = inverse(sum over k of forward(operands[k]) o keys[k]): inner_product for one result,
  /// in coefficients.
  void multiply_accumulate(Result result, std::span<const Operand> operands,
                           std::span<const Operand> keys,
                           std::span<std::uint64_t> scratch = {}) const;

  std::size_t degree() const noexcept;
  const Modulus& modulus() const noexcept;
  std::uint64_t root_of_unity() const noexcept;
  /// "table/algorithm" of the kernel that this plan runs.
  const std::string& kernel_name() const noexcept;
  /// Bytes of twiddle tables.
  std::size_t table_bytes() const noexcept;

 private:
  friend class RnsNtt;
  friend class DigitSums;
  class Plan;
  std::shared_ptr<const Plan> plan_;
};

}  // namespace ringlet
