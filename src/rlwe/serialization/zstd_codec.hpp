// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "rlwe/serialization/byte_stream.hpp"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

// Zstandard (RFC 8878) with bounded memory, which is wiped.

namespace ringlet::rlwe {

/// The binary logarithm of how far a frame may refer back; a frame that needs more is refused.
inline constexpr int kZstdWindowLog = 20;

/// Returns the largest size of a frame that ZstdWriter makes of `raw_bytes` bytes.
std::size_t zstd_bound(std::size_t raw_bytes) noexcept;

/// Returns the contents of a frame that states their size, of at most `most` bytes; nothing for any
/// other bytes. @throws std::bad_alloc.
std::optional<Bytes> zstd_contents(std::span<const std::uint8_t> frame, std::size_t most);

/// Writes one frame.
class ZstdWriter {
 public:
  /// Starts a frame of exactly `raw_bytes` bytes. @throws std::bad_alloc.
  explicit ZstdWriter(std::size_t raw_bytes);
  ~ZstdWriter();
  ZstdWriter(const ZstdWriter&) = delete;
  ZstdWriter& operator=(const ZstdWriter&) = delete;

  /// Compresses `bytes` and appends to `out` what is ready; `last` ends the frame.
  void write(std::span<const std::uint8_t> bytes, Bytes& out, bool last);

 private:
  ZSTD_CCtx_s* context_;
};

/// Reads one frame; decompresses no more of it than is wanted.
class ZstdReader {
 public:
  /// @throws std::bad_alloc.
  explicit ZstdReader(std::span<const std::uint8_t> frame);
  ~ZstdReader();
  ZstdReader(const ZstdReader&) = delete;
  ZstdReader& operator=(const ZstdReader&) = delete;

  /// Fills `bytes`; false if the frame is damaged or shorter.
  bool read(std::span<std::uint8_t> bytes);
  /// Returns whether frame and input end here.
  bool is_at_end();

 private:
  ZSTD_DCtx_s* context_;
  std::span<const std::uint8_t> frame_;
  std::size_t position_ = 0;
  bool ended_ = false;
};

}  // namespace ringlet::rlwe
