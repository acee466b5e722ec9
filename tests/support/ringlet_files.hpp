// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rlwe/serialization/frame.hpp"
#include "rlwe/serialization/little_endian.hpp"
#include "support/mutations.hpp"

// Forges files of Ringlet: implements docs/files.md a second time.

namespace ringlet::test {

inline constexpr std::size_t kFrameHeader = 112;

inline std::uint64_t number_at(const ByteVector& file, std::size_t at, std::size_t size = 8) {
  return rlwe::load_little_endian({reinterpret_cast<const std::uint8_t*>(file.data()) + at, size});
}

inline void set_number(ByteVector& file, std::size_t at, std::uint64_t value,
                       std::size_t size = 8) {
  rlwe::store_little_endian({reinterpret_cast<std::uint8_t*>(file.data()) + at, size}, value);
}

/// Gives every frame the checksum of its present content. With `mends_lengths`, a last frame whose
/// payload is cut or extended gets the length of that payload.
inline void mend(ByteVector& file, bool mends_lengths = false) {
  for (std::size_t at = 0; file.size() - at >= kFrameHeader;) {
    const std::size_t rest = file.size() - at - kFrameHeader;
    std::uint64_t stored = number_at(file, at + 48);
    if (mends_lengths && (stored > rest || rest - stored < kFrameHeader) && stored != rest) {
      const bool is_raw = number_at(file, at + 56) == stored;
      set_number(file, at + 48, rest);
      if (is_raw) set_number(file, at + 56, rest);
      stored = rest;
    }
    if (stored > rest) return;
    const std::span bytes(reinterpret_cast<std::uint8_t*>(file.data()) + at,
                          kFrameHeader + static_cast<std::size_t>(stored));
    const auto sum = rlwe::checksum_of(bytes.first(80), bytes.subspan(kFrameHeader));
    std::ranges::copy(sum, bytes.subspan(80).begin());
    at += bytes.size();
  }
}

/// A file of one frame, with its payload compressed.
inline ByteVector compressed(const ByteVector& file) {
  ParmsId parms_id{};
  for (std::size_t i = 0; i < parms_id.size(); ++i) parms_id[i] = number_at(file, 16 + 8 * i);
  const std::span payload(reinterpret_cast<const std::uint8_t*>(file.data()) + kFrameHeader,
                          file.size() - kFrameHeader);
  rlwe::FrameWriter writer(static_cast<rlwe::ObjectType>(number_at(file, 8, 2)),
                           static_cast<std::uint16_t>(number_at(file, 14, 2)), parms_id,
                           payload.size(), Compression::zstd);
  writer.put(payload);
  const rlwe::Bytes frame = std::move(writer).finish();
  const auto* begin = reinterpret_cast<const std::byte*>(frame.data());
  return {begin, begin + frame.size()};
}

}  // namespace ringlet::test
