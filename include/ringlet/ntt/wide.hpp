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
/// Smallest and largest length of transforms of double words.
inline constexpr std::size_t kMinWideNttDegree = 16;
inline constexpr std::size_t kMaxWideNttDegree = std::size_t{1} << 20;

/// A double word: the low word, then the high word.
using DoubleWord = std::array<std::uint64_t, 2>;

/// A view of a vector of double words that a call writes. The words are two planes of n words (the
/// low words, the high words), or n pairs of words one after the other.
class RINGLET_API WideResult {
 public:
  /// Makes a view of two planes.
  /// @throws InvalidArgument unless they have the same length.
  WideResult(std::span<std::uint64_t> low, std::span<std::uint64_t> high);
  /// Makes a view of pairs: low word and high word in turn.
  /// @throws InvalidArgument unless the length is even.
  explicit WideResult(std::span<std::uint64_t> pairs);

  std::size_t size() const noexcept { return size_; }
  std::uint64_t* low() const noexcept { return low_; }
  std::uint64_t* high() const noexcept { return high_; }
  /// Returns the number of words from one low word to the next: 1 (planes) or 2 (pairs).
  std::size_t step() const noexcept { return step_; }

 private:
  std::uint64_t* low_;
  std::uint64_t* high_;
  std::size_t size_;
  std::size_t step_;
};

/// A view of a vector of double words that a call reads. Layouts and errors are those of
/// WideResult.
class RINGLET_API WideOperand {
 public:
  WideOperand(std::span<const std::uint64_t> low, std::span<const std::uint64_t> high);
  explicit WideOperand(std::span<const std::uint64_t> pairs);
  /// Makes a view for reading of the words of `result`.
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

/// Computes element by element on vectors of double words modulo an odd q, 3 <= q < 2^124, prime or
/// not.
///
/// The constructor chooses the kernel. A plan is immutable, cheap to copy and may be used by many
/// threads at once. All vectors of a call have the same length, which may be 0. Each vector has its
/// own layout and any alignment of whole words. `result` may be the same memory in the same layout
/// as an operand, otherwise no word of `result` may belong to an operand. Elements of operands are
/// in [0, q) unless a comment states otherwise; only check() tests this precondition. Elements of
/// results are in [0, q). Constant time in the data; scalars and the modulus are public. Every call
/// throws InvalidArgument on different lengths, null or misaligned memory, overlap or a scalar that
/// is not reduced. It then leaves all memory unchanged. Zhang et al., "Towards Closing the
/// Performance Gap ..." (MICRO 2025); docs/notes/wide.md.
class RINGLET_API WideEltwise {
 public:
  /// Makes a plan modulo q.
  /// @throws InvalidArgument if q is even or has more than 124 bits, or if `selection` names one
  ///         exact kernel that does not accept q.
  explicit WideEltwise(const WideModulus& q,
                       const KernelSelection& selection = KernelSelection::from_environment());

  /// Computes result[i] = a[i] + b[i] mod q.
  void add(WideResult result, WideOperand a, WideOperand b) const;
  /// Computes result[i] = a[i] - b[i] mod q.
  void subtract(WideResult result, WideOperand a, WideOperand b) const;
  /// Computes result[i] = a[i] * b[i] mod q.
  void multiply(WideResult result, WideOperand a, WideOperand b) const;
  /// Computes result[i] = scalar * a[i] + b[i] mod q (axpy), for a scalar in [0, q).
  void multiply_scalar_add(WideResult result, DoubleWord scalar, WideOperand a,
                           WideOperand b) const;
  /// Returns the sum over i of a[i] * b[i] mod q; 0 for vectors of length 0.
  DoubleWord dot(WideOperand a, WideOperand b) const;
  /// Computes result[i] = a[i] mod q, for any double word a[i].
  void reduce(WideResult result, WideOperand a) const;

  /// Checks that all elements of a are in [0, q). Variable time: stops at the first element that is
  /// not.
  /// @throws InvalidArgument with the position of the first element that is not in [0, q).
  void check(WideOperand a) const;

  const WideModulus& modulus() const noexcept { return modulus_; }
  /// Returns "table/algorithm" of the kernel that this plan runs.
  const std::string& kernel_name() const noexcept;

