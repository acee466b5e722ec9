// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

// The parts of Zstandard that frames use, with bounds on its memory.

namespace ringlet::seal4::detail {

/// Frames may ask their reader for this much history (RFC 8878, 3.1.1.1.2); more is refused.
inline constexpr int kZstdWindowLog = 23;

struct ZstdDeleter {
  void operator()(ZSTD_CCtx_s* context) const noexcept;
  void operator()(ZSTD_DCtx_s* context) const noexcept;
};
using ZstdCompressor = std::unique_ptr<ZSTD_CCtx_s, ZstdDeleter>;
using ZstdDecompressor = std::unique_ptr<ZSTD_DCtx_s, ZstdDeleter>;

/// Makes a compressor of one frame of exactly content_size bytes.
/// @param wipes its memory is overwritten with zeros when it is freed
/// Throws std::bad_alloc.
ZstdCompressor make_zstd_compressor(std::size_t content_size, bool wipes);

/// Makes a decompressor. Throws std::bad_alloc.
ZstdDecompressor make_zstd_decompressor(bool wipes);

/// Returns the largest size of the frame for in_size bytes; 0 if that overflows.
std::size_t zstd_frame_bound(std::size_t in_size) noexcept;

}  // namespace ringlet::seal4::detail
