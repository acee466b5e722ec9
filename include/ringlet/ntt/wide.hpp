// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ringlet/arith/wide_modulus.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/kernels/kernel_selection.hpp"

// Vectors of double words: residues modulo one q of up to 124 bits, two 64-bit words each.

namespace ringlet {

/// Largest number of bits of the modulus of double words.
inline constexpr int kMaxDoubleWordBits = 124;
/// Lengths of transforms of double words.
inline constexpr std::size_t kMinWideNttDegree = 16;
inline constexpr std::size_t kMaxWideNttDegree = std::size_t{1} << 20;

/// A double word: low word, high word.
using DoubleWord = std::array<std::uint64_t, 2>;

/// A vector of double words that a call writes: two planes of n words (the low words, the high
/// words), or n pairs of words one after the other. A view: it owns nothing.
class RINGLET_API WideResult {
 public:
  /// Two planes. @throws InvalidArgument unless they have the same length.
  WideResult(std::span<std::uint64_t> low, std::span<std::uint64_t> high);
  /// Low word and high word in turn. @throws InvalidArgument unless the length is even.
  explicit WideResult(std::span<std::uint64_t> pairs);

  std::size_t size() const noexcept { return size_; }
  std::uint64_t* low() const noexcept { return low_; }
  std::uint64_t* high() const noexcept { return high_; }
  /// Words from one low word to the next: 1 (planes) or 2 (pairs).
  std::size_t step() const noexcept { return step_; }

 private:
  std::uint64_t* low_;
  std::uint64_t* high_;
  std::size_t size_;
  std::size_t step_;
};

/// The same for a vector that a call reads.
class RINGLET_API WideOperand {
 public:
  WideOperand(std::span<const std::uint64_t> low, std::span<const std::uint64_t> high);
  explicit WideOperand(std::span<const std::uint64_t> pairs);
  /// What a result holds, as an operand.
  WideOperand(const WideResult& result)  // NOLINT(google-explicit-constructor)
      : low_(result.low()), high_(result.high()), size_(result.size()), step_(result.step()) {}

  std::size_t size() const noexcept { return size_; }
  const std::uint64_t* low() const noexcept { return low_; }
  const std::uint64_t* high() const noexcept { return high_; }
  std::size_t step() const noexcept { return step_; }

 private:
  const std::uint64_t* low_;
  const std::uint64_t* high_;
  std::size_t size_;
  std::size_t step_;
};

/// Element-wise arithmetic on vectors of double words modulo an odd q, 3 <= q < 2^124, prime or
/// not.
///
/// The kernel is chosen once, at construction; a plan is immutable, cheap to copy and may be used
/// by many threads at once. Vectors of a call have the same length, which may be 0, and each its
/// own layout and any alignment of whole words. `result` may be the same memory in the same layout
/// as an operand, otherwise no word of it may belong to one. Elements of operands are in [0, q)
/// (a precondition that only check() tests) unless a comment says otherwise; results always are.
/// Constant time in the data; scalars and the modulus are public.
/// Every call throws InvalidArgument on different lengths, null or misaligned memory, overlap or a
/// scalar that is not reduced, and then leaves all memory unchanged.
/// Zhang et al., "Towards Closing the Performance Gap ..." (MICRO 2025); docs/notes/wide.md.
class RINGLET_API WideEltwise {
 public:
  /// @throws InvalidArgument if q is even or has more than 124 bits, or if `selection` names a
  ///         kernel exactly and it does not take q.
  explicit WideEltwise(const WideModulus& q,
                       const KernelSelection& selection = KernelSelection::from_environment());

  /// result[i] = a[i] + b[i] mod q.
  void add(WideResult result, WideOperand a, WideOperand b) const;
  /// result[i] = a[i] - b[i] mod q.
  void subtract(WideResult result, WideOperand a, WideOperand b) const;
  /// result[i] = a[i] * b[i] mod q.
  void multiply(WideResult result, WideOperand a, WideOperand b) const;
  /// result[i] = scalar * a[i] + b[i] mod q (axpy), scalar in [0, q).
  void multiply_scalar_add(WideResult result, DoubleWord scalar, WideOperand a,
                           WideOperand b) const;
  /// The sum of a[i] * b[i] mod q; 0 for no elements.
  DoubleWord dot(WideOperand a, WideOperand b) const;
  /// result[i] = a[i] mod q for any double word a[i].
  void reduce(WideResult result, WideOperand a) const;

