// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/ring/cyclotomic_slots.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/rlwe/plaintext.hpp"
#include "ringlet/schemes/evaluator.hpp"

namespace ringlet {

/// Turns vectors of bits, or of elements of GF(2^d), into plaintexts of BFV and BGV with plain
/// modulus 2 over Z[X]/Phi_m, m odd, and back: additions of such plaintexts are XOR slot by slot,
/// products are AND, adding all_ones() is NOT. The slots are those of CyclotomicSlots, in its
/// order.
///
/// Immutable, cheap to copy, shared by threads. Constant time in the values, apart from the verdict
/// whether they are in range. On an error the destination keeps its value.
class RINGLET_API SlotEncoder {
 public:
  /// @throws InvalidArgument unless the context is for BFV or BGV with plain modulus 2 over
  ///         RingSpec::cyclotomic(m) for an odd m.
  explicit SlotEncoder(const Context& context);

  /// Factors, idempotents, dimensions, and what slots are modulo (2, Phi_m).
  const CyclotomicSlots& slots() const noexcept { return slots_; }
  std::size_t slot_count() const noexcept { return slots_.slot_count(); }
  /// d: bits of an element.
  std::size_t slot_degree() const noexcept { return slots_.slot_degree(); }
  /// The sizes of the hypercube in which slots are ordered, row-major.
  std::span<const std::size_t> dimensions() const noexcept { return slots_.dimensions(); }

  /// The plaintext of bits, 0 or 1 each, with n coefficients; slots that are not given become 0.
  /// @throws InvalidArgument if there are more bits than slots, or one is neither 0 nor 1.
  void encode(std::span<const std::uint8_t> bits, Plaintext& destination) const;
  Plaintext encode(std::span<const std::uint8_t> bits) const;

  /// The bits of all slots of a plaintext in coefficient form.
  /// @throws InvalidArgument if it is in NTT form, has more than n coefficients or one that is
  ///         neither 0 nor 1, a slot holds another element than 0 or 1, or the span is not of
  ///         slot_count() bits.
  void decode(const Plaintext& plain, std::span<std::uint8_t> destination) const;
  std::vector<std::uint8_t> decode(const Plaintext& plain) const;

  /// The same for elements: d bits each, the coefficients of their residues, from elements[i * d]
  /// on.
  /// @throws InvalidArgument as above, or unless they are a whole number of elements.
  void encode_elements(std::span<const std::uint8_t> elements, Plaintext& destination) const;
  void decode_elements(const Plaintext& plain, std::span<std::uint8_t> destination) const;

  /// Bit 1 in the chosen slots, 0 in all others; slots may repeat. Not for secret choices.
  /// @throws OutOfRange if there is no such slot.
  Plaintext mask(std::span<const std::size_t> chosen) const;
  /// Bit 1 in every slot: the constant 1.
  Plaintext all_ones() const;

  /// The automorphism that rotates a dimension by `step` places to the left: what was at
  /// e_j + step comes to e_j. Any step, taken modulo the size.
  /// @throws OutOfRange if there is no such dimension.
  std::uint64_t galois_element(std::size_t dimension, std::int64_t step) const {
    return slots_.galois_element(dimension, step);
  }
  /// Those of steps 1, 2, 4, ... below the size of each dimension, ascending: every rotation is
  /// composed of them. For KeyGenerator::create_galois_keys_for_elements.
  std::vector<std::uint64_t> rotation_elements() const;

  /// Rotates encrypted bits along a dimension: with the key of exactly this step where there is
  /// one, otherwise by powers of two. One key switch each.
  /// @throws OutOfRange if there is no such dimension; InvalidArgument if a key is missing (which
  ///         is found before anything is computed), and as Evaluator::apply_galois.
  void rotate_inplace(const Evaluator& evaluator, Ciphertext& a, std::size_t dimension,
                      std::int64_t step, const GaloisKeys& keys) const;

 private:
  Context context_;
  CyclotomicSlots slots_;
};

}  // namespace ringlet
