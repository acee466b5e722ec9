// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/backend/device_constants.hpp"
#include "gpu/memory/device_memory.hpp"
#include "gpu/programs/programs.hpp"
#include "gpu/queue_lanes.hpp"
#include "ringlet/ring/backend.hpp"

namespace ringlet::gpu {

/// Returns the program of matrix.inc. Two options count: fused multiply-add and assembly.
Program matrix_program(const DeviceOptions& options);

/// Rows of a matrix that a kernel finds by strides: all in one buffer, at constant distances.
struct MatrixPiece {
  Place place;  ///< Of the first row's first entry.
  std::size_t first_row = 0;
  std::size_t row_count = 0;
  std::uint64_t row_stride = 0;
  std::uint64_t column_stride = 0;
  std::uint64_t limb_stride = 0;
};

/// Multiplies matrices on one device, with sums in registers: it writes each word of a result once
/// per piece of b, and reads it once where it is part of a sum. Immutable except for its kernels,
/// which are compiled when a product first needs them. Thread-safe.
class DeviceMatrices {
 public:
  explicit DeviceMatrices(std::shared_ptr<DeviceMemory> memory) : memory_(std::move(memory)) {}

  /// Computes Backend::multiply_matrices in one launch for each piece of rows of c, of a, and of b,
  /// for each queue; `constants` are those of BackendConstants::primes. Returns false and does
  /// nothing if the entries of some row do not lie at constant distances in one buffer.
  /// @throws LogicError if words are not in this memory; as build_module.
  bool multiply(const NttMatrix& c, const ConstNttMatrix& a, const ConstNttMatrix& b,
                std::size_t held, const ConstantCache::Block& constants,
                std::size_t prime_count) const;

 private:
  struct Kernels {
    std::shared_ptr<Kernel> pairs;  ///< For entries of 2 polynomials.
    std::shared_ptr<Kernel> any;
  };
  /// Rows of c whose rows of a are in one piece, and all terms of one piece of b.
  struct Part {
    const MatrixPiece* c;
    const MatrixPiece* a;
    const MatrixPiece* b;
    std::size_t first_row;
    std::size_t row_end;
    std::size_t held;
  };
  struct Tiling;
  struct Product;

  const Kernels& kernels() const;
  template <typename Word>
  std::optional<std::vector<MatrixPiece>> find_pieces(const BasicNttMatrix<Word>& matrix) const;
  void launch(QueueLanes& lanes, const Product& product, const Part& part) const;
  void launch_rows(Queue& queue, const Product& product, const Part& part) const;

  std::shared_ptr<DeviceMemory> memory_;
  mutable std::mutex mutex_;
  mutable std::optional<Kernels> kernels_;
};

}  // namespace ringlet::gpu
