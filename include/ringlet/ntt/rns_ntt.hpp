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

/// Polynomials of N words per limb in one buffer: limb i of polynomial p is the N words from
/// words[p * polynomial_stride + i * limb_stride] on. How many limbs there are is said by the call.
/// Word is std::uint64_t or const std::uint64_t. Does not own.
template <typename Word>
struct BasicRnsWords {
  std::span<Word> words;
  std::size_t limb_stride = 0;  ///< N or more; not used for one limb.
  std::size_t polynomial_count = 1;
  std::size_t polynomial_stride = 0;  ///< N or more; not used for one polynomial.

  /// Words for writing may stand where words for reading are expected.
  operator BasicRnsWords<const Word>() const
    requires(!std::is_const_v<Word>)
  {
    return {words, limb_stride, polynomial_count, polynomial_stride};
  }
};

using RnsWords = BasicRnsWords<std::uint64_t>;
using ConstRnsWords = BasicRnsWords<const std::uint64_t>;

/// Transforms of many polynomials modulo many primes in one call: one Ntt per prime, made once.
/// Each limb of each polynomial becomes what Ntt::forward and Ntt::inverse of its prime make of it,
/// the same bits for every number of threads.
///
/// A call goes through its limbs in order, and through all polynomials before the next limb, while
/// the table of the prime is in the cache. It is shared out over thread_count() threads if it is
/// long enough (ringlet/base/parallel.hpp). Immutable, cheap to copy (copies share the tables) and
/// usable by many threads at once. Constant time in the data; sizes, strides and primes are public.
class RINGLET_API RnsNtt {
 public:
  /// Plans for transforms of length `degree` modulo each of `moduli`, with the smallest roots.
  /// @throws InvalidArgument if there are no moduli, or as Ntt does for each of them.
  RnsNtt(std::size_t degree, std::span<const Modulus> moduli,
         const KernelSelection& selection = KernelSelection::from_environment());

  /// Transforms every limb of every polynomial; limb i belongs to prime i, and there are size() of
  /// them. Input values in [0, input_mod_factor*q), outputs in [0, output_mod_factor*q), with the
  /// factors of Ntt; a precondition that is not checked. `result` is the same as `operand` (the
  /// same first word, the same strides), or has no word in common with it. Of a buffer only the
  /// words of limbs are read or written; it may be longer. No polynomials: nothing is done.
  /// @throws InvalidArgument on a stride below N, strides that let two limbs of a buffer share
  ///         words, a buffer that is too short, null or misaligned, different numbers of
  ///         polynomials, overlap or another factor; nothing has been written then. Limbs may share
  ///         no words if the polynomials lie one after the other (in memory order), or the limbs of
  ///         each prime do; other interleavings are refused.
  void forward(RnsWords result, ConstRnsWords operand, int input_mod_factor = 1,
               int output_mod_factor = 1) const;
  void inverse(RnsWords result, ConstRnsWords operand, int input_mod_factor = 1,
               int output_mod_factor = 1) const;

  /// The same for limbs of other primes: limb i belongs to the prime of index primes[i], and there
  /// are primes.size() of them. A prime may come several times, or not at all.
  /// @throws OutOfRange if an index is not below size(); InvalidArgument as above.
  void forward(RnsWords result, ConstRnsWords operand, std::span<const std::size_t> primes,
               int input_mod_factor = 1, int output_mod_factor = 1) const;
  void inverse(RnsWords result, ConstRnsWords operand, std::span<const std::size_t> primes,
               int input_mod_factor = 1, int output_mod_factor = 1) const;

  /// N.
  std::size_t degree() const noexcept { return plans_.front().degree(); }
  /// Number of primes.
  std::size_t size() const noexcept { return plans_.size(); }
  /// The plan of prime i. @throws OutOfRange if i >= size().
  const Ntt& operator[](std::size_t i) const {
    if (i >= plans_.size()) refuse_index(i);
    return plans_[i];
  }
  /// Bytes of the tables of all plans.
  std::size_t table_bytes() const noexcept;

 private:
  friend class RingTransforms;  // runs its own views
  struct Call;
  [[noreturn]] void refuse_index(std::size_t i) const;
  void check(const Call& call) const;
  void run(const Call& call) const;

  std::vector<Ntt> plans_;
  std::vector<std::size_t> all_primes_;  ///< 0, 1, ..., size() - 1.
};

}  // namespace ringlet