 private:
  struct Plan;
  WideModulus modulus_;
  std::shared_ptr<const Plan> plan_;
};

/// The polynomial modulus of a transform.
enum class WideRing {
  negacyclic,  ///< X^N + 1: values at the odd powers of a root of order 2N.
  cyclic,      ///< X^N - 1: values at all powers of a root of order N.
};

/// A plan for the number-theoretic transform of N double words modulo a prime q < 2^124.
///
/// forward: coefficients in natural order -> values in bit-reversed order,
///   negacyclic: result[i] = sum_j a_j * w^{(2*bit_reverse(i) + 1) * j}, w of order 2N;
///   cyclic:     result[i] = sum_j a_j * w^{bit_reverse(i) * j}, w of order N.
/// inverse: values -> coefficients, including the factor 1/N.
///
/// w is the smallest root of its order unless the caller gives a root. Elements of operands and
/// results are in [0, q). Plans are immutable, cheap to copy and may be used by many threads at
/// once. Constant time in the data. Cooley-Tukey and Gentleman-Sande, radix 2; docs/notes/wide.md.
class RINGLET_API WideNtt {
 public:
  /// Makes a plan of length N = degree modulo the prime q, with the smallest root.
  /// @throws InvalidArgument if degree is not a power of two in [16, 2^20]; if q is even, composite
  ///         or above 124 bits; if q has no root of order 2N (negacyclic) or N (cyclic), and the
  ///         message names the longest length for which q has a root; or if `selection` names one
  ///         exact kernel that does not accept q.
  WideNtt(std::size_t degree, const WideModulus& q, WideRing ring = WideRing::negacyclic,
          const KernelSelection& selection = KernelSelection::from_environment());
  /// Makes a plan with a root that the caller gives.
  /// @throws InvalidArgument as the first constructor, or if the root does not have order 2N or N.
  WideNtt(std::size_t degree, const WideModulus& q, WideRing ring, DoubleWord root_of_unity,
          const KernelSelection& selection = KernelSelection::from_environment());

  /// Computes result = NTT(operand), N elements each. `result` and `operand` are the same memory in
  /// the same layout, or have no word in common. Each call needs scratch_words() words: pass
  /// `scratch`, which overlaps nothing and whose contents afterwards are as secret as the operand.
  /// Without `scratch` the call allocates these words and wipes them.
  /// @throws InvalidArgument on a wrong length, null or misaligned memory, overlap, or a scratch
  ///         that is too short or not on a 64-byte boundary; nothing has been written then.
  void forward(WideResult result, WideOperand operand, std::span<std::uint64_t> scratch = {}) const;
  /// Computes result = inverse NTT(operand). Scratch and errors as forward.
  void inverse(WideResult result, WideOperand operand, std::span<std::uint64_t> scratch = {}) const;

  std::size_t degree() const noexcept;
  const WideModulus& modulus() const noexcept;
  WideRing ring() const noexcept;
  DoubleWord root_of_unity() const noexcept;
  const std::string& kernel_name() const noexcept;
  /// Returns the number of scratch words that a call needs.
  std::size_t scratch_words() const noexcept;
  /// Returns the bytes of the twiddle tables.
  std::size_t table_bytes() const noexcept;

 private:
  class Plan;
  std::shared_ptr<const Plan> plan_;
};

/// Returns log2 of the longest power-of-two length for which the prime q has a transform; 0 if q
/// has no transform of length 2.
/// @throws InvalidArgument if q is not an odd prime.
RINGLET_API int longest_transform_log2(const WideModulus& q, WideRing ring);

/// Returns the `count` largest primes of exactly `bits` bits that are 1 mod 2*degree, in decreasing
/// order.
/// @throws InvalidArgument if degree is not a power of two in [2, 2^20], bits is outside [100, 124]
///         or count is above 1000.
RINGLET_API std::vector<WideModulus> generate_wide_ntt_primes(int bits, std::size_t degree,
                                                              std::size_t count);

/// Returns the `count` largest primes k * 2^104 + 1 of exactly `bits` bits, in decreasing order.
/// Products modulo these primes take fewer steps. All these primes have transforms of every length.
/// @throws InvalidArgument if bits is outside [106, 124], count is above 1000 or fewer than `count`
///         such primes exist.
RINGLET_API std::vector<WideModulus> generate_special_wide_primes(int bits, std::size_t count);

}  // namespace ringlet
