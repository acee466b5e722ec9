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

/// The number of rows and of columns of a matrix.
struct MatrixShape {
  std::size_t rows = 0;
  std::size_t columns = 0;
  friend bool operator==(const MatrixShape&, const MatrixShape&) = default;
};

/// How sums of products are computed. Both ways give the same bits.
enum class MatrixProduct : std::uint8_t {
  /// By Backend::multiply_matrices: each polynomial of a result is one accumulator over all its
  /// products. A device keeps the entries of each matrix in shared blocks, so that the next product
  /// need not copy them again. A block lives as long as one of its entries.
  fused,
  /// Each product is reduced and stored, then added and reduced again. For comparison.
  separate,
};

/// A matrix of ciphertexts in NTT form, row by row. All have the same level, size, scale and secret
/// key. A value type; not synchronised for concurrent writers.
class RINGLET_API CiphertextMatrix {
 public:
  /// Makes a matrix without entries: shape 0 x 0, size 0.
  CiphertextMatrix() = default;
  /// Makes a matrix of zeros, to which products can be added. Each entry has `size` zero
  /// polynomials at `level` and the scale `scale`.
  /// @throws InvalidArgument if a side of the shape is 0, size is outside [2, 16], the scale is not
  ///         a positive normal number, or the number of bytes overflows; RuntimeError if the matrix
  ///         is larger than the machine's memory; std::bad_alloc.
  CiphertextMatrix(const ContextData& level, const MatrixShape& shape, std::size_t size,
                   double scale);
  /// Makes a matrix of `entries` without copying them: row i, column j is entry i * columns + j.
  /// @throws InvalidArgument if a side of the shape is 0, the number of entries is not
  ///         rows * columns, or an entry is empty, in coefficient form, or differs from the first
  ///         in level, size, scale (to the last bit), correction factor or secret key.
  ///         `entries` then keep their values.
  CiphertextMatrix(const MatrixShape& shape, std::vector<Ciphertext>&& entries);

  CiphertextMatrix(const CiphertextMatrix&) = default;
  CiphertextMatrix& operator=(const CiphertextMatrix&) = default;
  /// Moves the entries; `other` is empty afterwards.
  CiphertextMatrix(CiphertextMatrix&& other) noexcept;
  CiphertextMatrix& operator=(CiphertextMatrix&& other) noexcept;
  ~CiphertextMatrix() = default;

  const MatrixShape& shape() const noexcept { return shape_; }
  bool empty() const noexcept { return entries_.empty(); }
  /// Returns the size, level or scale of every entry; 0, kParmsIdZero or 1 if there are no entries.
  std::size_t size() const noexcept { return empty() ? 0 : entries_.front().size(); }
  const ParmsId& parms_id() const noexcept {
    return empty() ? kParmsIdZero : entries_.front().parms_id();
  }
  double scale() const noexcept { return empty() ? 1.0 : entries_.front().scale(); }

  /// Returns the entry at (row, column).
  /// @throws OutOfRange if there is no such row or column.
  const Ciphertext& at(std::size_t row, std::size_t column) const;
  /// Returns all entries, row by row.
  std::span<const Ciphertext> entries() const noexcept { return entries_; }
  /// Returns the entries and leaves the matrix empty.
  std::vector<Ciphertext> release() noexcept;

  /// Returns the size of all entries in bytes, without padding: 8 per residue.
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

/// Adds a matrix product: c += a * b for a of m x k, b of k x n and c of m x n ciphertexts. Each
/// entry c(i, j) increases by
///   sum over t of a(i, t) * b(t, j),
/// where ciphertexts are multiplied as polynomials in the secret key. The messages obey the same
/// formula slot by slot. For CKKS. The result is bit for bit that of Evaluator::multiply and
/// Evaluator::add.
///
/// c then has size a.size() + b.size() - 1, which is 3 for fresh factors: it is not relinearized.
/// Its scale is a.scale() * b.scale(). c may start as zeros and is not checked for transparency. No
/// two entries of c may share borrowed words.
///
/// Memory: one polynomial of one limb per thread, and a second c if its entries must grow. A device
/// copies entries that it already has into shared blocks of the matrix, if there is room; the old
/// words of factors stay allocated until the factors are written. Without this room the product
/// needs one polynomial of all limbs on the device, and many kernel launches. All memory is
/// allocated before c is first written: on an error before that, c keeps its value. After that,
/// only a device can fail, or the system may lack a few kilobytes.
/// @throws LogicError for other schemes; InvalidArgument if a matrix is empty or of another
///         context, levels differ, shapes do not fit, c has a larger size than the product or
///         another scale, the scale of the product is too large for the level's modulus, or c is a
///         or b; RuntimeError if c would grow beyond the machine's memory; OutOfDeviceMemory;
///         std::bad_alloc.
RINGLET_API void multiply_accumulate(const Evaluator& evaluator, CiphertextMatrix& c,
                                     const CiphertextMatrix& a, const CiphertextMatrix& b,
                                     MatrixProduct form = MatrixProduct::fused);

/// Computes destination = a * b, as multiply_accumulate() into zeros. `destination` may be a or b;
/// its old value stays in memory until the product is complete.
/// @throws as multiply_accumulate; LogicError if an entry of the result would be transparent (on a
///         device: when the host first reads it); RuntimeError if the product is larger than the
///         machine's memory.
RINGLET_API void multiply(const Evaluator& evaluator, const CiphertextMatrix& a,
                          const CiphertextMatrix& b, CiphertextMatrix& destination,
                          MatrixProduct form = MatrixProduct::fused);

/// Relinearizes every entry by Evaluator::relinearize. `destination` may be a. On an error it keeps
/// its value.
/// @throws InvalidArgument if `a` is empty, and as Evaluator::relinearize.
RINGLET_API void relinearize(const Evaluator& evaluator, const CiphertextMatrix& a,
                             const RelinKeys& keys, CiphertextMatrix& destination);

}  // namespace ringlet
