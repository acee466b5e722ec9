// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "seal/serialization.h"

// What frames need of zlib and Zstandard, with bounds on their memory.

namespace ringlet::seal4::detail {

/// Compresses one frame.
class Compressor {
 public:
  Compressor() = default;
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  virtual ~Compressor() = default;

  /// Reads from the front of `in`, writes to the front of `out` and shortens both. With `end`, the
  /// frame ends after `in`. Returns true if `in`, and with `end` the frame, is done.
  /// @throws std::runtime_error if the library fails.
  virtual bool run(std::span<const char>& in, std::span<char>& out, bool end) = 0;
};

/// Decompresses one frame.
class Decompressor {
 public:
  Decompressor() = default;
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  virtual ~Decompressor() = default;

  /// Reads from the front of `in`, writes to the front of `out`, which has room, and shortens both.
  /// Returns true at the end of the frame.
  /// @throws std::logic_error for a damaged frame, or one that needs too much history.
  virtual bool run(std::span<const char>& in, std::span<char>& out) = 0;
};

/// Makes a compressor of one frame of exactly content_size bytes, in a mode other than none.
/// @param wipes its memory is overwritten with zeros when it is freed
/// Throws std::bad_alloc.
std::unique_ptr<Compressor> make_compressor(compr_mode_type mode, std::size_t content_size,
                                            bool wipes);

/// Makes a decompressor, in a mode other than none. Throws std::bad_alloc.
std::unique_ptr<Decompressor> make_decompressor(compr_mode_type mode, bool wipes);

/// Returns the largest size of the frame for in_size bytes; 0 if that overflows.
std::size_t frame_bound(compr_mode_type mode, std::size_t in_size) noexcept;

}  // namespace ringlet::seal4::detail
