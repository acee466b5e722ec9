// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "ring/backend/ring_transforms.hpp"
#include "ring/cyclotomic/automorphisms.hpp"
#include "ring/rns/conversion_tile.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "ringlet/ring/backend.hpp"

namespace ringlet {

class CanonicalKey;

/// The bound of the operands of kernels of DigitSums, shifts included.
inline constexpr std::uint64_t kDigitOperandLimit = std::uint64_t{1} << 52;

/// The words per limb from which another thread pays, for transforms, permutations and element-wise
/// operations. Waking up a thread takes 20 to 40 microseconds.
inline constexpr std::size_t kTransformGrain = std::size_t{1} << 14;
inline constexpr std::size_t kPermutationGrain = std::size_t{1} << 15;
inline constexpr std::size_t kElementGrain = std::size_t{1} << 16;

/// Runs this processor's kernels. cpu_backend.cpp has element-wise operations and transforms; the
/// other cpu_*.cpp have the rest.
class CpuBackend final : public Backend {
 public:
  using Words = std::span<std::uint64_t>;

  CpuBackend(RnsBasis rns_basis, const KernelSelection& selection);

  std::string name() const override { return "cpu"; }
  std::vector<std::string> kernel_names() const override;

  void do_copy(ResidueView result, ConstResidueView a) const override;
  void do_forward_ntt(NttView result, ConstCoeffView a, PrimeIndices primes) const override;
  void do_inverse_ntt(CoeffView result, ConstNttView a, PrimeIndices primes) const override;
  void do_add(ResidueView result, ConstResidueView a, ConstResidueView b,
              PrimeIndices primes) const override;
  void do_subtract(ResidueView result, ConstResidueView a, ConstResidueView b,
                   PrimeIndices primes) const override;
  void do_negate(ResidueView result, ConstResidueView a, PrimeIndices primes) const override;
  void do_multiply(NttView result, ConstNttView a, ConstNttView b,
                   PrimeIndices primes) const override;
  void do_multiply_add(NttView result, ConstNttView a, ConstNttView b, ConstNttView c,
                       PrimeIndices primes) const override;
  bool do_multiply_add_if_reduced(NttView result, ConstNttView a, ConstNttView b, ConstNttView c,
                                  PrimeIndices primes) const override;
  void do_multiply_accumulate(NttView result, ConstViews a, ConstViews b,
                              PrimeIndices primes) const override;
  void do_multiply_pairs(std::span<const NttView, 3> product, std::span<const ConstNttView, 2> a,
                         std::span<const ConstNttView, 2> b, PrimeIndices primes) const override;
  void do_multiply_scalars(ResidueView result, ConstResidueView a, ConstWords scalars,
                           PrimeIndices primes) const override;
  void do_multiply_scalars_add(ResidueView result, ConstResidueView a, ConstResidueView b,
                               ConstWords scalars, PrimeIndices primes) const override;
  void do_automorphism(NttView result, ConstNttView a, std::uint64_t galois_element,
                       PrimeIndices primes) const override;
  void do_automorphism(CoeffView result, ConstCoeffView a, std::uint64_t galois_element,
                       PrimeIndices primes) const override;
  void do_lift_digit(CoeffView result, ConstWords digit, std::size_t digit_prime,
                     PrimeIndices primes) const override;
  void do_inverse_ntt_to_digits(CoeffView result, ConstNttView a,
                                PrimeIndices primes) const override;
  void do_lift_digit_to_ntt(NttView result, ConstWords digit, std::size_t digit_prime,
                            PrimeIndices primes) const override;
  void do_to_digits(CoeffView result, ConstCoeffView a, PrimeIndices primes) const override;
  void do_convert_basis(CoeffView result, ConstCoeffView a,
                        const BasisConversion& conversion) const override;
  void do_convert_to_modulus(Words result, ConstCoeffView a,
                             const BasisConversion& conversion) const override;
  void do_scale_and_round(CoeffView result, ConstCoeffView over_q, ConstCoeffView over_r,
                          const RnsScaling& scaling) const override;
  bool do_is_reduced(ConstResidueView a, PrimeIndices primes) const override;
  void do_lift_message(CoeffView result, ConstWords message, std::uint64_t t,
                       PrimeIndices primes) const override;
  void do_combine_words(CoeffView result, ConstWords a, ConstWords b, std::uint64_t bound,
                        ConstWords scalars, PrimeIndices primes) const override;
  void do_divide_and_round_by_last(NttView result, ConstNttView a, PrimeIndices primes,
                                   std::uint64_t preserve) const override;
  void do_divide_and_round_by_last(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                                   std::uint64_t preserve) const override;
  using Backend::do_divide_and_round;  // in coefficient form
  void do_divide_and_round(NttView result, ConstNttView a, PrimeIndices primes,
                           const BasisConversion& conversion,
                           std::uint64_t preserve) const override;
  void do_key_inner_product(NttView sum_b, NttView sum_a, ConstViews lifted_digits,
                            const KeyTerms& terms, PrimeIndices primes) const override;
  void do_multiply_images_by_keys(std::span<const GadgetImages> sums, const KeySwitchSource& source,
                                  PrimeIndices targets) const override;
  void do_multiply_digits_by_key(NttView sum_b, NttView sum_a, const KeySwitchSource& source,
                                 const PreparedKey& key, PrimeIndices targets) const override;
  void do_switch_key(const KeySwitchResult& result, const KeySwitchSource& source,
                     const PreparedKey& key, PrimeIndices targets) const override;

