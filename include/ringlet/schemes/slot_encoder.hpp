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

/// Turns vectors of bits, or of elements of GF(2^d), into plaintexts and back, for BFV and BGV with
/// plain modulus 2 over Z[X]/Phi_m, m odd. Slot by slot, sums of such plaintexts are XOR, products
/// are AND, and adding all_ones() is NOT. The slots and their order are those of CyclotomicSlots.
///
/// Immutable, cheap to copy; threads may share it. Constant time in the values, except for the
/// check whether they are in range. On an error the destination keeps its value.
class RINGLET_API SlotEncoder {
 public:
  /// Makes an encoder for the parameters of `context`.
  /// @throws InvalidArgument unless the context is for BFV or BGV with plain modulus 2 over
  ///         RingSpec::cyclotomic(m) for an odd m.
  explicit SlotEncoder(const Context& context);

  /// Returns the slots modulo (2, Phi_m): factors, idempotents and dimensions.
  const CyclotomicSlots& slots() const noexcept { return slots_; }
  std::size_t slot_count() const noexcept { return slots_.slot_count(); }
  /// Returns d, the bits of an element.
  std::size_t slot_degree() const noexcept { return slots_.slot_degree(); }
  /// Returns the sizes of the hypercube in which slots are ordered, row-major.
  std::span<const std::size_t> dimensions() const noexcept { return slots_.dimensions(); }

  /// Encodes bits, 0 or 1 each, as a plaintext with n coefficients. Missing bits are 0.
  /// @throws InvalidArgument if there are more bits than slots, or a bit is neither 0 nor 1.
  void encode(std::span<const std::uint8_t> bits, Plaintext& destination) const;
  Plaintext encode(std::span<const std::uint8_t> bits) const;

  /// Decodes the bits of all slots of a plaintext in coefficient form.
  /// @throws InvalidArgument if the plaintext is in NTT form, has more than n coefficients, a
  ///         coefficient is neither 0 nor 1, a slot holds an element other than 0 or 1, or the span
  ///         does not have slot_count() bits.
  void decode(const Plaintext& plain, std::span<std::uint8_t> destination) const;
  std::vector<std::uint8_t> decode(const Plaintext& plain) const;

  /// Encode and decode elements of GF(2^d). Element i is the d bits from elements[i * d] on, the
  /// coefficients of its residue.
  /// @throws InvalidArgument as encode and decode, or unless the bits are a whole number of
  ///         elements.
  void encode_elements(std::span<const std::uint8_t> elements, Plaintext& destination) const;
  void decode_elements(const Plaintext& plain, std::span<std::uint8_t> destination) const;

  /// Returns the plaintext with bit 1 in the chosen slots and 0 in all others; slots may repeat.
  /// The time depends on `chosen`: do not use it for secret choices.
  /// @throws OutOfRange if there is no such slot.
  Plaintext mask(std::span<const std::size_t> chosen) const;
  /// Returns the plaintext with bit 1 in every slot: the constant 1.
  Plaintext all_ones() const;

  /// Returns the Galois element that rotates a dimension by `step` places to the left: the value at
  /// e_j + step moves to e_j. `step` is any number, taken modulo the size.
  /// @throws OutOfRange if there is no such dimension.
  std::uint64_t galois_element(std::size_t dimension, std::int64_t step) const {
    return slots_.galois_element(dimension, step);
  }
  /// Returns the Galois elements of steps 1, 2, 4, ... below the size of each dimension, in
  /// ascending order. Every rotation is a product of them. Pass them to
  /// KeyGenerator::create_galois_keys_for_elements.
  std::vector<std::uint64_t> rotation_elements() const;

  /// Rotates encrypted bits along a dimension. Uses the key of exactly this step if there is one,
  /// otherwise the keys of several steps that are powers of two. Each of these steps costs one key
  /// switch.
  /// @throws OutOfRange if there is no such dimension; InvalidArgument if a key is missing (which
  ///         is found before anything is computed), and as Evaluator::apply_galois.
  void rotate_inplace(const Evaluator& evaluator, Ciphertext& a, std::size_t dimension,
                      std::int64_t step, const GaloisKeys& keys) const;

 private:
  Context context_;
  CyclotomicSlots slots_;
};

}  // namespace ringlet
