// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/ntt/ntt.hpp"

namespace ringlet {

/// A view of polynomials with N words per limb in one buffer: limb i of polynomial p is the N words
/// from words[p * polynomial_stride + i * limb_stride] on. The call that reads the view defines the
/// number of limbs. Word is std::uint64_t or const std::uint64_t.
template <typename Word>
struct BasicRnsWords {
  std::span<Word> words;
  std::size_t limb_stride = 0;  ///< In words, N or more; unused for one limb.
  std::size_t polynomial_count = 1;
  std::size_t polynomial_stride = 0;  ///< In words, N or more; unused for one polynomial.

  /// Converts a view for writing to a view for reading.
  operator BasicRnsWords<const Word>() const
    requires(!std::is_const_v<Word>)
  {
    return {words, limb_stride, polynomial_count, polynomial_stride};
  }
};

using RnsWords = BasicRnsWords<std::uint64_t>;
using ConstRnsWords = BasicRnsWords<const std::uint64_t>;

/// Transforms many polynomials modulo many primes in one call, with one Ntt per prime. Each limb of
/// each result is bit for bit that of Ntt::forward or Ntt::inverse modulo its prime, for every
/// number of threads.
///
/// A call processes limb 0 of all polynomials, then limb 1 of all polynomials, and so on, so that
/// the table of the prime stays in the cache. A call that is long enough is divided among
/// thread_count() threads (ringlet/base/parallel.hpp). Immutable, cheap to copy (copies share the
/// tables) and usable by many threads at once. Constant time in the data; sizes, strides and primes
/// are public.
class RINGLET_API RnsNtt {
 public:
  /// Makes plans for transforms of length `degree` modulo each of `moduli`, with the smallest
  /// roots.
  /// @throws InvalidArgument if there are no moduli, or as Ntt does for each modulus.
  RnsNtt(std::size_t degree, std::span<const Modulus> moduli,
         const KernelSelection& selection = KernelSelection::from_environment());

  /// Transforms every limb of every polynomial. There are size() limbs, and limb i belongs to prime
  /// i. Operand values are in [0, input_mod_factor*q), result values in [0, output_mod_factor*q),
  /// with the factors of Ntt; this is a precondition that is not checked. `result` either is the
  /// same as `operand` (same first word, same strides) or has no word in common with it. A buffer
  /// may be longer than its limbs; other words are neither read nor written. Without polynomials
  /// nothing happens. In memory, either the polynomials lie one after the other, or the limbs of
  /// each prime do; other interleavings are refused.
  /// @throws InvalidArgument on a stride below N, strides that let two limbs of a buffer share
  ///         words or interleave otherwise, a buffer that is too short, null or misaligned,
  ///         different numbers of polynomials, overlap or another factor; nothing has been written
  ///         then.
  void forward(RnsWords result, ConstRnsWords operand, int input_mod_factor = 1,
               int output_mod_factor = 1) const;
  void inverse(RnsWords result, ConstRnsWords operand, int input_mod_factor = 1,
               int output_mod_factor = 1) const;

  /// Transform limbs of chosen primes: limb i belongs to the prime of index primes[i], and there
  /// are primes.size() limbs. A prime may occur several times or not at all.
  /// @throws OutOfRange if an index is not below size(); InvalidArgument as the calls without
  ///         `primes`.
  void forward(RnsWords result, ConstRnsWords operand, std::span<const std::size_t> primes,
               int input_mod_factor = 1, int output_mod_factor = 1) const;
  void inverse(RnsWords result, ConstRnsWords operand, std::span<const std::size_t> primes,
               int input_mod_factor = 1, int output_mod_factor = 1) const;

  /// Returns the length N of the transforms.
  std::size_t degree() const noexcept { return plans_.front().degree(); }
  /// Returns the number of primes.
  std::size_t size() const noexcept { return plans_.size(); }
  /// Returns the plan of prime i.
  /// @throws OutOfRange if i >= size().
  const Ntt& operator[](std::size_t i) const {
    if (i >= plans_.size()) refuse_index(i);
    return plans_[i];
  }
  /// Returns the bytes of the tables of all plans.
  std::size_t table_bytes() const noexcept;

 private:
  friend class RingTransforms;  // calls run() with views of its own
  struct Call;
  [[noreturn]] void refuse_index(std::size_t i) const;
  void check(const Call& call) const;
  void run(const Call& call) const;

  std::vector<Ntt> plans_;
  std::vector<std::size_t> all_primes_;  ///< 0, 1, ..., size() - 1.
};

}  // namespace ringlet
