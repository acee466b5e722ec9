// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/plaintext.hpp"

namespace ringlet {

/// Turns vectors of up to N integers modulo t ("slots") into plaintexts of BFV and BGV and back.
/// Sums and products of such plaintexts act slot by slot.
///
/// The slots form a matrix of two rows of N/2, row after row. Slot i of the first row is
/// m(psi^(3^i)) and slot i of the second row is m(psi^(-3^i)), where psi is the smallest primitive
/// 2N-th root of unity modulo t (Smart and Vercauteren, "Fully homomorphic SIMD operations", IACR
/// ePrint 2011/133).
///
/// Immutable, cheap to copy; threads may share it. Constant time in the values, except for the
/// check whether all of them are in range. On an error the destination keeps its value.
class RINGLET_API BatchEncoder {
 public:
  /// Makes an encoder for the parameters of `context`.
  /// @throws InvalidArgument unless the context is for BFV or BGV with batching: t is a prime = 1
  ///         modulo 2N.
  explicit BatchEncoder(const Context& context);

  /// Returns N.
  std::size_t slot_count() const noexcept;

  /// Encodes `values` as a plaintext in coefficient form with N coefficients. Missing values are 0.
  /// Unsigned values must be below t, signed values at most floor(t/2) in absolute value.
  /// @throws InvalidArgument if there are more values than slots, or a value is out of range.
  void encode(std::span<const std::uint64_t> values, Plaintext& destination) const;
  void encode(std::span<const std::int64_t> values, Plaintext& destination) const;

  /// Decodes all N slots of a plaintext in coefficient form. Unsigned results are in [0, t), signed
  /// results in [-floor(t/2), floor(t/2)].
  /// @throws InvalidArgument if the plaintext is in NTT form, has more than N coefficients, or a
  ///         coefficient that is not below t, or if a span does not have slot_count() elements.
  void decode(const Plaintext& plain, std::span<std::uint64_t> destination) const;
  void decode(const Plaintext& plain, std::span<std::int64_t> destination) const;
  void decode(const Plaintext& plain, std::vector<std::uint64_t>& destination) const;
  void decode(const Plaintext& plain, std::vector<std::int64_t>& destination) const;

 private:
  struct Tables;

  template <typename T>
  void encode_slots(std::span<const T> values, Plaintext& destination) const;
  template <typename T>
  void decode_slots(const Plaintext& plain, std::span<T> destination) const;

  Context context_;
  std::shared_ptr<const Tables> tables_;
};

}  // namespace ringlet