  /// @throws InvalidArgument that names the first element of a that is not in [0, q). Variable
  ///         time: it stops there.
  void check(WideOperand a) const;

  const WideModulus& modulus() const noexcept { return modulus_; }
  /// "table/algorithm" of the kernel that this plan runs.
  const std::string& kernel_name() const noexcept;

 private:
  struct Plan;
  WideModulus modulus_;
  std::shared_ptr<const Plan> plan_;
};

/// The polynomial that a transform works modulo.
enum class WideRing {
  negacyclic,  ///< X^N + 1: values at the odd powers of a root of order 2N.
  cyclic,      ///< X^N - 1: values at all powers of a root of order N.
};

/// A plan for the number-theoretic transform of N double words modulo a prime q < 2^124.
///
/// forward: coefficients in natural order -> values in bit-reversed order,
///   negacyclic: result[i] = sum_j a_j * w^{(2*bit_reverse(i) + 1) * j}, w of order 2N;
///   cyclic:     result[i] = sum_j a_j * w^{bit_reverse(i) * j}, w of order N.
/// inverse: the way back, including the factor 1/N.
/// w is the smallest such root unless the caller gives one. Elements are in [0, q) before and
/// after. Plans are immutable, cheap to copy and may be used by many threads at once. Constant time
/// in the data.
/// Cooley-Tukey and Gentleman-Sande radix 2; docs/notes/wide.md.
class RINGLET_API WideNtt {
 public:
  /// @throws InvalidArgument if degree is not a power of two in [16, 2^20]; if q is even, composite
  ///         or above 124 bits; if q has no root of order 2N (negacyclic) or N (cyclic), naming the
  ///         longest length that it has one for; or if `selection` names a kernel exactly and it
  ///         does not take q.
  WideNtt(std::size_t degree, const WideModulus& q, WideRing ring = WideRing::negacyclic,
          const KernelSelection& selection = KernelSelection::from_environment());
  /// The same with a root of the caller's choice.
  /// @throws InvalidArgument as above, or if the root does not have the order 2N or N.
  WideNtt(std::size_t degree, const WideModulus& q, WideRing ring, DoubleWord root_of_unity,
          const KernelSelection& selection = KernelSelection::from_environment());

  /// result = NTT(operand), N elements each, in place or without a word in common. Each call needs
  /// scratch_words() words: `scratch`, which overlaps nothing and whose contents afterwards are as
  /// secret as the operand; without it the call allocates them and wipes them.
  /// @throws InvalidArgument on a wrong length, null or misaligned memory, overlap, or a scratch
  ///         that is too short or not on a 64-byte boundary; nothing has been written then.
  void forward(WideResult result, WideOperand operand, std::span<std::uint64_t> scratch = {}) const;
  /// result = inverse NTT(operand); as forward.
  void inverse(WideResult result, WideOperand operand, std::span<std::uint64_t> scratch = {}) const;

  std::size_t degree() const noexcept;
  const WideModulus& modulus() const noexcept;
  WideRing ring() const noexcept;
  DoubleWord root_of_unity() const noexcept;
  const std::string& kernel_name() const noexcept;
  /// Words of scratch memory of a call.
  std::size_t scratch_words() const noexcept;
  /// Bytes of the tables of factors.
  std::size_t table_bytes() const noexcept;

 private:
  class Plan;
  std::shared_ptr<const Plan> plan_;
};

/// log2 of the longest power-of-two length that the prime q has a transform for; 0 if not even 2.
/// @throws InvalidArgument if q is not an odd prime.
RINGLET_API int longest_transform_log2(const WideModulus& q, WideRing ring);

/// The `count` largest primes of exactly `bits` bits that are 1 mod 2*degree, in decreasing order.
/// @throws InvalidArgument if degree is not a power of two in [2, 2^20], bits is outside [100, 124]
///         or count is above 1000.
RINGLET_API std::vector<WideModulus> generate_wide_ntt_primes(int bits, std::size_t degree,
                                                              std::size_t count);

/// The `count` largest primes k * 2^104 + 1 of exactly `bits` bits, in decreasing order: products
/// modulo them take fewer steps. They have transforms of every length.
/// @throws InvalidArgument if bits is outside [106, 124], count is above 1000 or fewer than `count`
///         such primes exist.
RINGLET_API std::vector<WideModulus> generate_special_wide_primes(int bits, std::size_t count);

}  // namespace ringlet