 private:
  struct DigitTerm;
  class DigitTarget;
  class GadgetProducts;
  class ImageProducts;
  class KeySwitchDivision;

  std::uint64_t modulus(std::size_t prime) const { return basis()[prime].value(); }

  /// Calls body(first, end) for parts of the limbs [0, limb_count), on several threads where a part
  /// has `grain` words or more. Limbs do not depend on each other.
  template <typename Body>
  void for_limb_ranges(std::size_t limb_count, std::size_t grain, const Body& body) const {
    parallel_for_chunks(limb_count, body, Chunks::even,
                        std::max<std::size_t>(1, grain / basis().degree()));
  }
  /// Calls body(i) for each limb, under the conditions of for_limb_ranges.
  template <typename Body>
  void for_limbs(std::size_t limb_count, std::size_t grain, const Body& body) const {
    for_limb_ranges(limb_count, grain, [&body](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) body(i);
    });
  }

  /// Calls body(first, end) for parts of the tiles of a basis conversion that multiplies and adds
  /// `products` times per coefficient.
  template <typename Body>
  void for_tile_ranges(std::size_t products, const Body& body) const;

  /// Computes digit - floor(p/2) + q in [0, 4q): one limb of lift_digit_to_ntt before its
  /// transform.
  void subtract_offset(Words result, ConstWords digit, std::size_t digit_prime,
                       std::size_t target) const;
  /// Computes one limb of lift_digit_to_ntt.
  void lift_offset_digit(Words result, ConstWords digit, std::size_t digit_prime,
                         std::size_t target) const;
  /// Turns coefficients modulo the prime of index `divisor` into the offset digit that a division
  /// by this prime subtracts.
  void make_divisor_digit(Words digit, std::size_t divisor, std::uint64_t preserve) const;
  /// Ends a division: (a - preserve * lifted) * inverse modulo the prime of index `target`, in the
  /// form of its operands. Overwrites `lifted`, which may be the result.
  void finish_division(Words result, ConstWords a, Words lifted, std::size_t target,
                       std::uint64_t inverse, std::uint64_t preserve) const;

  /// Returns how many digits are transformed and summed up together modulo these primes.
  std::size_t most_together(PrimeIndices targets) const;

  /// The part that a division subtracts, divided by `preserve`, in coefficient form: an offset
  /// digit of the prime `offset_prime`, or residues modulo the target.
  struct DivisorDigit {
    ConstWords words;
    std::uint64_t preserve = 1;
    std::size_t offset_prime = 0;
    bool is_offset = false;
  };
  /// What one limb of a division divides, and what is added to its quotient. Both may be the
  /// result.
  struct Dividend {
    ConstWords words;
    ConstWords addend;  ///< Empty for 0.
  };
  /// Computes one limb of a division in NTT form, modulo the prime of index `target`. The digit may
  /// be in the memory of the result, but not in `scratch`, another limb.
  void divide_limb(Words result, const Dividend& a, const DivisorDigit& digit, std::size_t target,
                   std::uint64_t inverse, Words scratch) const;

  /// Computes one limb of a division by a prime in coefficient form, from its offset digit.
  void divide_coefficients(Words result, const Dividend& a, const DivisorDigit& digit,
                           std::size_t target, std::uint64_t inverse, Words scratch) const;

  /// Returns p^-1 mod q for the primes of indices p and q of the basis; the first call computes it.
  std::uint64_t inverse(std::size_t p, std::size_t q) const;

  RingTransforms transforms_;
  std::vector<Eltwise> eltwise_;  ///< One per prime.
  ConversionKernels conversions_;
  /// 0 where the inverse is not known yet; all threads that compute it store the same value.
  mutable std::vector<std::atomic<std::uint64_t>> inverses_;
  Automorphisms automorphisms_;
  AlignedVector<std::uint64_t> ones_;  ///< A limb: sum * 1 is one more term of a sum of products.
};

}  // namespace ringlet
