// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/rlwe/parameters.hpp"
#include "ringlet/schemes/evaluator.hpp"

namespace ringlet {

/// How many rows and columns a matrix has.
struct MatrixShape {
  std::size_t rows = 0;
  std::size_t columns = 0;
  friend bool operator==(const MatrixShape&, const MatrixShape&) = default;
};

/// How sums of products are computed; all give the same bits.
enum class MatrixProduct : std::uint8_t {
  /// Backend::multiply_matrices: each polynomial of a result is one accumulator over all its
  /// products.
  /// A device keeps the entries of each matrix in blocks that they share: what is put there for
  /// this product is there for the next one, and a block lives as long as one of its entries.
  fused,
  /// For comparison: each product is reduced and stored, then added and reduced again.
  separate,
};

/// A matrix of ciphertexts in NTT form, all of one level, size and scale; row by row. A value type;
/// not synchronised for concurrent writers.
class RINGLET_API CiphertextMatrix {
 public:
  /// No entries: shape 0 x 0, size 0.
  CiphertextMatrix() = default;
  /// Zeros: each entry is `size` zero polynomials at `level` with that scale, to add products to.
  /// @throws InvalidArgument if a side of the shape is 0, size is outside [2, 16], the scale is no
  ///         positive normal number, or the bytes overflow; RuntimeError if the matrix is larger
  ///         than the machine's memory; std::bad_alloc.
  CiphertextMatrix(const ContextData& level, const MatrixShape& shape, std::size_t size,
                   double scale);
  /// Takes over `entries`: row i, column j is entry i * columns + j.
  /// @throws InvalidArgument if a side of the shape is 0, there are not rows * columns entries, or
  ///         one of them is empty, in coefficient form, or of another level, size, scale (to the
  ///         last bit) or correction factor than the first. `entries` then keep their values.
  CiphertextMatrix(const MatrixShape& shape, std::vector<Ciphertext>&& entries);

  CiphertextMatrix(const CiphertextMatrix&) = default;
  CiphertextMatrix& operator=(const CiphertextMatrix&) = default;
  /// What was moved from has no entries.
  CiphertextMatrix(CiphertextMatrix&& other) noexcept;
  CiphertextMatrix& operator=(CiphertextMatrix&& other) noexcept;
  ~CiphertextMatrix() = default;

  const MatrixShape& shape() const noexcept { return shape_; }
  bool empty() const noexcept { return entries_.empty(); }
  /// Of every entry; 0, kParmsIdZero and 1 of a matrix without entries.
  std::size_t size() const noexcept { return empty() ? 0 : entries_.front().size(); }
  const ParmsId& parms_id() const noexcept {
    return empty() ? kParmsIdZero : entries_.front().parms_id();
  }
  double scale() const noexcept { return empty() ? 1.0 : entries_.front().scale(); }

  /// @throws OutOfRange if there is no such row or column.
  const Ciphertext& at(std::size_t row, std::size_t column) const;
  /// All entries, row by row.
  std::span<const Ciphertext> entries() const noexcept { return entries_; }
  /// Gives the entries back; the matrix is empty then.
  std::vector<Ciphertext> release() noexcept;

  /// Payload of all entries, without padding: 8 bytes per residue.
  /// @throws InvalidArgument if that overflows.
  static std::size_t byte_count(const ContextData& level, const MatrixShape& shape,
                                std::size_t size);
  std::size_t byte_count() const noexcept;

 private:
  friend RINGLET_API void multiply_accumulate(const Evaluator& evaluator, CiphertextMatrix& c,
                                              const CiphertextMatrix& a, const CiphertextMatrix& b,
                                              MatrixProduct form);

  MatrixShape shape_;
  std::vector<Ciphertext> entries_;
};

/// c += a * b: with a of m x k, b of k x n and c of m x n ciphertexts, each entry of c gains
///   sum over t of a(i, t) * b(t, j),
/// products as polynomials in the secret key: c then has size a.size() + b.size() - 1, which is 3
/// for fresh factors, and is not relinearized; its scale is a.scale() * b.scale(). Slot by slot,
/// the messages obey the same formula. CKKS; the bits are those of Evaluator::multiply and
/// Evaluator::add. c may start as zeros, and is not looked at for transparency; no two of its
/// entries share borrowed words.
///
/// Besides the operands takes one polynomial per thread, of one limb; and a second c if its entries
/// have to grow. On a device, entries of which it has words already are copied into blocks that the
/// matrix shares, if there is room: the old words of factors stay until they are written. Without
/// room it takes one polynomial of all limbs, and many launches. All of that is there before c is
/// first written: on every error up to then c keeps its value. What may follow are failures of a
/// device, and of the system to find a few kilobytes.
/// @throws LogicError for other schemes; InvalidArgument if a matrix is empty or of another
///         context, levels differ, shapes do not fit, c has a larger size than the product or
///         another scale, the scale of the product is too large for the level's modulus, or c is a
///         or b; RuntimeError if c is to grow beyond the machine's memory; OutOfDeviceMemory;
///         std::bad_alloc.
RINGLET_API void multiply_accumulate(const Evaluator& evaluator, CiphertextMatrix& c,
                                     const CiphertextMatrix& a, const CiphertextMatrix& b,
                                     MatrixProduct form = MatrixProduct::fused);

/// destination = a * b, as above; what was there before stays until all is done. `destination` may
/// be a or b.
/// @throws as multiply_accumulate; LogicError if an entry of the result would be transparent (on a
/// device: when
///         the host first reads it); RuntimeError if the product is larger than the machine's
///         memory.
RINGLET_API void multiply(const Evaluator& evaluator, const CiphertextMatrix& a,
                          const CiphertextMatrix& b, CiphertextMatrix& destination,
                          MatrixProduct form = MatrixProduct::fused);

/// Evaluator::relinearize of every entry; `destination` may be a. On an error it keeps its value.
/// @throws InvalidArgument if `a` is empty, and as Evaluator::relinearize.
RINGLET_API void relinearize(const Evaluator& evaluator, const CiphertextMatrix& a,
                             const RelinKeys& keys, CiphertextMatrix& destination);

}  // namespace ringlet
